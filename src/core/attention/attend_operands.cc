#include "core/attention/attend_operands.h"

#include "core/kernels/matmul.h"
#include "core/kernels/transpose_block.h"
#include "core/rows/convert_row.h"
#include "posenc/rotate.h"

namespace posenc::attention {
namespace {

// Makes a contiguous copy in `memory`, converted to Real.
template <class Real>
View copied(const ConstView& view, const Workers* workers, base::AlignedVector<Real>& memory) {
  memory.resize(static_cast<std::size_t>(view.size()));
  View copy{memory.data(), dtype_of<Real>(), 4, view.shape, {}};
  copy.strides = {view.shape[1] * view.shape[2] * view.shape[3], view.shape[2] * view.shape[3], view.shape[3], 1};
  run_parts(workers, view.shape[0] * view.shape[1], [&](std::int64_t part) {
    const std::int64_t b = part / view.shape[1];
    const std::int64_t n = part % view.shape[1];
    rows::convert_heads(view[b][n], copy[b][n]);
  });
  return copy;
}

// Returns the view itself if it can be read as Real, else a copy.
template <class Real>
ConstView readable(const ConstView& view, const Workers* workers, base::AlignedVector<Real>& memory) {
  if (view.dtype == dtype_of<Real>()) return view;
  return copied(view, workers, memory);
}

// Memory for the output of PoPE.
template <class Real>
View room_for(const ConstView& view, std::int64_t channels, base::AlignedVector<Real>& memory) {
  memory.resize(static_cast<std::size_t>(view.shape[0] * view.shape[1] * view.shape[2] * channels));
  return make_view(memory.data(), {view.shape[0], view.shape[1], view.shape[2], channels});
}

// Applies the positional encoding to queries or keys.
template <class Real>
ConstView turned(const AttendCall& call, bool keys, base::AlignedVector<Real>& memory) {
  const AttendOptions& options = call.options;
  const ConstView& given = keys ? call.k : call.q;
  const PositionView& positions = keys ? call.key_positions : call.query_positions;
  const bool expands = options.pope != nullptr;
  const View x = expands ? room_for(given, call.shape.width, memory) : copied(given, options.workers, memory);
  if (x.size() == 0) return x;
  if (expands) (keys ? pope_keys : pope_queries)(given, positions, *options.pope, x, call.pope_options(keys));
  if (options.xpos) (keys ? xpos_keys : xpos_queries)(x, positions, *options.xpos, x, {.workers = options.workers});
  if (options.rotary) {
    rotate(x, positions, *options.rotary, {.output_scale = keys ? 1.0 : call.query_factor, .workers = options.workers});
  }
  if (!keys && options.temperature) scale_queries(x, positions, *options.temperature, x, {options.workers});
  return x;
}

// Padding may contain NaN, and 0 * NaN is NaN. So rows of keys and values that no query may see are set to zero.
template <class Real>
ConstView cleared(const AttendCall& call, const ConstView& view, base::AlignedVector<Real>& memory) {
  if (!call.mask.pads()) return view;
  View copy{memory.data(), view.dtype, 4, view.shape, view.strides};
  if (memory.empty()) copy = copied(view, call.options.workers, memory);
  for (std::int64_t b = 0; b < view.shape[0]; ++b) {
    for (std::int64_t s = 0; s < view.shape[1]; ++s) {
      if (!call.mask.is_padding(b, s)) continue;
      Real* token = memory.data() + b * copy.strides[0] + s * copy.strides[1];
      std::fill_n(token, view.shape[2] * view.shape[3], Real(0));
    }
  }
  return copy;
}

}  // namespace

template <class Real>
AttendOperands<Real>::AttendOperands(const AttendCall& call)
    : shape_(call.shape), blocks_((call.shape.keys + kKeyBlock - 1) / kKeyBlock) {
  const Workers* workers = call.options.workers;
  q_ = call.changes_queries() ? turned(call, false, q_memory_) : readable(call.q, workers, q_memory_);
  k_ = call.rotate_keys ? turned(call, true, k_memory_) : readable(call.k, workers, k_memory_);
  k_ = cleared(call, k_, k_memory_);
  v_ = cleared(call, readable(call.v, workers, v_memory_), v_memory_);
  if (shape_.queries < kFewQueries) return;
  columns_.resize(static_cast<std::size_t>(shape_.batch * shape_.key_heads * blocks_ * shape_.width * kKeyBlock));
  run_parts(workers, shape_.batch * shape_.key_heads * blocks_, [&](std::int64_t part) {
    const std::int64_t block = part % blocks_;
    const std::int64_t g = part / blocks_ % shape_.key_heads;
    const HeadRows<Real> rows = keys(part / blocks_ / shape_.key_heads, g);
    kernels::transpose_block(
        kernels::TransposedBlock<Real, Real>{.rows = std::min(kKeyBlock, shape_.keys - block * kKeyBlock),
                                             .columns = shape_.width,
                                             .from = rows.row(block * kKeyBlock),
                                             .from_stride = rows.stride,
                                             .to = columns_.data() + part * shape_.width * kKeyBlock,
                                             .to_stride = kKeyBlock});
  });
}

template class AttendOperands<float>;
template class AttendOperands<double>;

}  // namespace posenc::attention
