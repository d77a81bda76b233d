#include "core/rows/embed_checks.h"

#include <cmath>
#include <string>

#include "core/base/float_types.h"
#include "core/base/memory_overlap.h"
#include "core/rows/check_rows.h"
#include "core/rows/dropout_rows.h"
#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc::rows {
namespace {

struct Checker {
  std::string where;

  [[noreturn]] void refuse(const std::string& message) const { fail(ErrorKind::usage, "[" + where + "] " + message); }

  // A view that is read: [.., M] of floats.
  void input(const ConstView& view, const std::string& name) const {
    if (view.rank != 2 && view.rank != 3) {
      refuse(name + " must be [N, M] or [B, N, M] but is " + shape_text(view));
    }
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.rank); ++axis) {
      if (view.shape[axis] < 0) refuse(name + " must have no negative length but has shape " + shape_text(view));
    }
    if (!base::is_float(view.dtype)) {
      refuse(name + " must be f32, f64, f16 or bf16 but is " + std::string(to_text(view.dtype)));
    }
    if (view.size() == 0) return;
    if (view.data == nullptr) refuse(name + " must not be null but has shape " + shape_text(view));
    const std::size_t last = static_cast<std::size_t>(view.rank) - 1;
    if (view.shape[last] > 1 && view.strides[last] != 1) {
      refuse(name + " must have contiguous channels but the stride of its last axis is " +
             std::to_string(view.strides[last]));
    }
  }

  // `narrow` has the tokens of `wide`, its dtype, and `width` channels.
  void fits(const ConstView& narrow, const std::string& name, const ConstView& wide, std::int64_t width,
            const std::string& reason) const {
    bool same = narrow.rank == wide.rank && channels_of(narrow) == width;
    for (std::size_t axis = 0; same && axis + 1 < static_cast<std::size_t>(wide.rank); ++axis) {
      same = narrow.shape[axis] == wide.shape[axis];
    }
    if (!same) {
      ConstView wanted = wide;
      wanted.shape[static_cast<std::size_t>(wide.rank) - 1] = width;
      refuse(name + " must be " + shape_text(wanted) + reason + " but is " + shape_text(narrow));
    }
    if (narrow.dtype != wide.dtype) {
      refuse(name + " must be " + std::string(to_text(wide.dtype)) + reason + " but is " +
             std::string(to_text(narrow.dtype)));
    }
  }

  void apart(const ConstView& written, const std::string& name, const ConstView& read, const std::string& other) const {
    if (base::share_memory(written, read)) refuse(name + " must not overlap " + other);
  }

  // A gradient is written while positions, tables and the gradients before it are read.
  void gradient(const ConstView& written, const std::string& name, const PositionView& positions,
                const InputRows& rows) const {
    if (base::share_memory(positions, written)) refuse(name + " must not overlap the positions");
    check_apart(rows, written, name, where);
  }

  void options(const EmbedOptions& options, const ConstView& data) const {
    if (!std::isfinite(options.scale)) refuse("scale must be finite but got " + text::number_text(options.scale));
    // Beyond the largest float it would be infinite in the arithmetic of everything but f64.
    if (data.dtype != DType::f64 && std::fabs(options.scale) > 0x1.fffffep127) {
      refuse("scale must be within float32 for " + std::string(to_text(data.dtype)) + " data but got " +
             text::number_text(options.scale));
    }
    const TokenGrid grid = grid_of(data);
    check_dropout(options.dropout, grid.batch, grid.count, where);
  }
};

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
  const Checker check{join == Join::add ? "add_positions" : "concat_positions"};
  check_rows(rows, positions, check.where);
  check.input(x, "x");
  const std::int64_t width = width_of(rows);
  if (join == Join::add && channels_of(x) != width) {
    check.refuse("x must have the width of the rows, " + std::to_string(width) + ", but is " + shape_text(x));
  }
  const std::int64_t out_width = join == Join::add ? width : channels_of(x) + width;
  check_row_output(positions, out_width, out, check.where);
  check.fits(x, "x", out, channels_of(x), ", as out is,");
  const ConstView head = columns(ConstView(out), 0, channels_of(x));
  if (!base::same_memory(x, head)) check.apart(out, "out", x, "x, but where they are the same");
  check_apart(rows, out, "out", check.where);
  check.options(options, out);
}

void check_backward(Join join, const ConstView& grad_out, const PositionView& positions, const InputRows& rows,
                    const EmbedGradients& gradients, const EmbedOptions& options) {
  const Checker check{join == Join::add ? "add_positions_backward" : "concat_positions_backward"};
  check_rows(rows, positions, check.where);
  check.input(grad_out, "grad_out");
  const std::int64_t width = width_of(rows);
  const std::int64_t channels = channels_of(grad_out);
  if (join == Join::add ? channels != width : channels < width) {
    check.refuse("grad_out must have " + std::string(join == Join::add ? "" : "at least ") + "the width of the rows, " +
                 std::to_string(width) + ", but is " + shape_text(grad_out));
  }
  const TokenGrid grid = grid_of(grad_out);
  if (grid.count != positions.count || (positions.batch != 1 && positions.batch != grid.batch)) {
    check.refuse("grad_out must have a row per position, [" + std::to_string(positions.batch) + ", " +
                 std::to_string(positions.count) + "], but is " + shape_text(grad_out));
  }
  check.options(options, grad_out);
  if (gradients.input.rank > 0) {
    const std::int64_t x_width = join == Join::add ? width : channels - width;
    check_output(gradients.input, check.where);
    check.fits(gradients.input, "the gradient of the input", grad_out, x_width, ", as grad_out is,");
    if (!base::same_memory(gradients.input, columns(grad_out, 0, x_width))) {
      check.apart(gradients.input, "the gradient of the input", grad_out, "grad_out, but where they are the same");
    }
    check.gradient(gradients.input, "the gradient of the input", positions, rows);
  }
  if (gradients.learned.rank > 0) {
    const LearnedRows* learned = learned_of(rows);
    if (!learned) check.refuse("there is no learned table to get a gradient");
    const View& out = gradients.learned;
    check_output(out, check.where);
    if (out.rank != 2 || out.shape[0] != learned->table.shape[0] || out.shape[1] != width ||
        (out.dtype != DType::f32 && out.dtype != DType::f64)) {
      check.refuse("the gradient of the learned table must be " + shape_text(learned->table) + " f32 or f64 but is " +
                   shape_text(out) + " " + std::string(to_text(out.dtype)));
    }
    check.apart(out, "the gradient of the learned table", grad_out, "grad_out");
    check.gradient(out, "the gradient of the learned table", positions, rows);
    if (gradients.input.rank > 0)
      check.apart(out, "the gradient of the learned table", gradients.input, "that of the input");
  }
  if (!gradients.inv_freq.empty()) {
    const SinusoidalSchedule* schedule = schedule_of(rows);
    if (!schedule) check.refuse("only streamed rows have frequencies that can get a gradient");
    if (gradients.inv_freq.size() != schedule->inv_freq.size()) {
      check.refuse("the gradient of inv_freq must have one number per pair, " +
                   std::to_string(schedule->inv_freq.size()) + ", but has " +
                   std::to_string(gradients.inv_freq.size()));
    }
    const std::string name = "the gradient of inv_freq";
    const View out = make_view(gradients.inv_freq.data(), {static_cast<std::int64_t>(gradients.inv_freq.size())});
    check.gradient(out, name, positions, rows);
    check.apart(out, name, grad_out, "grad_out");
    check.apart(out, name, gradients.input, "that of the input");
    check.apart(out, name, gradients.learned, "that of the learned table");
    check.apart(out, name, make_view(schedule->inv_freq.data(), {out.shape[0]}), "the frequencies");
  }
}

}  // namespace posenc::rows
