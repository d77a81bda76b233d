#include "posenc/rotate_channels.h"

#include <string>

#include "core/base/float_types.h"
#include "core/base/refuse.h"
#include "core/rotation/channel_head.h"
#include "core/rotation/rotate_checks.h"
#include "core/spec/rotary_window.h"

namespace posenc {
namespace {

void check_table(const ConstView& table, const char* name, const rotation::HeadViews& heads, std::string_view where) {
  const rotation::HeadGrid grid = rotation::grid_of_heads(heads.in);
  base::check_view(table,
                   {.dtypes = base::kReals, .shape = {grid.batch, grid.tokens, "R"}, .batch = base::Batch::optional},
                   where, name);
  base::check_apart({heads.out_name, heads.out}, {name, table}, where);
}

void check(const rotation::HeadViews& heads, const ChannelTables& tables, std::string_view where) {
  rotation::check_heads(heads, "D", where);
  const std::int64_t head_dim = heads.in.shape[static_cast<std::size_t>(heads.in.rank) - 1];
  if (head_dim < 2 || head_dim > spec::kMaxHeadDim) {
    base::refuse(where, heads.in_name, " must have heads of 2 to 8192 channels but is ", shape_text(heads.in));
  }
  check_table(tables.cos, "cos", heads, where);
  check_table(tables.sin, "sin", heads, where);
  const std::int64_t width = tables.cos.shape[static_cast<std::size_t>(tables.cos.rank) - 1];
  if (tables.cos.rank != tables.sin.rank || tables.cos.shape != tables.sin.shape) {
    base::refuse(where, "cos and sin must have the same shape but are ", shape_text(tables.cos), " and ",
                 shape_text(tables.sin));
  }
  if (width < 2 || width % 2 != 0) {
    base::refuse(where, "cos must have an even number of channels but is ", shape_text(tables.cos));
  }
  base::require(tables.first_channel >= 0 && tables.first_channel <= head_dim - width, where,
                "the window must be inside the head of ", head_dim, " channels but has ", width,
                " channels starting at ", tables.first_channel);
  base::require(tables.layout >= Layout::half && tables.layout <= Layout::interleaved_pairs_with_halves_tiling_per_axis,
                where, "layout must be one of Layout");
  const bool cut = tables.layout == Layout::half_per_axis;
  base::require(tables.parts >= 1 && tables.parts <= (cut ? width / 2 : 1) && width % (2 * tables.parts) == 0, where,
                "parts must be 1, or with half_per_axis a divisor of the number of pairs, but got ", tables.parts);
}

template <class AnyView>
AnyView token_of(const AnyView& view, bool batched, std::int64_t b, std::int64_t n) {
  return batched ? view[b][n] : view[n];
}

template <class T, class Table>
void turn_all(const ConstView& x, const ChannelTables& tables, const View& out, const rotation::ChannelRule& rule) {
  const rotation::HeadGrid grid = rotation::grid_of_heads(x);
  const rotation::ChannelHead<T> head(rule);
  for (std::int64_t b = 0; b < grid.batch; ++b) {
    for (std::int64_t n = 0; n < grid.tokens; ++n) {
      const Table* cos = token_of(tables.cos, tables.cos.rank == 3, b, n).template as<Table>();
      const Table* sin = token_of(tables.sin, tables.sin.rank == 3, b, n).template as<Table>();
      const ConstView in = token_of(x, x.rank == 4, b, n);
      const View to = token_of(out, x.rank == 4, b, n);
      for (std::int64_t h = 0; h < grid.heads; ++h) head.turn(cos, sin, in[h].template as<T>(), to[h].template as<T>());
    }
  }
}

void run(const ConstView& x, const ChannelTables& tables, const View& out, bool backward) {
  if (backward) {
    check({x, out, "grad_out", "grad_in"}, tables, "rotate_channels_backward");
  } else {
    check({x, out}, tables, "rotate_channels");
  }
  if (x.size() == 0) return;
  const auto last = static_cast<std::size_t>(x.rank) - 1;
  const rotation::ChannelRule rule{.head_dim = x.shape[last],
                                   .first_channel = tables.first_channel,
                                   .pairs = tables.cos.shape[static_cast<std::size_t>(tables.cos.rank) - 1] / 2,
                                   .layout = tables.layout,
                                   .parts = tables.parts,
                                   .backward = backward,
                                   .scale = 1.0};
  base::with_float_type(x.dtype, [&](auto type) {
    const bool wide = tables.cos.dtype == DType::f64;
    if (wide) turn_all<decltype(type), double>(x, tables, out, rule);
    if (!wide) turn_all<decltype(type), float>(x, tables, out, rule);
  });
}

}  // namespace

void rotate_channels(const ConstView& x, const ChannelTables& tables, const View& out) { run(x, tables, out, false); }

void rotate_channels_backward(const ConstView& grad_out, const ChannelTables& tables, const View& grad_in) {
  run(grad_out, tables, grad_in, true);
}

}  // namespace posenc
