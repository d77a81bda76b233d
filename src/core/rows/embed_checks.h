// Checks and helpers of adding and concatenating positions, forward and backward.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/rows/columns.h"
#include "posenc/embed.h"

namespace posenc::rows {

enum class Join { add, concat };

// The number of tokens, [B, N]; a view [N, M] counts as one batch row.
struct TokenGrid {
  std::int64_t batch = 1;
  std::int64_t count = 0;

  std::int64_t lines() const noexcept { return batch * count; }
};

// The row of token n in batch row b of a view [N, M] or [B, N, M].
template <class AnyView>
AnyView row_at(const AnyView& view, std::int64_t b, std::int64_t n) {
  return view.rank == 3 ? view[b][n] : view[n];
}

std::int64_t channels_of(const ConstView& view);
TokenGrid grid_of(const ConstView& view);

// Whether all batch rows have the same positions.
inline bool is_shared(const PositionView& positions) {
  return positions.batch == 1 || positions.batch_stride == 0 || positions.source == PositionView::Source::range;
}

// Throws unless out = join(x, rows at positions) is possible: checks shapes, dtypes, overlap, rows and options.
void check_forward(Join join, const ConstView& x, const PositionView& positions, const InputRows& rows, const View& out,
                   const EmbedOptions& options);

// The same for gradients.
void check_backward(Join join, const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                    const EmbedGradients& gradients, const EmbedOptions& options);

// Return the learned part of the rows and the schedule of their streamed part, or null if there is no such part.
const LearnedRows* learned_of(const InputRows& rows);
const SinusoidalSchedule* schedule_of(const InputRows& rows);

}  // namespace posenc::rows
