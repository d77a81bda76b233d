// Rotate queries and keys by their positions, in place or into other memory; with inverse and gradient.
//
//     posenc::RotaryTable table(posenc::Rotary{.head_dim = 128}, 4096);
//     posenc::View q = posenc::make_view(data, {tokens, heads, 128});        // [N, H, D]; or [B, N, H, D]
//     posenc::rotate(q, posenc::PositionView::range(0, tokens), table);      // in place
//     posenc::rotate_inverse(q, posenc::PositionView::range(0, tokens), table);
//     posenc::rotate_qk({q, k}, positions, table, {.query_scale = 0.088});   // queries and keys in one call
//
// Views are [N, H, D] or [B, N, H, D] of f32, f64, f16 or bf16. Channels must be contiguous, other strides are free;
// for another memory order use view.swap(). Positions are [N], shared by all batch rows, or [B, N]; with several axes
// [N, A] or [B, N, A]. Arithmetic is float32 (double for f64 data), and 16-bit results are rounded once. Products and
// sums are fused if the machine can; with Precision::reference they never are, as in PyTorch, so that the bits are the
// same everywhere. f64 data need an f64 table or angles.
//
// All arguments are checked before anything is written. Output must be the input itself or not overlap it. No memory is
// allocated; workers and strides do not change the result.
#pragma once

#include <utility>
#include <variant>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/rotary_table.h"
#include "posenc/view.h"
#include "posenc/workers.h"

namespace posenc {

// The source of cosines and sines: a table, or angles that are evaluated on demand. It shares their numbers, so it may
// outlive the object it was made from; use it for options and members. Memory of the caller is still only referred to.
class RotarySource {
 public:
  RotarySource(RotaryTable table) : source_(std::move(table)) {}     // NOLINT: implicit, from either
  RotarySource(RotaryAngles angles) : source_(std::move(angles)) {}  // NOLINT

  const RotaryTable* table() const noexcept POSENC_LIFETIMEBOUND { return std::get_if<RotaryTable>(&source_); }
  const RotaryAngles& angles() const noexcept POSENC_LIFETIMEBOUND {
    return table() ? table()->angles() : *std::get_if<RotaryAngles>(&source_);
  }
  const RotarySchedule& schedule() const noexcept POSENC_LIFETIMEBOUND { return angles().schedule(); }

 private:
  std::variant<RotaryTable, RotaryAngles> source_;
};

// The same for function parameters: refers to a table or angles without sharing ownership. They must outlive the call.
class RotaryView {
 public:
  RotaryView(const RotaryTable& table POSENC_LIFETIMEBOUND) noexcept  // NOLINT: implicit, from any of them
      : table_(&table), angles_(&table.angles()) {}
  RotaryView(const RotaryAngles& angles POSENC_LIFETIMEBOUND) noexcept : angles_(&angles) {}  // NOLINT
  RotaryView(const RotarySource& source POSENC_LIFETIMEBOUND) noexcept                        // NOLINT
      : table_(source.table()), angles_(&source.angles()) {}

  const RotaryTable* table() const noexcept { return table_; }  // null: evaluate the angles
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

// Rotates every head of every token by its position. An attention factor in the table is included in the cosines and
// sines. A factor in the query is not applied, because x may be keys: use rotate_qk, or pass it as output_scale.
POSENC_API void rotate(const View& x, const PositionView& positions, const RotaryView& source,
                       const RotateOptions& options = {});
POSENC_API void rotate(const ConstView& x, const PositionView& positions, const RotaryView& source, const View& out,
                       const RotateOptions& options = {});

// Undoes rotate, up to rounding: rotates back, divides by the factor in the table, and restores the order of channels.
// output_scale multiplies here too: to undo a scale, pass its reciprocal. Throws for a layout that is not a rotation.
POSENC_API void rotate_inverse(const View& x, const PositionView& positions, const RotaryView& source,
                               const RotateOptions& options = {});
POSENC_API void rotate_inverse(const ConstView& x, const PositionView& positions, const RotaryView& source,
                               const View& out, const RotateOptions& options = {});

// The gradient of rotate with respect to its input, which is the transpose: rotates back, but multiplies by the factor
// in the table. Pass the options of the forward call.
POSENC_API void rotate_backward(const View& gradient, const PositionView& positions, const RotaryView& source,
                                const RotateOptions& options = {});
POSENC_API void rotate_backward(const ConstView& grad_out, const PositionView& positions, const RotaryView& source,
                                const View& grad_in, const RotateOptions& options = {});

// The queries and keys of a layer: the same tokens and dtype; the number of heads may differ. They may be heads of one
// buffer, as a joint projection leaves them.
struct QueryKey {
  View query;
  View key;
};
struct ConstQueryKey {
  ConstView query;
  ConstView key;
};

struct QueryKeyOptions {
  double query_scale = 1.0;  // multiplies every channel of the queries, in addition to a factor in the query
  double key_scale = 1.0;
  const Workers* workers = nullptr;
};

// rotate for queries and keys in one call, token by token; also applies an attention factor in the query.
POSENC_API void rotate_qk(const QueryKey& x, const PositionView& positions, const RotaryView& source,
                          const QueryKeyOptions& options = {});
POSENC_API void rotate_qk(const ConstQueryKey& x, const PositionView& positions, const RotaryView& source,
                          const QueryKey& out, const QueryKeyOptions& options = {});
POSENC_API void rotate_qk_backward(const QueryKey& gradient, const PositionView& positions, const RotaryView& source,
                                   const QueryKeyOptions& options = {});

}  // namespace posenc
