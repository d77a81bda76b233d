#include "posenc/insight/check.h"

#include <algorithm>
#include <array>

#include "insight/properties/kind_page.h"
#include "insight/properties/lists.h"
#include "insight/properties/property.h"
#include "posenc/error.h"

namespace posenc {
namespace {

constexpr std::int64_t kPositions = 1000;

// The properties of learned numbers: if those were drawn at random, the finding says so.
constexpr std::array<std::string_view, 8> kOfNumbers = {"bounded", "unique", "smooth",  "distance_only",
                                                        "mixing",  "decays", "entropy", "norms"};

// With several axes, each one advances at a different rate.
std::vector<std::int64_t> default_places(std::int64_t count, std::int64_t axes) {
  std::vector<std::int64_t> places;
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t axis = 0; axis < axes; ++axis) places.push_back(n / (axis + 1));
  }
  return places;
}

void check_options(const CheckOptions& options) {
  if (options.train_length < 1 || options.train_length > kMaxPosition) {
    fail(ErrorKind::usage, "[check] train_length must be from 1 to " + std::to_string(kMaxPosition) + " but got " +
                               std::to_string(options.train_length));
  }
  if (options.positions.batch != 1) fail(ErrorKind::usage, "[check] positions must be [N] but have a batch");
  if (options.observed.rank != 0 && options.positions.count == 0) {
    fail(ErrorKind::usage, "[check] a table needs the positions of its rows");
  }
}

}  // namespace

std::string_view to_text(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::holds_to:
      return "holds to";
    case Verdict::does_not_hold:
      return "does not hold";
    case Verdict::violated:
      return "violated";
    case Verdict::not_measured:
      break;
  }
  return "not measured";
}

TrainedLength trained_length_of(const Encoding& encoding) noexcept {
  using enum TrainedLength::Source;
  const auto* rotary = std::get_if<Rotary>(&encoding.spec());
  if (const auto scaled = rotary ? trained_length(rotary->scaling) : std::nullopt) return {*scaled, scaling};
  const std::int64_t made_for = encoding.group() != nullptr ? encoding.group()->trained_positions : 0;
  if (made_for > 0) return {made_for, model};
  return {CheckOptions{}.train_length, usual};
}

std::vector<Property> check(const Encoding& subject, const CheckOptions& options) {
  check_options(options);
  const Encoding numbers = with_drawn(subject, options.seed);
  CheckOptions settled = options;
  std::vector<std::int64_t> places;
  if (options.positions.count == 0) {
    settled.positions =
        PositionView::range(0, std::max<std::int64_t>(properties::limit_of(numbers).value_or(kPositions), 1));
    const std::int64_t axes = axes_of(numbers.spec());
    if (axes > 1) {
      places = numbers.rotary() ? default_places(kPositions, axes) : numbers.small_grid();
      settled.positions = properties::places_view(places, axes);
    }
  }
  check_positions(settled.positions, "check");
  if (options.observed.rank != 0 && numbers.drawn() && !numbers.term()) {
    fail(ErrorKind::usage, "[check] " + std::string(kind_of(subject.spec())) +
                               " has learned numbers to compare the table with: give them with --file, --values or "
                               "--parameter");
  }
  if (options.observed.rank != 0 && (numbers.term() || numbers.place() == Place::nowhere)) {
    fail(ErrorKind::usage,
         "[check] " + std::string(kind_of(subject.spec())) + " has no numbers to compare a table with");
  }

  if (settled.positions.axes != axes_of(numbers.spec()) && !numbers.rotary()) {
    const std::int64_t axes = axes_of(numbers.spec());
    fail(ErrorKind::usage, "[check] " + std::string(kind_of(subject.spec())) + " takes positions on " +
                               (axes == 1 ? "one axis" : std::to_string(axes) + " axes") + ", not on " +
                               std::to_string(settled.positions.axes));
  }
  std::vector<Property> properties = properties::page_of(numbers.spec()).properties(numbers, settled);
  for (Property& property : properties) {
    const bool of_numbers = std::find(kOfNumbers.begin(), kOfNumbers.end(), property.name) != kOfNumbers.end();
    if (numbers.drawn() && of_numbers) property.finding += " (" + numbers.drawn_text() + ")";
  }
  return properties;
}

}  // namespace posenc
