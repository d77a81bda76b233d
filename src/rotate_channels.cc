#include "posenc/rotate_channels.h"

#include <string>
#include <type_traits>

#include "detail/float_types.h"
#include "detail/memory_overlap.h"
#include "detail/rotary_window.h"
#include "detail/rotate_checks.h"
#include "posenc/error.h"

namespace posenc {
namespace {

// Where pair i lies in the window before and after.
struct Pair {
  std::int64_t read_first, read_second;
  std::int64_t write_first, write_second;
};

Pair pair_at(Layout layout, std::int64_t pairs, std::int64_t parts, std::int64_t i) {
  const std::int64_t in_part = pairs / parts;
  const std::int64_t first = i / in_part * 2 * in_part + i % in_part;
  if (layout == Layout::interleaved) return {2 * i, 2 * i + 1, 2 * i, 2 * i + 1};
  if (layout == Layout::interleaved_to_half) return {2 * i, 2 * i + 1, i, i + pairs};
  return {first, first + in_part, first, first + in_part};
}

double number_at(const ConstView& row, std::int64_t channel) {
  return row.dtype == DType::f64 ? row.as<double>()[channel] : static_cast<double>(row.as<float>()[channel]);
}

// One head: cosines and sines belong to the channel that is written.
template <class T>
class HeadOfChannels {
 public:
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

  HeadOfChannels(const ChannelTables& tables, std::int64_t head_dim, bool backward)
      : tables_(tables),
        head_dim_(head_dim),
        pairs_(tables.cos.shape[static_cast<std::size_t>(tables.cos.rank) - 1] / 2),
        backward_(backward) {}

  void turn(const ConstView& cos, const ConstView& sin, const T* in, T* out) const {
    Real result[detail::kMaxHeadDim];
    for (std::int64_t c = 0; c < head_dim_; ++c) result[c] = static_cast<Real>(detail::widen(in[c]));
    for (std::int64_t i = 0; i < pairs_; ++i) turn_pair(cos, sin, i, in, result);
    for (std::int64_t c = 0; c < head_dim_; ++c) out[c] = detail::narrow<T>(static_cast<double>(result[c]));
  }

 private:
  void turn_pair(const ConstView& cos, const ConstView& sin, std::int64_t i, const T* in, Real* result) const {
    const Pair pair = pair_at(tables_.layout, pairs_, tables_.parts, i);
    const auto c1 = static_cast<Real>(number_at(cos, pair.write_first));
    const auto c2 = static_cast<Real>(number_at(cos, pair.write_second));
    const Real sign = tables_.layout == Layout::half_negative ? Real(-1) : Real(1);
    const Real s1 = sign * static_cast<Real>(number_at(sin, pair.write_first));
    const Real s2 = sign * static_cast<Real>(number_at(sin, pair.write_second));
    const auto value = [&](std::int64_t channel) {
      return static_cast<Real>(detail::widen(in[tables_.rope_offset + channel]));
    };
    if (backward_) {
      const Real a = value(pair.write_first);
      const Real b = value(pair.write_second);
      result[tables_.rope_offset + pair.read_first] = a * c1 + b * s2;
      result[tables_.rope_offset + pair.read_second] = b * c2 - a * s1;
    } else {
      const Real a = value(pair.read_first);
      const Real b = value(pair.read_second);
      result[tables_.rope_offset + pair.write_first] = a * c1 - b * s1;
      result[tables_.rope_offset + pair.write_second] = b * c2 + a * s2;
    }
  }

  const ChannelTables& tables_;
  std::int64_t head_dim_;
  std::int64_t pairs_;
  bool backward_;
};

void check_table(const ConstView& table, const char* name, const ConstView& x, const View& out,
                 std::string_view where) {
  const auto refuse = [&](const std::string& message) {
    fail(ErrorKind::usage, "[" + std::string(where) + "] " + name + " " + message);
  };
  const detail::HeadGrid grid = detail::grid_of_heads(x);
  const bool plain = table.rank == 2 && table.shape[0] == grid.tokens;
  const bool batched = table.rank == 3 && table.shape[0] == grid.batch && table.shape[1] == grid.tokens;
  if (!plain && !batched) {
    refuse("must be [N, R] or [B, N, R] for the tokens of " + shape_text(x) + " but is " + shape_text(table));
  }
  if (table.dtype != DType::f32 && table.dtype != DType::f64) {
    refuse("must be f32 or f64 but is " + std::string(to_text(table.dtype)));
  }
  if (table.size() == 0) return;
  if (table.data == nullptr) refuse("must not be null but has shape " + shape_text(table));
  if (table.strides[static_cast<std::size_t>(table.rank) - 1] != 1) refuse("must have contiguous channels");
  if (detail::share_memory(table, out)) refuse("must not overlap what is written");
}

void check(const ConstView& x, const ChannelTables& tables, const View& out, std::string_view where) {
  const auto refuse = [&](const std::string& message) {
    fail(ErrorKind::usage, "[" + std::string(where) + "] " + message);
  };
  if (x.rank != 3 && x.rank != 4) refuse("x must be [N, H, D] or [B, N, H, D] but is " + shape_text(x));
  const std::int64_t head_dim = x.shape[static_cast<std::size_t>(x.rank) - 1];
  if (head_dim < 2 || head_dim > detail::kMaxHeadDim) {
    refuse("x must have heads of 2 to 8192 channels but is " + shape_text(x));
  }
  detail::check_heads({x, out}, head_dim, where);
  check_table(tables.cos, "cos", x, out, where);
  check_table(tables.sin, "sin", x, out, where);
  const std::int64_t width = tables.cos.shape[static_cast<std::size_t>(tables.cos.rank) - 1];
  if (tables.cos.rank != tables.sin.rank || tables.cos.shape != tables.sin.shape) {
    refuse("cos and sin must have the same shape but are " + shape_text(tables.cos) + " and " + shape_text(tables.sin));
  }
  if (width < 2 || width % 2 != 0) refuse("cos must have an even number of channels but is " + shape_text(tables.cos));
  if (tables.rope_offset < 0 || tables.rope_offset > head_dim - width) {
    refuse("the window must lie inside the head of " + std::to_string(head_dim) + " channels but " +
           std::to_string(width) + " channels from " + std::to_string(tables.rope_offset) + " do not");
  }
  if (tables.layout < Layout::half || tables.layout > Layout::half_per_axis) {
    refuse("layout must be one of Layout");
  }
  const bool cut = tables.layout == Layout::half_per_axis;
  if (tables.parts < 1 || tables.parts > (cut ? width / 2 : 1) || width % (2 * tables.parts) != 0) {
    refuse("parts must be 1, or with half_per_axis share the pairs evenly, but got " + std::to_string(tables.parts));
  }
}

void run(const ConstView& x, const ChannelTables& tables, const View& out, bool backward) {
  check(x, tables, out, backward ? "rotate_channels_backward" : "rotate_channels");
  if (x.size() == 0) return;
  const detail::HeadGrid grid = detail::grid_of_heads(x);
  const auto token = [](const auto& view, std::int64_t b, std::int64_t n, bool batched) {
    return batched ? view[b][n] : view[n];
  };
  detail::with_float_type(x.dtype, [&](auto type) {
    using T = decltype(type);
    const HeadOfChannels<T> head(tables, x.shape[static_cast<std::size_t>(x.rank) - 1], backward);
    for (std::int64_t b = 0; b < grid.batch; ++b) {
      for (std::int64_t n = 0; n < grid.tokens; ++n) {
        const ConstView cos = token(tables.cos, b, n, tables.cos.rank == 3);
        const ConstView sin = token(tables.sin, b, n, tables.sin.rank == 3);
        const ConstView in = token(x, b, n, x.rank == 4);
        const View to = token(out, b, n, out.rank == 4);
        for (std::int64_t h = 0; h < grid.heads; ++h)
          head.turn(cos, sin, in[h].template as<T>(), to[h].template as<T>());
      }
    }
  });
}

}  // namespace

void rotate_channels(const ConstView& x, const ChannelTables& tables, const View& out) { run(x, tables, out, false); }

void rotate_channels_backward(const ConstView& grad_out, const ChannelTables& tables, const View& grad_in) {
  run(grad_out, tables, grad_in, true);
}

}  // namespace posenc
