#include "core/rows/resize_check.h"

#include <string>

#include "core/base/check_view.h"

namespace posenc::rows {
namespace {

// Small enough that twice the product of two lengths does not overflow.
constexpr std::int64_t kMaxLength = std::int64_t{1} << 30;

using base::refuse;

void check_lengths(const Resize& rule, const std::vector<std::int64_t>& lengths, const std::string& name,
                   std::string_view where) {
  std::int64_t rows = 1;
  for (const std::int64_t length : lengths) {
    base::require(length >= 1 && length <= kMaxLength, where, name, " must have lengths from 1 to 1073741824 but got ",
                  length);
    rows *= length;
  }
  base::require(!__builtin_add_overflow(rows, rule.kept, &rows), where, name, " must have fewer than 2^63 rows");
}

// Options that do not apply to a method are errors: ignoring them would give numbers that nobody asked for.
void check_options(const Resize& rule, std::string_view where) {
  const bool smooth = rule.method == Interpolation::linear || rule.method == Interpolation::cubic;
  const bool corners = rule.align == Align::corners;
  base::require(static_cast<unsigned>(rule.method) <= static_cast<unsigned>(Interpolation::area), where,
                "method must be one of Interpolation but got ", static_cast<int>(rule.method));
  base::require(corners || rule.align == Align::centers, where, "align must be centers or corners but got ",
                static_cast<int>(rule.align));
  base::require(!corners || smooth, where, "align=corners needs the method linear or cubic");
  base::require(!rule.antialias || smooth, where, "antialias needs the method linear or cubic");
  base::require(!rule.antialias || !corners, where, "antialias needs align=centers");
  base::require(!rule.cubic_a || rule.method == Interpolation::cubic, where, "cubic_a needs the method cubic");
  if (rule.cubic_a && !(*rule.cubic_a >= -1.0 && *rule.cubic_a <= 0.0)) {
    refuse(where, "cubic_a must be from -1 to 0 but got ", *rule.cubic_a);
  }
  base::require(rule.extra_size >= 0.0 && rule.extra_size < 1.0, where, "extra_size must be from 0 to below 1 but got ",
                rule.extra_size);
  base::require(rule.extra_size == 0.0 || !corners, where, "extra_size needs align=centers");
  // For nearest, torch itself gives two different results, depending on the memory order of the tensor.
  base::require(rule.extra_size == 0.0 || smooth, where, "extra_size needs the method linear or cubic");
}

}  // namespace

void check_resize(const Resize& rule, std::string_view where) {
  base::require(!rule.from.empty() && rule.from.size() <= 2, where, "from must be {rows} or {height, width} but has ",
                rule.from.size(), " numbers");
  base::require(rule.to.size() == rule.from.size(), where, "to must have as many numbers as from, ", rule.from.size(),
                ", but has ", rule.to.size());
  base::require(rule.kept >= 0, where, "kept must not be negative but got ", rule.kept);
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
