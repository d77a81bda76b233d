#include "posenc/attend.h"

#include <optional>

#include "core/attention/attend_call.h"
#include "core/attention/attend_forward.h"
#include "core/base/check_view.h"
#include "core/biases/bias_term.h"

namespace posenc {
namespace {

constexpr const char* kAttend = "attend";

// An output must not overlap inputs that are still read.
void check_read_apart(const AttendOptions& options, const base::NamedView& written) {
  if (written.view.data == nullptr) return;
  const Mask& mask = options.mask;
  const ConstView bias = options.bias != nullptr ? options.bias->term().memory() : ConstView{};
  for (const base::NamedView& read : {base::NamedView{"mask starts", mask.starts},
                                      {"mask ends", mask.ends},
                                      {"mask documents", mask.documents},
                                      {"mask keys", mask.keys},
                                      {"mask pairs", mask.pairs},
                                      {"sinks", options.sinks},
                                      {"the values of the bias", bias},
                                      {"pope_delta", options.pope_delta}}) {
    base::check_apart(written, read, kAttend);
  }
  for (const PositionView* positions : {&options.query_positions, &options.key_positions}) {
    if (positions->count != 0) base::check_apart(written, *positions, kAttend);
  }
}

template <class Real>
void run(const attention::AttendCall& call, const attention::AttendOutputs& outputs) {
  const attention::AttendOperands<Real> operands(call);
  std::optional<attention::TermRows<Real>> term;
  if (call.options.term != nullptr) {
    term.emplace(call.options.term->values(), call.query_positions, call.key_positions);
  }
  attention::attend_forward<Real>(call, operands, term ? &*term : nullptr, outputs);
}

}  // namespace

void attend(const ConstView& q, const ConstView& k, const ConstView& v, const View& out, const AttendOptions& options) {
  const attention::AttendCall call(q, k, v, options, kAttend);
  attention::check_attend_output(call, out, call.q, call.shape.value_width, "out");
  call.check_extra(options.weights, "weights", call.weights_shape());
  call.check_extra(options.log_sum_exp, "log_sum_exp", call.log_sum_exp_shape());
  const base::NamedView written[] = {{"out", out}, {"weights", options.weights}, {"log_sum_exp", options.log_sum_exp}};
  base::check_apart(written, kAttend);
  for (const base::NamedView& view : written) check_read_apart(options, view);
  if (call.shape.batch == 0 || call.shape.queries == 0) return;
  const auto extra = [](const View& view, int rank) { return view.data ? base::with_axes(view, rank) : view; };
  const attention::AttendOutputs outputs{base::with_axes(out, 4), extra(options.log_sum_exp, 3),
                                         extra(options.weights, 4)};
  call.is_double() ? run<double>(call, outputs) : run<float>(call, outputs);
}

}  // namespace posenc
