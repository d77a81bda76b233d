#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/text/number_text.h"
#include "posenc/position.h"

namespace posenc {
namespace {

constexpr std::int64_t kMaxListed = std::int64_t{1} << 27;  // the most numbers that a text may expand to

[[noreturn]] void fail_text(std::string_view text, const std::string& message) {
  const std::string shown = text.size() > 60 ? std::string(text.substr(0, 57)) + "..." : std::string(text);
  base::refuse_input("parse_positions", "'", shown, "': ", message);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

// A number with its spelling: integer ("3", "-7") or real ("2.5", "1e3").
struct Number {
  double value;
  bool integer;
};

// Numbers between commas, or up to three between colons.
bool is_list_or_range(std::string_view text) {
  const bool range = text.find(':') != std::string_view::npos;
  const std::vector<std::string_view> parts = split(text, range ? ':' : ',');
  const auto is_number = [](std::string_view part) { return text::parse_number(part).has_value(); };
  return std::all_of(parts.begin(), parts.end(), is_number) && (!range || parts.size() <= 3);
}

// [0, 1, 2], 0 1 2, :4 and range(0, 8, 2) as they are written here; empty if the text is nothing of that sort.
std::string rewritten(std::string_view text) {
  const std::size_t call = text.find("range(");
  const bool range = call != std::string_view::npos;
  if (range) text.remove_prefix(call + 6);
  std::string result;
  bool gap = false;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '(' || c == ')') continue;
    if (c == ' ' || c == ',' || c == ';') {
      gap = !result.empty();
    } else {
      if (gap && result.back() != ':' && c != ':') result += range ? ':' : ',';
      gap = false;
      result += c;
    }
  }
  if (result.starts_with(':') || (range && result.find(':') == std::string::npos)) {
    result.insert(0, result.starts_with(':') ? "0" : "0:");
  }
  return is_list_or_range(result) ? result : "";
}

// The first and the last number of 0-3 or 0..3. The first '-' may be a sign.
std::optional<std::pair<std::int64_t, std::int64_t>> closed_range(std::string_view part) {
  for (const std::string_view dash : {"-", ".."}) {
    const std::size_t at = part.find(dash, 1);
    if (part.empty() || at == std::string_view::npos) continue;
    const auto first = text::parse_integer(part.substr(0, at)),
               last = text::parse_integer(part.substr(at + dash.size()));
    if (first && last && *last >= *first && *last <= kMaxPosition) return {{*first, *last}};
  }
  return std::nullopt;
}

// 0-3,5 as a list, 0,1,2,3,5; empty if it is long or has other parts.
std::string listed(std::string_view text) {
  constexpr std::int64_t kMost = 20;
  std::string list;
  std::int64_t count = 0;
  for (const std::string_view part : split(text, ',')) {
    const auto number = text::parse_integer(part);
    const auto range = number ? std::optional(std::pair{*number, *number}) : closed_range(part);
    if (!range || (count += range->second - range->first + 1) > kMost) return "";
    for (std::int64_t p = range->first; p <= range->second; ++p) list += (list.empty() ? "" : ",") + std::to_string(p);
  }
  return list;
}

// 0-3 as a range is written here, 0:4; a list or range in another form as its list; for anything else two examples.
std::string positions_hint(std::string_view text, std::string_view part) {
  if (const auto range = closed_range(part); range && part == text) {
    return "; did you mean " + std::to_string(range->first) + ":" + std::to_string(range->second + 1) +
           "? The end of a range is excluded";
  }
  const std::string list = text.find(',') == std::string_view::npos ? "" : listed(text);
  if (!list.empty()) return "; did you mean " + list + "?";
  if (const std::string other = rewritten(text); !other.empty()) return "; did you mean " + other + "?";
  return "; positions are written like 0:4 or 0,5,17";
}

Number read_number(std::string_view text, std::string_view part, std::int64_t limit = kMaxPosition) {
  while (part.starts_with(' ')) part.remove_prefix(1);
  const auto integer = text::parse_integer(part);
  const auto value = text::parse_number(part);
  if (!value) fail_text(text, "expected a number but got '" + std::string(part) + "'" + positions_hint(text, part));
  if (!(std::fabs(*value) <= static_cast<double>(limit))) {
    fail_text(text,
              (limit == kMaxPosition ? "positions must be from -2147483647 to 2147483647 but got "
                                     : "the end of a range must be from -2147483648 to 2147483648 (it is excluded) "
                                       "but got ") +
                  std::string(part));
  }
  return {*value, integer.has_value()};
}

// 2.1 / 0.3 is slightly above 7 in binary, but 0:2.1:0.3 must have seven steps.
double steps_between(double start, double end, double step) {
  const double steps = (end - start) / step;
  const double whole = std::nearbyint(steps);
  return std::fabs(steps - whole) <= 1e-12 * std::fabs(whole) ? whole : steps;
}

Positions read_range(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 3) fail_text(text, "a range is start:end or start:end:step");
  const Number start = read_number(text, parts[0]);
  const Number end = read_number(text, parts[1], kMaxPosition + 1);  // the end is excluded
  const Number step = parts.size() == 3 ? read_number(text, parts[2]) : Number{1.0, true};
  if (step.value == 0.0) fail_text(text, "the step must not be 0");
  const bool integers = start.integer && end.integer && step.integer;
  const double steps = std::ceil(steps_between(start.value, end.value, step.value));
  if (!(steps > 0.0)) fail_text(text, "the range is empty (the end is excluded)");
  const auto count = static_cast<std::int64_t>(std::min(steps, 9e15));
  if (integers) {
    return Positions::range(static_cast<std::int64_t>(start.value), count, static_cast<std::int64_t>(step.value));
  }
  if (count > kMaxListed) fail_text(text, "a range of real numbers must have at most 2^27 numbers");
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = start.value + static_cast<double>(i) * step.value;
  // The end may be the largest position plus 1, because it is excluded; a real number may lie between the two.
  if (std::fabs(values.back()) > static_cast<double>(kMaxPosition)) {
    fail_text(text, "positions must be from -2147483647 to 2147483647 but got " + text::number_text(values.back()));
  }
  return Positions::reals(std::move(values));
}

bool is_grid(std::string_view text) {
  return text.front() != 'x' && text.find('x') != std::string_view::npos &&
         text.find_first_not_of("0123456789x") == std::string_view::npos;
}

Positions read_grid(std::string_view text) {
  std::vector<std::int64_t> lengths;
  std::int64_t count = 1;
  for (const std::string_view part : split(text, 'x')) {
    const auto length = text::parse_integer(part);
    if (!length || *length < 1) fail_text(text, "a grid is rows x columns, such as 3x5, each at least 1");
    if (*length > kMaxListed || (count *= *length) > kMaxListed) fail_text(text, "a grid must have at most 2^27 cells");
    lengths.push_back(*length);
  }
  const std::size_t axes = lengths.size();
  if (count > kMaxListed / static_cast<std::int64_t>(axes)) fail_text(text, "a grid must have at most 2^27 numbers");
  std::vector<std::int64_t> values(static_cast<std::size_t>(count) * axes);
  for (std::int64_t cell = 0; cell < count; ++cell) {
    std::int64_t rest = cell;
    for (std::size_t axis = axes; axis-- > 0;) {
      values[static_cast<std::size_t>(cell) * axes + axis] = rest % lengths[axis];
      rest /= lengths[axis];
    }
  }
  return Positions::integers(std::move(values), static_cast<std::int64_t>(axes));
}

Positions read_list(std::string_view text) {
  std::vector<double> values;
  bool integers = true;
  std::size_t axes = 0;
  for (const std::string_view tuple : split(text, ',')) {
    const std::vector<std::string_view> parts = split(tuple, '/');
    if (axes != 0 && parts.size() != axes) {
      fail_text(text, "tuples must have the same length but '" + std::string(tuple) + "' has " +
                          std::to_string(parts.size()) + " instead of " + std::to_string(axes));
    }
    axes = parts.size();
    for (const std::string_view part : parts) {
      const Number number = read_number(text, part);
      integers = integers && number.integer;
      values.push_back(number.value);
    }
  }
  const auto axis_count = static_cast<std::int64_t>(axes);
  if (!integers) return Positions::reals(std::move(values), axis_count);
  return Positions::integers(std::vector<std::int64_t>(values.begin(), values.end()), axis_count);
}

// A real number keeps its decimal point, so that the text reads back as real.
std::string real_text(double value) {
  std::string text = text::number_text(value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

Positions parse_positions(std::string_view text) {
  if (text.empty()) fail_text(text, "expected positions like 0:100 or 0,5,17 but the text is empty");
  base::require(!text.starts_with('@'), "parse_positions", "'", text, "' names a file: use load_positions");
  if (text.find(':') != std::string_view::npos) return read_range(text);
  if (is_grid(text)) return read_grid(text);
  return read_list(text);
}

std::string to_text(const PositionView& positions) {
  check_positions(positions, "to_text");
  if (positions.source == PositionView::Source::range && positions.count > 1 && positions.step != 0) {
    std::int64_t end = positions.start + positions.count * positions.step;
    if (std::abs(end) > kMaxPosition + 1) end += positions.step > 0 ? 1 - positions.step : -1 - positions.step;
    std::string text = std::to_string(positions.start) + ":" + std::to_string(end);
    if (positions.step != 1) text += ":" + std::to_string(positions.step);
    return text;
  }
  std::string text;
  for (std::int64_t n = 0; n < positions.count; ++n) {
    for (std::int64_t a = 0; a < positions.axes; ++a) {
      if (n > 0 || a > 0) text += a > 0 ? '/' : ',';
      text += positions.integral() ? std::to_string(positions.integer(0, n, a)) : real_text(positions.real(0, n, a));
    }
  }
  return text;
}

}  // namespace posenc
