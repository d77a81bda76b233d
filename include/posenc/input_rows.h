// The source of an input encoding's rows: a table, a schedule, a learned table, a fixed plus a learned one, or several
// side by side for several axes.
//
//     posenc::InputRows a = posenc::FixedRows{table.view()};               // row p of an existing table
//     posenc::InputRows b = posenc::StreamedRows{&schedule};               // computed when needed: constant memory
//     posenc::InputRows c = posenc::LearnedRows{spec, weights};            // [R, M], rows chosen by the spec's rule
//     posenc::InputRows d = posenc::HybridRows{posenc::StreamedRows{&schedule}, {spec, weights}};
//     posenc::InputRows e = posenc::concat_rows(concat, concat_schedule, tables);     // [row | column] of an image
//     posenc::fill_rows(c, positions, out);                                // posenc/embed.h adds them to embeddings
//
// Rows are views: what they point to must outlive them (rows of a posenc::Table keep its memory alive). Table rows and
// streamed rows of the same spec have the same bits in the table's dtype.
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

// Position p reads row p - start of the table, [R, M] of any float dtype; rows may be strided. A position without a row
// is an error.
struct FixedRows {
  ConstView table;
  std::int64_t start = 0;                   // within +-(2^31 - 1), like positions
  std::shared_ptr<const void> memory = {};  // keeps the table's memory alive; null: the caller does
};

// Rows computed from a schedule, at integer or real positions.
struct StreamedRows {
  const SinusoidalSchedule* schedule = nullptr;
};

// A learned table, [R, M] of any float dtype; rows may be strided. posenc/learned.h says which rows a position reads.
// If the spec gives a width or a number of rows, the table must match.
struct LearnedRows {
  Learned spec;
  ConstView table;
};

// The sum of both, computed in double and rounded once.
struct HybridRows {
  std::variant<FixedRows, StreamedRows> fixed;
  LearnedRows learned;
};

// Rows side by side; each part reads one axis of the positions. To compute the gradient of a learned part, take its
// columns of the row's gradient, and positions.axis(a).
struct ConcatRows {
  struct Part {
    std::int64_t axis = 0;
    std::variant<FixedRows, StreamedRows, LearnedRows> rows;
  };
  std::vector<Part> parts;
  std::int64_t axes = 0;   // of positions; 0: the largest axis of a part, plus 1
  std::int64_t width = 0;  // 0: the total of all parts; a smaller width cuts the row, a larger one pads it with zeros
  std::shared_ptr<const ConcatSchedule> schedule = {};  // keeps the schedule alive; null: the caller does
};

// Fourier features at integer or real positions, on the schedule's axes.
struct FourierRows {
  const FourierSchedule* schedule = nullptr;
};

using InputRows = std::variant<FixedRows, StreamedRows, LearnedRows, HybridRows, ConcatRows, FourierRows>;

// Returns the rows of a concat: `schedule` is the schedule of the spec, and `tables` has one table per learned part, in
// order. A temporary schedule is moved into the rows.
POSENC_API ConcatRows concat_rows(const Concat& spec, const ConcatSchedule& schedule POSENC_LIFETIMEBOUND,
                                  std::span<const ConstView> tables = {});
POSENC_API ConcatRows concat_rows(const Concat& spec, ConcatSchedule&& schedule,
                                  std::span<const ConstView> tables = {});

// Returns the number of coordinates of a position: several for concat and Fourier rows, else 1.
POSENC_API std::int64_t axes_of(const InputRows& rows);

// Returns M. Throws if the rows themselves are invalid, as check_rows does.
POSENC_API std::int64_t width_of(const InputRows& rows);

// Throws if a position has no row: a negative id for a learned table, a position outside a table, a shape that does not
// fit. Messages begin with [where]. Every operation that takes rows calls it before it writes.
POSENC_API void check_rows(const InputRows& rows, const PositionView& positions, std::string_view where);

// Writes one row per position: out is [N, M] or [B, N, M] of f32, f64, f16 or bf16, rounded as by fill_table. It must
// not overlap what is read.
POSENC_API void fill_rows(const InputRows& rows, const PositionView& positions, const View& out);

}  // namespace posenc
