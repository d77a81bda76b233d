#include "core/rows/resize_check.h"

#include <string>

#include "core/base/check_view.h"
#include "core/text/number_text.h"

namespace posenc::rows {
namespace {

// Twice a product of two lengths can still be counted.
constexpr std::int64_t kMaxLength = std::int64_t{1} << 30;

using base::refuse;

void check_lengths(const Resize& rule, const std::vector<std::int64_t>& lengths, const std::string& name,
                   std::string_view where) {
  std::int64_t rows = 1;
  for (const std::int64_t length : lengths) {
    if (length < 1 || length > kMaxLength) {
      refuse(where, name + " must have lengths from 1 to 1073741824 but got " + std::to_string(length));
    }
    rows *= length;
  }
  if (__builtin_add_overflow(rows, rule.kept, &rows)) refuse(where, name + " has more rows than can be counted");
}

// Options that a method does not have are refused, not ignored: ignoring one gives numbers that nobody asked for.
void check_options(const Resize& rule, std::string_view where) {
  const bool smooth = rule.method == Interpolation::linear || rule.method == Interpolation::cubic;
  const bool corners = rule.align == Align::corners;
  if (static_cast<unsigned>(rule.method) > static_cast<unsigned>(Interpolation::area)) {
    refuse(where, "method must be one of the four but got " + std::to_string(static_cast<int>(rule.method)));
  }
  if (!corners && rule.align != Align::centers) {
    refuse(where, "align must be one of the two but got " + std::to_string(static_cast<int>(rule.align)));
  }
  if (corners && !smooth) refuse(where, "align=corners needs the method linear or cubic");
  if (rule.antialias && !smooth) refuse(where, "antialias needs the method linear or cubic");
  if (rule.antialias && corners) refuse(where, "antialias needs align=centers");
  if (rule.cubic_a && rule.method != Interpolation::cubic) refuse(where, "cubic_a needs the method cubic");
  if (rule.cubic_a && !(*rule.cubic_a >= -1.0 && *rule.cubic_a <= 0.0)) {
    refuse(where, "cubic_a must lie from -1 to 0 but got " + text::number_text(*rule.cubic_a));
  }
  if (!(rule.extra_size >= 0.0 && rule.extra_size < 1.0)) {
    refuse(where, "extra_size must be from 0 to below 1 but got " + text::number_text(rule.extra_size));
  }
  if (rule.extra_size != 0.0 && corners) refuse(where, "extra_size needs align=centers");
  // With nearest, torch itself has two answers, by the order of the tensor's memory.
  if (rule.extra_size != 0.0 && !smooth) refuse(where, "extra_size needs the method linear or cubic");
}

}  // namespace

void check_resize(const Resize& rule, std::string_view where) {
  if (rule.from.empty() || rule.from.size() > 2) {
    refuse(where, "from must be {rows} or {height, width} but has " + std::to_string(rule.from.size()) + " numbers");
  }
  if (rule.to.size() != rule.from.size()) {
    refuse(where, "to must have as many numbers as from, " + std::to_string(rule.from.size()) + ", but has " +
                      std::to_string(rule.to.size()));
  }
  if (rule.kept < 0) refuse(where, "kept must not be negative but got " + std::to_string(rule.kept));
  check_lengths(rule, rule.from, "from", where);
  check_lengths(rule, rule.to, "to", where);
  check_options(rule, where);
}

std::int64_t rows_of(const Resize& rule, const std::vector<std::int64_t>& lengths) noexcept {
  std::int64_t rows = 1;
  for (const std::int64_t length : lengths) rows *= length;
  return rule.kept + rows;
}

}  // namespace posenc::rows
