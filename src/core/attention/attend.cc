#include "posenc/attend.h"

#include <optional>

#include "core/attention/attend_call.h"
#include "core/attention/attend_forward.h"
#include "core/base/memory_overlap.h"
#include "core/biases/bias_term.h"
#include "posenc/error.h"

namespace posenc {
namespace {

// [H, ..] as [1, H, ..]: the extra outputs of a call without a batch.
View with_row(const View& view, int rank) {
  if (view.data == nullptr || view.rank == rank) return view;
  View result{view.data, view.dtype, rank, {1}, {0}};
  for (std::size_t axis = 0; axis + 1 < static_cast<std::size_t>(rank); ++axis) {
    result.shape[axis + 1] = view.shape[axis];
    result.strides[axis + 1] = view.strides[axis];
  }
  return result;
}

// Nothing may be written to what is still read.
void check_read_apart(const AttendOptions& options, const View& out, const char* name) {
  if (out.data == nullptr) return;
  const Mask& mask = options.mask;
  const ConstView bias = options.bias != nullptr ? options.bias->term().memory() : ConstView{};
  for (const ConstView& read :
       {mask.starts, mask.ends, mask.documents, mask.keys, mask.pairs, options.sinks, bias, options.pope_delta}) {
    if (read.data == nullptr || !base::share_memory(read, out)) continue;
    fail(ErrorKind::usage, std::string("[attend] ") + name +
                               " must be apart from mask, sinks, bias and delta but shares memory with one of them");
  }
  for (const PositionView& positions : {options.query_positions, options.key_positions}) {
    if (positions.count == 0 || !base::share_memory(positions, out)) continue;
    fail(ErrorKind::usage, std::string("[attend] ") + name + " must be apart from the positions but shares memory");
  }
}

void check_apart(const View& a, const View& b, const char* names) {
  if (a.data == nullptr || b.data == nullptr || !base::share_memory(a, b)) return;
  fail(ErrorKind::usage, std::string("[attend] ") + names + " must be apart but share memory");
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
  const attention::AttendCall call(q, k, v, options, "attend");
  attention::check_attend_output(call, out, call.q, call.shape.value_width, "out");
  call.check_extra(options.weights, "weights", call.shape.queries, call.shape.keys);
  call.check_extra(options.log_sum_exp, "log_sum_exp", call.shape.queries, 0);
  check_apart(out, options.weights, "out and weights");
  check_apart(out, options.log_sum_exp, "out and log_sum_exp");
  check_apart(options.weights, options.log_sum_exp, "weights and log_sum_exp");
  check_read_apart(options, out, "out");
  check_read_apart(options, options.weights, "weights");
  check_read_apart(options, options.log_sum_exp, "log_sum_exp");
  if (call.shape.batch == 0 || call.shape.queries == 0) return;
  const attention::AttendOutputs outputs{attention::with_batch(out), with_row(options.log_sum_exp, 3),
                                         with_row(options.weights, 4)};
  call.is_double() ? run<double>(call, outputs) : run<float>(call, outputs);
}

}  // namespace posenc
