// Spec texts: if a text parses, it prints as a text that parses to the same spec, and its numbers can be computed.
#include <string>
#include <string_view>
#include <type_traits>

#include "fuzz.h"
#include "posenc/bias.h"
#include "posenc/learned.h"
#include "posenc/parameters.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace {

void check_numbers(const posenc::Sinusoidal& spec) {
  if (spec.width > 4096) return;  // larger widths run the same code, only longer
  const posenc::SinusoidalSchedule schedule = posenc::make_schedule(spec);
  require(schedule.width == spec.width, "the schedule has another width");
  require(schedule.sine.count + schedule.cosine.count <= spec.width, "the schedule has too many columns");
}

// The first and the last position read rows inside the table.
void check_numbers(const posenc::Learned& spec) {
  const std::int64_t rows = spec.rows > 0 ? spec.rows : spec.first + 5;
  const std::int64_t last = spec.length ? *spec.length - 1 : posenc::positions_of(spec, rows) - 1;
  for (const double position : {0.0, static_cast<double>(last)}) {
    const posenc::RowRead read = posenc::row_read(spec, rows, position);
    require(read.row >= spec.first && read.row < rows && read.next >= read.row && read.next < rows, "no such row");
    require(read.share >= 0.0 && read.share < 1.0, "the share is none");
  }
}

void check_numbers(const posenc::Hybrid& spec) {
  check_numbers(spec.fixed);
  check_numbers(spec.learned);
}

void check_numbers(const posenc::Rotary& spec) {
  const bool may_overflow = spec.precision == posenc::Precision::reference && !(spec.base > 1e-30 && spec.base < 1e30);
  if (may_overflow) return;  // make_schedule refuses a power beyond float32
  const posenc::RotarySchedule schedule = posenc::make_schedule(spec);
  require(schedule.first_channel >= 0 && schedule.first_channel + schedule.rotary_dim <= schedule.head_dim,
          "the window leaves the head");
  require(schedule.inv_freq.size() == static_cast<std::size_t>(schedule.axes * schedule.pairs()),
          "a frequency is missing");
}

// Kinds inside attention: parameters have shapes, a bias has a schedule, and buckets are inside the table.
template <class Relative>
void check_numbers(const Relative& spec) {
  for (const posenc::ParameterInfo& info : posenc::parameters_of(spec)) {
    for (const std::int64_t length : info.shape) require(length != 0, "a parameter without numbers");
  }
  if constexpr (std::is_same_v<Relative, posenc::T5>) {
    if (spec.max_distance > 4096) return;  // its rows are listed one by one
    for (const std::int64_t offset : {-2147483647ll, -100ll, -1ll, 0ll, 1ll, 7ll, 2147483647ll}) {
      const std::int64_t bucket = posenc::t5_bucket(spec, offset);
      require(bucket >= 0 && bucket < spec.buckets, "no such bucket");
    }
  }
  if constexpr (std::is_same_v<Relative, posenc::Clipped>) {
    if (spec.max_distance > 4096) return;
  }
  if constexpr (requires { spec.width; }) {
    if (spec.width > 4096) return;
  }
  constexpr bool kNoBias = std::is_same_v<Relative, posenc::NoPosition> || std::is_same_v<Relative, posenc::Shaw> ||
                           std::is_same_v<Relative, posenc::TransformerXl>;
  if constexpr (!kNoBias) posenc::make_bias_schedule(spec);
}

}  // namespace

void fuzz(std::string_view input) {
  const posenc::Spec spec = posenc::parse_spec(input);
  const std::string text = posenc::to_text(spec);
  require(accepted([&] { require(posenc::to_text(posenc::parse_spec(text)) == text, "the text changed"); }),
          "the printed text does not parse");
  std::visit([](const auto& s) { check_numbers(s); }, spec);
}
