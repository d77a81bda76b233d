// The numbers of the animated figure. Its script only draws them; it does not evaluate a formula.
#include "core/text/number_text.h"
#include "insight/drawing/chart.h"
#include "insight/teaching/lesson.h"
#include "posenc/files/json.h"
#include "posenc/schedule.h"
#include "posenc/table.h"

namespace posenc::teaching {
namespace {

constexpr std::int64_t kLiveWidth = 16;
constexpr std::int64_t kLivePositions = 40;
constexpr std::int64_t kFramesPerPosition = 4;

// Four decimals are accurate to a tenth of a pixel.
Json rounded(double value) { return Json(*text::parse_number(text::fixed_text(value, 4))); }

Json palette(Theme theme) {
  Json::Array colors;
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int level = 0; level <= kLastLevel; ++level) {
    const Color color = color_of(ColorMap::diverging, static_cast<std::uint8_t>(level), theme);
    std::string text = "#";
    for (const unsigned part : {color.red, color.green, color.blue}) {
      text += kDigits[part >> 4U];
      text += kDigits[part & 15U];
    }
    colors.emplace_back(text);
  }
  return colors;
}

// All that the script shows: rows by frame, their colours, and the two channels of each hand.
Json live_data() {
  const SinusoidalSchedule schedule = make_schedule(Sinusoidal{.width = kLiveWidth});
  std::vector<double> positions;
  for (std::int64_t frame = 0; frame <= kLivePositions * kFramesPerPosition; ++frame) {
    positions.push_back(static_cast<double>(frame) / static_cast<double>(kFramesPerPosition));
  }
  const auto frames = static_cast<std::int64_t>(positions.size());
  std::vector<double> rows(static_cast<std::size_t>(frames * kLiveWidth));
  fill_table(schedule, PositionView::of(positions.data(), frames), make_view(rows.data(), {frames, kLiveWidth}));
  Json::Array row_list;
  Json::Array level_list;
  for (std::int64_t frame = 0; frame < frames; ++frame) {
    Json::Array row;
    Json::Array levels;
    for (std::int64_t c = 0; c < kLiveWidth; ++c) {
      const double value = rows[static_cast<std::size_t>(frame * kLiveWidth + c)];
      row.push_back(rounded(value));
      levels.emplace_back(static_cast<int>(color_level(value, -1.0, 1.0)));
    }
    row_list.emplace_back(std::move(row));
    level_list.emplace_back(std::move(levels));
  }
  Json::Array sine;
  Json::Array cosine;
  Json::Array labels;
  const std::vector<double> lengths = wavelengths(schedule.inv_freq);
  for (std::int64_t i = 0; i < kLiveWidth / 2; ++i) {
    sine.emplace_back(schedule.sine.start + i * schedule.sine.stride);
    cosine.emplace_back(schedule.cosine.start + i * schedule.cosine.stride);
    labels.emplace_back("one turn: " + drawing::tick_text(lengths[static_cast<std::size_t>(i)]));
  }
  Json data;
  data.set("frames_per_position", kFramesPerPosition).set("pairs", kLiveWidth / 2).set("positions", Json(positions));
  data.set("sine", std::move(sine)).set("cosine", std::move(cosine)).set("labels", std::move(labels));
  data.set("light", palette(Theme::light)).set("dark", palette(Theme::dark));
  return data.set("rows", std::move(row_list)).set("levels", std::move(level_list));
}

}  // namespace

Values live_values(const LessonSubject&) {
  const double slowest = make_schedule(Sinusoidal{.width = kLiveWidth}).inv_freq.back();
  return {{"last_hand", text::fixed_text(static_cast<double>(kLivePositions) * slowest, 3)},
          {"data", to_text(live_data())}};
}

}  // namespace posenc::teaching
