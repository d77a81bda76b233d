#include "core/attention/attend_call.h"

#include <cmath>
#include <string>

#include "core/attention/term_values.h"
#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/biases/bias_term.h"
#include "core/rotation/pope_call.h"
#include "core/rotation/rotate_checks.h"
#include "core/rows/dropout_rows.h"

namespace posenc::attention {
namespace {

using base::refuse;

std::string count_text(std::int64_t count, const char* what) { return std::to_string(count) + " " + what; }

void check_heads_view(const ConstView& view, const char* name, std::string_view where) {
  rotation::check_head_input(view, "D", where, name);
  const auto last = static_cast<std::size_t>(view.rank - 1);
  if (view.shape[last] < 1 || view.shape[last - 1] < 1) {
    refuse(where, name, " must have at least 1 head and 1 channel but has shape ", shape_text(view));
  }
}

AttendShape shape_of(const ConstView& q, const ConstView& k, const ConstView& v, std::string_view where) {
  check_heads_view(q, "q", where);
  check_heads_view(k, "k", where);
  check_heads_view(v, "v", where);
  if (k.rank != q.rank || v.rank != q.rank) {
    refuse(where, "q, k and v must have the same number of axes but have shapes ", shape_text(q), ", ", shape_text(k),
           " and ", shape_text(v));
  }
  base::require(k.dtype == q.dtype && v.dtype == q.dtype, where, "q, k and v must have the same dtype but are ",
                to_text(q.dtype), ", ", to_text(k.dtype), " and ", to_text(v.dtype));
  const ConstView q4 = base::with_axes(q, 4);
  const ConstView k4 = base::with_axes(k, 4);
  const ConstView v4 = base::with_axes(v, 4);
  if (k4.shape[0] != q4.shape[0] || v4.shape[0] != q4.shape[0]) {
    refuse(where, "q, k and v must have the same batch but have shapes ", shape_text(q), ", ", shape_text(k), " and ",
           shape_text(v));
  }
  if (k4.shape[1] != v4.shape[1]) {
    refuse(where, "k and v must have the same number of tokens but have ", k4.shape[1], " and ", v4.shape[1]);
  }
  if (k4.shape[2] != v4.shape[2]) {
    refuse(where, "k and v must have the same number of heads but have ", k4.shape[2], " and ", v4.shape[2]);
  }
  if (k4.shape[3] != q4.shape[3]) {
    refuse(where, "k must have as many channels as q, ", q4.shape[3], ", but has ", k4.shape[3]);
  }
  if (q4.shape[2] % k4.shape[2] != 0) {
    refuse(where, "the number of heads of q must be a multiple of that of k and v, ", k4.shape[2], ", but is ",
           q4.shape[2]);
  }
  if (k4.shape[1] == 0) refuse(where, "k and v must have at least one token but have shape ", shape_text(k));
  return {.batch = q4.shape[0],
          .queries = q4.shape[1],
          .keys = k4.shape[1],
          .heads = q4.shape[2],
          .key_heads = k4.shape[2],
          .width = q4.shape[3],
          .value_width = v4.shape[3]};
}

MaskRows checked_mask(const AttendOptions& options, const AttendShape& shape, std::string_view where) {
  const MaskGrid grid{shape.batch, shape.queries, shape.keys};
  check_mask(options.mask, grid, where);
  return {options.mask, grid};
}

void check_counts(const PositionView& positions, std::int64_t batch, std::int64_t count, const char* name,
                  std::string_view where) {
  if (positions.count != count || (positions.batch != 1 && positions.batch != batch)) {
    refuse(where, name, " must be one per token, ", count_text(count, "in each of "), count_text(batch, "rows"),
           ", but are ", count_text(positions.count, "in "), count_text(positions.batch, "rows"));
  }
}

// Returns the positions of queries if none were given: each query has that of the key with which the mask aligns it.
PositionView beside_keys(const PositionView& keys, std::int64_t offset, const AttendShape& shape,
                         std::string_view where) {
  if (keys.count == 0) return PositionView::range(offset, shape.queries);
  check_counts(keys, shape.batch, shape.keys, "key_positions", where);
  if (offset >= 0 && offset + shape.queries <= shape.keys) return keys.slice(offset, shape.queries);
  refuse(where, "query_positions must be given: the mask aligns queries with keys ", offset, " to ",
         offset + shape.queries - 1, ", but there are ", shape.keys, " keys");
}

double sink_at(const ConstView& sinks, std::int64_t h) {
  double sink = 0.0;
  base::load_row(make_view(sinks[h].data, sinks.dtype, {1}), &sink);
  return sink;
}

void check_numbers(const AttendOptions& options, const AttendShape& shape, bool is_double, std::string_view where) {
  // Also after conversion to float32, if that is the type of the arithmetic.
  const auto finite = [&](double value) {
    return std::isfinite(is_double ? value : static_cast<double>(static_cast<float>(value)));
  };
  if (options.softmax_scale && !finite(*options.softmax_scale)) {
    refuse(where, "softmax_scale must be finite but got ", *options.softmax_scale);
  }
  if (options.bias != nullptr && options.bias->schedule().added == Added::before_scale &&
      !(options.softmax_scale.value_or(1.0) > 0.0)) {
    refuse(where, "softmax_scale must be above 0 if a bias is added before it but got ", *options.softmax_scale);
  }
  base::require(options.softcap >= 0.0 && finite(options.softcap), where,
                "softcap must be at least 0 and finite but got ", options.softcap);
  rows::check_dropout(options.dropout, shape.batch, shape.queries, where);
  if (options.dropout.p > 0.0 && (options.dropout.first_row + shape.batch) > (std::int64_t{1} << 32) / shape.heads) {
    refuse(where, "dropout needs row and head numbers below 2^32 but there are ", count_text(shape.batch, "rows from "),
           count_text(options.dropout.first_row, "on with "), count_text(shape.heads, "heads"));
  }
  const ConstView& sinks = options.sinks;
  if (sinks.data == nullptr) return;
  base::check_view(sinks, {.shape = {shape.heads}, .channels = base::Channels::any, .reason = "one per head"}, where,
                   "sinks");
  for (std::int64_t h = 0; h < shape.heads; ++h) {
    const double sink = sink_at(sinks, h);
    base::require(!std::isnan(sink) && sink != HUGE_VAL, where, "sinks must be numbers below infinity but head ", h,
                  " has ", sink);
  }
}

void check_one_turn(const AttendOptions& options, std::string_view where) {
  const int turns = (options.rotary ? 1 : 0) + (options.pope != nullptr ? 1 : 0) + (options.xpos != nullptr ? 1 : 0);
  base::require(turns <= 1, where, "only one of rotary, pope and xpos may be given");
  if (options.pope_delta.rank != 0 && options.pope == nullptr) refuse(where, "pope_delta needs pope, which is null");
}

void check_temperature(const QueryTemperature& temperature, const PositionView& positions, std::string_view where) {
  validate(temperature);
  base::require(positions.axes == 1, where, "temperature needs positions on one axis but they have ", positions.axes);
  for (std::int64_t b = 0; b < positions.batch; ++b) {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      const double position = positions.real(b, n);
      if (position < -static_cast<double>(temperature.first)) query_factor(temperature, position);  // throws
    }
  }
}

}  // namespace

AttendCall::AttendCall(const ConstView& q_view, const ConstView& k_view, const ConstView& v_view,
                       const AttendOptions& options_given, std::string_view where_given)
    : where(where_given),
      options(options_given),
      shape(shape_of(q_view, k_view, v_view, where_given)),
      batched(q_view.rank == 4),
      q(base::with_axes(q_view, 4)),
      k(base::with_axes(k_view, 4)),
      v(base::with_axes(v_view, 4)),
      mask(checked_mask(options_given, shape, where_given)),
      query_positions(options_given.query_positions),
      key_positions(options_given.key_positions) {
  check_numbers(options, shape, is_double(), where);
  const bool given = query_positions.count != 0 || key_positions.count != 0;
  if (query_positions.count == 0) query_positions = beside_keys(key_positions, mask.offset(), shape, where);
  if (key_positions.count == 0) key_positions = PositionView::range(0, shape.keys);
  // A single row of positions serves the whole batch, whatever its stride.
  if (query_positions.batch == 1) query_positions.batch_stride = 0;
  if (key_positions.batch == 1) key_positions.batch_stride = 0;
  check_one_turn(options, where);
  if (given || changes_queries() || options.bias != nullptr || options.term != nullptr) {
    check_counts(query_positions, shape.batch, shape.queries, "query_positions", where);
    check_counts(key_positions, shape.batch, shape.keys, "key_positions", where);
    check_positions(query_positions, where);
    check_positions(key_positions, where);
  }
  scale = options.softmax_scale.value_or(1.0 / std::sqrt(static_cast<double>(shape.width)));
  if (options.rotary) {
    const RotarySchedule& schedule = options.rotary->schedule();
    rotate_keys = !options.keys_rotated;
    if (!options.softmax_scale) scale *= schedule.softmax_factor();
    query_factor = schedule.query_factor();
    base::require(schedule.head_dim == shape.width, where, "the rotary encoding must have heads of ", shape.width,
                  " channels like q and k but has ", schedule.head_dim);
    const View q_tokens{const_cast<void*>(q.data), q.dtype, 4, q.shape, q.strides};
    const View k_tokens{const_cast<void*>(k.data), k.dtype, 4, k.shape, k.strides};
    rotation::check_head_positions({q, q_tokens, "q", "q"}, query_positions, *options.rotary, where);
    if (rotate_keys) rotation::check_head_positions({k, k_tokens, "k", "k"}, key_positions, *options.rotary, where);
  } else if (options.pope == nullptr && (query_positions.axes != 1 || key_positions.axes != 1)) {
    refuse(where, "positions with several axes need a rotary encoding");
  }
  if (options.bias != nullptr) options.bias->term().check(shape.heads, query_positions, key_positions, where);
  if (options.term != nullptr)
    options.term->values().check({shape.heads, shape.width, shape.value_width}, query_positions, key_positions, where);
  if (options.temperature != nullptr) check_temperature(*options.temperature, query_positions, where);
  if (options.xpos != nullptr) settle_xpos();
  if (options.pope != nullptr) settle_pope();
}

void AttendCall::settle_xpos() {
  const RotarySchedule& schedule = options.xpos->schedule().rotation;
  rotate_keys = !options.keys_rotated;
  base::require(schedule.head_dim == shape.width, where, "the xPos encoding must have heads of ", shape.width,
                " channels like q and k but has ", schedule.head_dim);
}

void AttendCall::settle_pope() {
  const ConstView& delta = options.pope_delta;
  base::require(!options.keys_rotated, where,
                "keys_rotated works only with rotary and xPos: expand q by pope_queries and omit pope");
  base::require(options.term == nullptr, where,
                "a score term cannot be combined with PoPE, which changes the channels of q");
  if (options.pope->head_dim() != shape.width) {
    refuse(where, "the PoPE encoding must have heads of ", shape.width, " channels like q and k but has ",
           options.pope->head_dim());
  }
  delta_on_keys = delta.rank != 2 || delta.shape[0] == shape.key_heads || delta.shape[0] != shape.heads;
  const PopeOptions on_q = pope_options(false), on_k = pope_options(true);
  rotation::check_pope_input(q, {query_positions, *options.pope, on_q, rotation::PopeSide::query, where}, "q");
  rotation::check_pope_input(k, {key_positions, *options.pope, on_k, rotation::PopeSide::key, where}, "k");
  rotate_keys = true;
  shape.width = options.pope->out_dim();
}

Dropout AttendCall::weight_dropout() const noexcept {
  Dropout dropout = options.dropout;
  dropout.first_row *= shape.heads;
  return dropout;
}

double AttendCall::sink(std::int64_t h) const {
  return options.sinks.data == nullptr ? -HUGE_VAL : sink_at(options.sinks, h);
}

double AttendCall::bias_factor() const noexcept {
  return options.bias->schedule().added == Added::before_scale ? scale : 1.0;
}

void AttendCall::check_apart(const base::NamedView& written) const {
  base::check_apart(written, {"q", q}, where);
  base::check_apart(written, {"k", k}, where);
  base::check_apart(written, {"v", v}, where);
}

void AttendCall::check_extra(const View& view, std::string_view name, const base::Shape& wanted) const {
  if (view.data == nullptr && view.rank == 0) return;
  base::check_view(view,
                   {.dtypes = is_double() ? DType::f64 : DType::f32,
                    .shape = wanted,
                    .batch = batched ? base::Batch::as_given : base::Batch::optional,
                    .use = base::Use::write},
                   where, name);
  check_apart({name, view});
}

base::ViewRule attend_rule(const AttendCall& call, const ConstView& like, std::int64_t channels) {
  const base::Shape wanted = base::shape_of(like).with_last(channels);
  const auto& [batch, tokens, heads, width] = wanted.lengths;
  return {.dtypes = base::itself_or_wider(call.q.dtype),
          .shape = call.batched ? wanted : base::Shape{tokens, heads, width}};
}

void check_attend_output(const AttendCall& call, const View& out, const ConstView& like, std::int64_t channels,
                         std::string_view name) {
  base::ViewRule rule = attend_rule(call, like, channels);
  rule.use = base::Use::write;
  base::check_view(out, rule, call.where, name);
  call.check_apart({name, out});
}

}  // namespace posenc::attention
