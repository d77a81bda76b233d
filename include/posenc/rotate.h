// Rotation of queries and keys by their positions: in place or into other memory, its inverse and its gradient.
//
//     posenc::RotaryTable table(posenc::Rotary{.head_dim = 128}, 4096);
//     posenc::View q = posenc::make_view(data, {tokens, heads, 128});        // [N, H, D]; or [B, N, H, D]
//     posenc::rotate(q, posenc::PositionView::range(0, tokens), table);      // in place
//     posenc::rotate_inverse(q, posenc::PositionView::range(0, tokens), table);
//     posenc::rotate_qk({q, k}, positions, table, {.query_scale = 0.088});   // both of a layer; heads may differ
//
// Views are [N, H, D] or [B, N, H, D] of f32, f64, f16 or bf16, with any strides but for the channels: another order in
// memory is view.swap(). Positions are [N], the same for every batch row, or [B, N]; with axes [N, A] or [B, N, A].
// Arithmetic is float32 (double for f64 data) and 16-bit results are rounded once. A product is fused with the sum that
// follows where the machine can; with Precision::reference nothing is, as in PyTorch: the same bits everywhere. f64
// data need an f64 table or angles.
//
// Everything is checked before any byte is written. Input and output are identical or apart. Nothing is allocated, and
// the result does not depend on workers or strides.
#pragma once

#include <utility>
#include <variant>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/rotary_table.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

// Where cosines and sines come from: a table, or angles evaluated on the spot. It shares their numbers, so that it may
// outlive what it was made of: for options and members. A table in the caller's memory stays the caller's.
class RotarySource {
 public:
  RotarySource(RotaryTable table) : source_(std::move(table)) {}     // NOLINT: to be given as either
  RotarySource(RotaryAngles angles) : source_(std::move(angles)) {}  // NOLINT

  const RotaryTable* table() const noexcept POSENC_LIFETIMEBOUND { return std::get_if<RotaryTable>(&source_); }
  const RotaryAngles& angles() const noexcept POSENC_LIFETIMEBOUND {
    return table() ? table()->angles() : *std::get_if<RotaryAngles>(&source_);
  }
  const RotarySchedule& schedule() const noexcept POSENC_LIFETIMEBOUND { return angles().schedule(); }

 private:
  std::variant<RotaryTable, RotaryAngles> source_;
};

// The same for the time of a call, without counting who shares: what functions take. What it was made of must live.
class RotaryView {
 public:
  RotaryView(const RotaryTable& table POSENC_LIFETIMEBOUND) noexcept  // NOLINT: to be passed as any of them
      : table_(&table), angles_(&table.angles()) {}
  RotaryView(const RotaryAngles& angles POSENC_LIFETIMEBOUND) noexcept : angles_(&angles) {}  // NOLINT
  RotaryView(const RotarySource& source POSENC_LIFETIMEBOUND) noexcept                        // NOLINT
      : table_(source.table()), angles_(&source.angles()) {}

  const RotaryTable* table() const noexcept { return table_; }  // null: evaluate
  const RotaryAngles& angles() const noexcept { return *angles_; }
  const RotarySchedule& schedule() const noexcept { return angles_->schedule(); }

 private:
  const RotaryTable* table_ = nullptr;
  const RotaryAngles* angles_;
};

struct RotateOptions {
  double output_scale = 1.0;         // multiplies every channel of the output, those outside the window too
  const Workers* workers = nullptr;  // null: the calling thread alone
};

// Turns every head of every token by its position. An attention factor in the table is part of the cosines and sines;
// one in the query is not applied here, for a view may be keys as well: rotate_qk does, or pass it as output_scale.
POSENC_API void rotate(const View& x, const PositionView& positions, const RotaryView& source,
                       const RotateOptions& options = {});
POSENC_API void rotate(const ConstView& x, const PositionView& positions, const RotaryView& source, const View& out,
                       const RotateOptions& options = {});

// Undoes rotate, to rounding: turns back, divides by the factor in the table, and puts channels where they were.
// output_scale multiplies here too: to undo a scale, give its reciprocal. A layout that is no rotation is an error.
POSENC_API void rotate_inverse(const View& x, const PositionView& positions, const RotaryView& source,
                               const RotateOptions& options = {});
POSENC_API void rotate_inverse(const ConstView& x, const PositionView& positions, const RotaryView& source,
                               const View& out, const RotateOptions& options = {});

// The gradient of rotate by its input: the transpose, so turns back but multiplies by the factor in the table. Give it
// the options of the forward call.
POSENC_API void rotate_backward(const View& gradient, const PositionView& positions, const RotaryView& source,
                                const RotateOptions& options = {});
POSENC_API void rotate_backward(const ConstView& grad_out, const PositionView& positions, const RotaryView& source,
                                const View& grad_in, const RotateOptions& options = {});

// The queries and keys of a layer: the same tokens, of one dtype; their numbers of heads may differ. They may be heads
// of one buffer, as a projection of both at once leaves them.
struct QueryKey {
  View query;
  View key;
};
struct ConstQueryKey {
  ConstView query;
  ConstView key;
};

struct QueryKeyOptions {
  double query_scale = 1.0;  // multiplies every channel of the queries, beside the factor in the query, if any
  double key_scale = 1.0;
  const Workers* workers = nullptr;
};

// rotate of both in one call, token by token.
POSENC_API void rotate_qk(const QueryKey& x, const PositionView& positions, const RotaryView& source,
                          const QueryKeyOptions& options = {});
POSENC_API void rotate_qk(const ConstQueryKey& x, const PositionView& positions, const RotaryView& source,
                          const QueryKey& out, const QueryKeyOptions& options = {});
POSENC_API void rotate_qk_backward(const QueryKey& gradient, const PositionView& positions, const RotaryView& source,
                                   const QueryKeyOptions& options = {});

}  // namespace posenc
