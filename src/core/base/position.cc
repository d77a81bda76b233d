#include "posenc/position.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/refuse.h"
#include "core/text/number_text.h"
#include "posenc/error.h"

namespace posenc {
namespace {

PositionView ids_view(PositionView::Source source, const void* data, std::int64_t count) {
  PositionView view;
  view.source = source;
  view.data = data;
  view.count = count;
  return view;
}

// Advances a pointer by `by` numbers. A range has no memory, and a view without positions may have none.
const void* moved(const void* data, PositionView::Source source, std::int64_t by) noexcept {
  if (data == nullptr || source == PositionView::Source::range) return data;
  const std::int64_t size = source == PositionView::Source::i32 ? sizeof(std::int32_t) : sizeof(std::int64_t);
  return static_cast<const char*>(data) + by * size;
}

[[noreturn]] void fail_range(std::string_view where, const std::string& got) {
  base::refuse_input(where, "positions must be from -2147483647 to 2147483647 but got ", got);
}

void check_integer(std::int64_t value, std::string_view where) {
  if (value < -kMaxPosition || value > kMaxPosition) fail_range(where, std::to_string(value));
}

void check_real(double value, std::string_view where) {
  // Negated so that NaN fails too.
  if (!(std::fabs(value) <= static_cast<double>(kMaxPosition))) fail_range(where, text::number_text(value));
}

// A view of tuples, axes last.
template <class T>
PositionView tuples_view(const std::vector<T>& values, std::int64_t axes) {
  const auto count = static_cast<std::int64_t>(values.size());
  base::require(axes >= 1 && count % axes == 0, "Positions", "the number of values must be a multiple of ", axes,
                " axes but is ", count);
  PositionView view = PositionView::of(values.data(), count / axes);
  view.axes = view.token_stride = axes;
  return view;
}

void check_range(const PositionView& positions, std::string_view where) {
  if (positions.count == 0) return;
  std::int64_t last = 0;
  const bool overflow = __builtin_mul_overflow(positions.count - 1, positions.step, &last) ||
                        __builtin_add_overflow(last, positions.start, &last);
  check_integer(positions.start, where);
  if (overflow) {
    fail_range(where, std::to_string(positions.count) + " positions in steps of " + std::to_string(positions.step));
  }
  check_integer(last, where);
}

}  // namespace

PositionView PositionView::of(const std::int32_t* ids, std::int64_t count) { return ids_view(Source::i32, ids, count); }
PositionView PositionView::of(const std::int64_t* ids, std::int64_t count) { return ids_view(Source::i64, ids, count); }
PositionView PositionView::of(const double* ids, std::int64_t count) { return ids_view(Source::f64, ids, count); }

std::int64_t PositionView::integer(std::int64_t b, std::int64_t n, std::int64_t a) const noexcept {
  const std::int64_t index = b * batch_stride + n * token_stride + a * axis_stride;
  switch (source) {
    case Source::i32:
      return static_cast<const std::int32_t*>(data)[index];
    case Source::i64:
      return static_cast<const std::int64_t*>(data)[index];
    case Source::range:
    case Source::f64:
      break;
  }
  return start + n * step;
}

double PositionView::real(std::int64_t b, std::int64_t n, std::int64_t a) const noexcept {
  if (integral()) return static_cast<double>(integer(b, n, a));
  return static_cast<const double*>(data)[b * batch_stride + n * token_stride + a * axis_stride];
}

PositionView PositionView::axis(std::int64_t a) const noexcept {
  PositionView view = *this;
  view.axes = 1;
  view.axis_stride = 1;
  view.data = moved(data, source, a * axis_stride);
  return view;
}

PositionView PositionView::slice(std::int64_t first, std::int64_t length) const noexcept {
  PositionView view = *this;
  view.count = length;
  if (source == Source::range) view.start = start + first * step;
  view.data = moved(data, source, first * token_stride);
  return view;
}

void check_positions(const PositionView& positions, std::string_view where) {
  const base::Refusal refuse{where, ErrorKind::usage, "positions "};
  refuse.unless(positions.count >= 0 && positions.batch >= 0 && positions.axes >= 1,
                "must have a count of at least 0 and at least 1 axis");
  const int source = static_cast<int>(positions.source);
  refuse.unless(source >= 0 && source <= static_cast<int>(PositionView::Source::f64),
                "must be a range, i32, i64 or f64 but their source is ", source);
  if (positions.source == PositionView::Source::range) return check_range(positions, where);
  refuse.unless(positions.data != nullptr || positions.count == 0 || positions.batch == 0,
                "must not be null but there are ", positions.count);
  for (std::int64_t b = 0; b < positions.batch; ++b) {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      for (std::int64_t a = 0; a < positions.axes; ++a) {
        if (positions.integral()) {
          check_integer(positions.integer(b, n, a), where);
        } else {
          check_real(positions.real(b, n, a), where);
        }
      }
    }
  }
}

Positions Positions::range(std::int64_t start, std::int64_t count, std::int64_t step) {
  Positions result;
  result.view_ = PositionView::range(start, count, step);
  return result;
}

Positions Positions::integers(std::vector<std::int64_t> values, std::int64_t axes) {
  Positions result;
  result.view_ = tuples_view(values, axes);
  result.integers_ = std::move(values);
  return result;
}

Positions Positions::reals(std::vector<double> values, std::int64_t axes) {
  Positions result;
  result.view_ = tuples_view(values, axes);
  result.reals_ = std::move(values);
  return result;
}

PositionView Positions::view() const noexcept {
  // The pointer is taken anew each time: a copy of this object has numbers of its own.
  PositionView view = view_;
  if (view.source == PositionView::Source::i64) view.data = integers_.data();
  if (view.source == PositionView::Source::f64) view.data = reals_.data();
  return view;
}

KeptPositions::KeptPositions(Positions&& positions) : kept_(std::make_shared<const Positions>(std::move(positions))) {
  static_cast<PositionView&>(*this) = kept_->view();
}

}  // namespace posenc
