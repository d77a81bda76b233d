// Positions as text: if a text parses, its positions are in range, and they print as a text with the same positions.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz.h"
#include "posenc/position.h"

namespace {

// "9999x9999" takes a gigabyte, as documented, and would only measure the allocator. So grids whose number of cells has
// five digits or more are skipped.
bool is_large_grid(std::string_view input) {
  constexpr double kMaxCells = 10000.0;
  double cells = 1.0;
  for (std::size_t start = 0; start < input.size();) {
    const std::string part(input.substr(start, input.find('x', start) - start));
    cells *= std::strtod(part.c_str(), nullptr);
    start += part.size() + 1;
  }
  return input.find('x') != std::string_view::npos && cells > kMaxCells;
}

bool is_large_real_range(std::string_view input) {
  constexpr double kMaxCount = 100000.0;
  const std::string text(input);
  char* next = nullptr;
  const double start = std::strtod(text.c_str(), &next);
  if (*next != ':') return false;
  const double end = std::strtod(next + 1, &next);
  const double step = *next == ':' ? std::strtod(next + 1, nullptr) : 1.0;
  const bool real = text.find_first_not_of("-0123456789:") != std::string::npos;
  return real && !((end - start) / step < kMaxCount);
}

bool same(const posenc::PositionView& a, const posenc::PositionView& b) {
  if (a.count != b.count || a.axes != b.axes || a.integral() != b.integral()) return false;
  for (std::int64_t n = 0; n < a.count; ++n) {
    for (std::int64_t axis = 0; axis < a.axes; ++axis) {
      if (a.real(0, n, axis) != b.real(0, n, axis)) return false;
    }
  }
  return true;
}

}  // namespace

void fuzz(std::string_view input) {
  if (is_large_grid(input) || is_large_real_range(input)) return;
  const posenc::Positions positions = posenc::parse_positions(input);
  require(positions.count() > 0 && positions.axes() > 0, "there are no positions");
  require(accepted([&] { posenc::check_positions(positions, "fuzz"); }), "a position is out of range");
  if (positions.count() > 1000) return;
  const std::string text = posenc::to_text(positions.view());
  require(accepted([&] {
            const posenc::Positions back = posenc::parse_positions(text);
            require(same(positions.view(), back.view()), "the positions changed");
          }),
          "the printed text does not parse");
}
