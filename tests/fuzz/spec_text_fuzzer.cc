// Spec texts: what parses must print as a text that parses to the same, and its numbers must be computable.
#include <string>
#include <string_view>

#include "fuzz.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace {

void check_schedule(const posenc::Sinusoidal& spec) {
  if (spec.width > 4096) return;  // larger ones take the same path, only longer
  const posenc::SinusoidalSchedule schedule = posenc::make_schedule(spec);
  require(schedule.width == spec.width, "the schedule has another width");
  require(schedule.sine.count + schedule.cosine.count <= spec.width, "the schedule has too many columns");
}

}  // namespace

void fuzz(std::string_view input) {
  const posenc::Spec spec = posenc::parse_spec(input);
  const std::string text = posenc::to_text(spec);
  require(accepted([&] { require(posenc::to_text(posenc::parse_spec(text)) == text, "the text changed"); }),
          "the printed text does not parse");
  std::visit([](const auto& s) { check_schedule(s); }, spec);
}
