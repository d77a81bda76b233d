// The arguments of an attention call, checked, for the forward and the backward pass.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/attention/mask_rows.h"
#include "core/base/check_view.h"
#include "core/base/with_axes.h"
#include "posenc/attend.h"

namespace posenc::attention {

struct AttendShape {
  std::int64_t batch = 1;        // B
  std::int64_t queries = 0;      // N
  std::int64_t keys = 0;         // S
  std::int64_t heads = 0;        // H
  std::int64_t key_heads = 0;    // G
  std::int64_t width = 0;        // D; with PoPE D + R
  std::int64_t value_width = 0;  // Dv

  std::int64_t group() const noexcept { return heads / key_heads; }
};

// The options must outlive it.
struct AttendCall {
  // Throws if the arguments do not fit together. Messages begin with [where].
  AttendCall(const ConstView& q, const ConstView& k, const ConstView& v, const AttendOptions& options,
             std::string_view where);

  std::string_view where;
  const AttendOptions& options;
  AttendShape shape;
  bool batched;       // whether the caller's views have a batch axis
  ConstView q, k, v;  // [B, N, H, D], [B, S, G, D], [B, S, G, Dv]
  MaskRows mask;
  PositionView query_positions;
  PositionView key_positions;
  double scale = 1.0;         // factor on the scores
  double query_factor = 1.0;  // the rotary's factor on the queries
  bool rotate_keys = false;
  bool delta_on_keys = true;  // PoPE: false if delta has a row per query head but heads share keys

  bool changes_queries() const noexcept {
    return options.rotary || options.pope != nullptr || options.xpos != nullptr || options.temperature != nullptr;
  }
  PopeOptions pope_options(bool keys) const noexcept {
    return {.delta = keys == delta_on_keys ? options.pope_delta : ConstView{}, .workers = options.workers};
  }
  // Check PoPE and xPos, and set the fields that depend on them.
  void settle_pope();
  void settle_xpos();

  bool is_double() const noexcept { return q.dtype == DType::f64; }
  // The dropout of the weights for DropoutRows, where each head of each batch row is a row: b * H + h.
  Dropout weight_dropout() const noexcept;
  // The sink of head h: a score that is in the softmax but contributes no value; -inf without sinks.
  double sink(std::int64_t h) const;
  // The factor on the bias: `scale` if the bias is added before the scores are scaled, else 1.
  double bias_factor() const noexcept;
  // Throws if an output overlaps q, k or v.
  void check_apart(const base::NamedView& written) const;
  base::Shape weights_shape() const { return {shape.batch, shape.heads, shape.queries, shape.keys}; }
  base::Shape log_sum_exp_shape() const { return {shape.batch, shape.heads, shape.queries}; }
  // Throws unless `view` has these lengths, with or without B, and the dtype of the arithmetic, and does not overlap
  // the inputs.
  void check_extra(const View& view, std::string_view name, const base::Shape& wanted) const;
};

// The rule for views like `like`, [B, N, H, ..], with other channels: the inputs' dtype, or f32 for 16-bit inputs.
base::ViewRule attend_rule(const AttendCall& call, const ConstView& like, std::int64_t channels);
// Throws unless `out` fits attend_rule and does not overlap the inputs.
void check_attend_output(const AttendCall& call, const View& out, const ConstView& like, std::int64_t channels,
                         std::string_view name);

}  // namespace posenc::attention
