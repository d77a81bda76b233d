#include "core/rows/embed_checks.h"

#include <cmath>
#include <string>

#include "core/base/check_view.h"
#include "core/base/memory_overlap.h"
#include "core/rows/check_rows.h"
#include "core/rows/dropout_rows.h"

namespace posenc::rows {
namespace {

using base::NamedView;
using base::refuse;

// Throws unless the view is [N, M] or [B, N, M] of any float dtype.
void check_tokens(const ConstView& view, std::string_view where, std::string_view name) {
  base::check_view(view, {.shape = {"B", "N", "M"}, .batch = base::Batch::optional}, where, name);
}

// A gradient is written while positions, tables and earlier gradients are still read, so it must not overlap them.
void check_gradient(const NamedView& written, const PositionView& positions, const InputRows& rows,
                    std::string_view where) {
  base::check_apart(written, positions, where);
  check_apart(rows, written, where);
}

void check_options(const EmbedOptions& options, const ConstView& data, std::string_view where) {
  base::require(std::isfinite(options.scale), where, "scale must be finite but got ", options.scale);
  // Except for f64 data, the arithmetic is float32, in which a larger scale would be infinite.
  base::require(data.dtype == DType::f64 || std::fabs(options.scale) <= 0x1.fffffep127, where,
                "scale must be finite in float32 for ", to_text(data.dtype), " data but got ", options.scale);
  const TokenGrid grid = grid_of(data);
  check_dropout(options.dropout, grid.batch, grid.count, where);
}

void check_input_gradient(Join join, const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                          const View& gradient, std::string_view where) {
  const std::int64_t width = join == Join::add ? channels_of(grad_out) : channels_of(grad_out) - width_of(rows);
  const NamedView written{"the gradient of the input", gradient};
  base::check_view(gradient,
                   {.dtypes = grad_out.dtype,
                    .shape = base::shape_of(grad_out).with_last(width),
                    .use = base::Use::write,
                    .like = "grad_out"},
                   where, written.name);
  if (!base::same_memory(gradient, columns(grad_out, 0, width))) {
    base::check_in_place_or_apart(written, {"grad_out", grad_out}, where);
  }
  check_gradient(written, positions, rows, where);
}

void check_learned_gradient(const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                            const EmbedGradients& gradients, std::string_view where) {
  const LearnedRows* learned = learned_of(rows);
  base::require(learned, where, "a gradient of the learned table needs learned rows");
  const NamedView written{"the gradient of the learned table", gradients.learned};
  base::check_view(gradients.learned,
                   {.dtypes = base::kReals, .shape = base::shape_of(learned->table), .use = base::Use::write}, where,
                   written.name);
  base::check_apart(written, {"grad_out", grad_out}, where);
  check_gradient(written, positions, rows, where);
  base::check_apart(written, {"the gradient of the input", gradients.input}, where);
}

void check_frequency_gradient(const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                              const EmbedGradients& gradients, std::string_view where) {
  const SinusoidalSchedule* schedule = schedule_of(rows);
  base::require(schedule, where, "a gradient of inv_freq needs streamed rows");
  if (gradients.inv_freq.size() != schedule->inv_freq.size()) {
    refuse(where, "the gradient of inv_freq must have one number per pair, ", schedule->inv_freq.size(), ", but has ",
           gradients.inv_freq.size());
  }
  const auto count = static_cast<std::int64_t>(gradients.inv_freq.size());
  const NamedView written{"the gradient of inv_freq", make_view(gradients.inv_freq.data(), {count})};
  check_gradient(written, positions, rows, where);
  for (const NamedView& other : {NamedView{"grad_out", grad_out},
                                 {"the gradient of the input", gradients.input},
                                 {"the gradient of the learned table", gradients.learned},
                                 {"the frequencies", make_view(schedule->inv_freq.data(), {count})}}) {
    base::check_apart(written, other, where);
  }
}

}  // namespace

std::int64_t channels_of(const ConstView& view) {
  return view.rank < 1 ? 0 : view.shape[static_cast<std::size_t>(view.rank) - 1];
}

TokenGrid grid_of(const ConstView& view) {
  return view.rank == 3 ? TokenGrid{view.shape[0], view.shape[1]} : TokenGrid{1, view.shape[0]};
}

const LearnedRows* learned_of(const InputRows& rows) {
  if (const auto* hybrid = std::get_if<HybridRows>(&rows)) return &hybrid->learned;
  return std::get_if<LearnedRows>(&rows);
}

const SinusoidalSchedule* schedule_of(const InputRows& rows) {
  const StreamedRows* streamed = std::get_if<StreamedRows>(&rows);
  if (const auto* hybrid = std::get_if<HybridRows>(&rows)) streamed = std::get_if<StreamedRows>(&hybrid->fixed);
  return streamed ? streamed->schedule : nullptr;
}

void check_forward(Join join, const ConstView& x, const PositionView& positions, const InputRows& rows, const View& out,
                   const EmbedOptions& options) {
  const std::string_view where = join == Join::add ? "add_positions" : "concat_positions";
  check_rows(rows, positions, where);
  check_tokens(x, where, "x");
  const std::int64_t width = width_of(rows);
  if (join == Join::add && channels_of(x) != width) {
    refuse(where, "x must have the width of the rows, ", width, ", but is ", shape_text(x));
  }
  const std::int64_t out_width = join == Join::add ? width : channels_of(x) + width;
  check_row_output(positions, out_width, out, where);
  base::check_view(x, {.dtypes = out.dtype, .shape = base::shape_of(out).with_last(channels_of(x)), .like = "out"},
                   where, "x");
  if (!base::same_memory(x, columns(ConstView(out), 0, channels_of(x)))) {
    base::check_in_place_or_apart({"out", out}, {"x", x}, where);
  }
  check_apart(rows, {"out", out}, where);
  check_options(options, out, where);
}

void check_backward(Join join, const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                    const EmbedGradients& gradients, const EmbedOptions& options) {
  const std::string_view where = join == Join::add ? "add_positions_backward" : "concat_positions_backward";
  check_rows(rows, positions, where);
  check_tokens(grad_out, where, "grad_out");
  const std::int64_t width = width_of(rows);
  const std::int64_t channels = channels_of(grad_out);
  if (join == Join::add ? channels != width : channels < width) {
    refuse(where, "grad_out must have ", join == Join::add ? "" : "at least ", "the width of the rows, ", width,
           ", but is ", shape_text(grad_out));
  }
  const TokenGrid grid = grid_of(grad_out);
  if (grid.count != positions.count || (positions.batch != 1 && positions.batch != grid.batch)) {
    refuse(where, "grad_out must have a row per position, [", positions.batch, ", ", positions.count, "], but is ",
           shape_text(grad_out));
  }
  check_options(options, grad_out, where);
  if (gradients.input.rank > 0) check_input_gradient(join, grad_out, positions, rows, gradients.input, where);
  if (gradients.learned.rank > 0) check_learned_gradient(grad_out, positions, rows, gradients, where);
  if (!gradients.inv_freq.empty()) check_frequency_gradient(grad_out, positions, rows, gradients, where);
}

}  // namespace posenc::rows
