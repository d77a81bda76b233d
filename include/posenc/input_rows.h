// Where the rows of an encoding at the input come from: a table, a schedule, a learned table, fixed plus learned, or
// parts of several axes.
//
//     posenc::InputRows a = posenc::FixedRows{table.view()};               // row p of a table made before
//     posenc::InputRows b = posenc::StreamedRows{&schedule};               // made as they are needed: constant memory
//     posenc::InputRows c = posenc::LearnedRows{spec, weights};            // [R, M], looked up by the spec's rule
//     posenc::InputRows d = posenc::HybridRows{posenc::StreamedRows{&schedule}, {spec, weights}};
//     posenc::InputRows e = posenc::concat_rows(concat, concat_schedule, tables);     // [row | column] of an image
//     posenc::fill_rows(c, positions, out);                                // posenc/embed.h adds them to embeddings
//
// They are views: what they point to must outlive them (rows of a posenc::Table keep its memory). Table and streamed
// rows of the same spec are the same numbers, bit for bit, in the table's dtype.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

// Position p is row p - start of the table, [R, M] of any float type, rows may be strided. Positions without a row are
// errors.
struct FixedRows {
  ConstView table;
  std::int64_t start = 0;                   // within +-(2^31 - 1), as positions are
  std::shared_ptr<const void> memory = {};  // kept while the rows are; none: the caller's
};

// A schedule's rows at any positions, integers or real numbers.
struct StreamedRows {
  const SinusoidalSchedule* schedule = nullptr;
};

// A learned table, [R, M] of any float type, rows may be strided; posenc/learned.h says which rows a position reads.
// Where the spec has a width or rows, they must be the table's.
struct LearnedRows {
  Learned spec;
  ConstView table;
};

// The sum of both, in double, rounded once.
struct HybridRows {
  std::variant<FixedRows, StreamedRows> fixed;
  LearnedRows learned;
};

// Rows side by side, each read at one axis of the positions. For the gradient of a learned part, take its columns of
// the gradient of the row and positions.axis(a).
struct ConcatRows {
  struct Part {
    std::int64_t axis = 0;
    std::variant<FixedRows, StreamedRows, LearnedRows> rows;
  };
  std::vector<Part> parts;
  std::int64_t axes = 0;   // of positions; 0: one more than the largest axis of a part
  std::int64_t width = 0;  // 0: that of all parts; less cuts the row, more ends it in zeros
  std::shared_ptr<const ConcatSchedule> schedule = {};  // kept while the rows are; none: the caller's
};

// Fourier features at positions on the schedule's axes, integers or real numbers.
struct FourierRows {
  const FourierSchedule* schedule = nullptr;
};

using InputRows = std::variant<FixedRows, StreamedRows, LearnedRows, HybridRows, ConcatRows, FourierRows>;

// The rows of a concat: `schedule` is that of the spec, `tables` has one table per learned part, in their order. A
// temporary schedule is kept in the rows.
POSENC_API ConcatRows concat_rows(const Concat& spec, const ConcatSchedule& schedule POSENC_LIFETIMEBOUND,
                                  std::span<const ConstView> tables = {});
POSENC_API ConcatRows concat_rows(const Concat& spec, ConcatSchedule&& schedule,
                                  std::span<const ConstView> tables = {});

// How many coordinates a position has: those of concat and Fourier rows, 1 of every other.
POSENC_API std::int64_t axes_of(const InputRows& rows);

// M; throws what check_rows throws of the rows themselves.
POSENC_API std::int64_t width_of(const InputRows& rows);

// Throws unless every position has a row: no negative ids where a learned table is read, none outside a table, no
// shapes that do not fit. `where` opens the message. Every operation that takes rows calls it before it writes.
POSENC_API void check_rows(const InputRows& rows, const PositionView& positions, std::string_view where);

// Writes one row per position: out is [N, M] or [B, N, M] of f32, f64, f16 or bf16, as fill_table does, and apart from
// what is read.
POSENC_API void fill_rows(const InputRows& rows, const PositionView& positions, const View& out);

}  // namespace posenc
