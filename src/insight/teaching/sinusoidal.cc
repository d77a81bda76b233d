// Waves and heatmap, the figure that moves, and the shift.
#include "core/text/number_text.h"
#include "insight/drawing/chart.h"
#include "insight/teaching/lesson.h"
#include "posenc/files/json.h"
#include "posenc/insight/svg.h"
#include "posenc/schedule.h"
#include "posenc/table.h"

namespace posenc::teaching {
namespace {

constexpr std::int64_t kLiveWidth = 16;
constexpr std::int64_t kLivePositions = 40;
constexpr std::int64_t kFramesPerPosition = 4;

// Four decimals are a tenth of a pixel.
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

// Everything that the script shows: rows by frame, their colours, and which channels make a hand.
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
    labels.emplace_back("turn: " + drawing::tick_text(lengths[static_cast<std::size_t>(i)]));
  }
  Json data;
  data.set("frames_per_position", kFramesPerPosition).set("pairs", kLiveWidth / 2).set("positions", Json(positions));
  data.set("sine", std::move(sine)).set("cosine", std::move(cosine)).set("labels", std::move(labels));
  data.set("light", palette(Theme::light)).set("dark", palette(Theme::dark));
  return data.set("rows", std::move(row_list)).set("levels", std::move(level_list));
}

std::string button(const std::string& id, const std::string& text, const std::string& more = {}) {
  return "<button type=\"button\" id=\"live-" + id + "\"" + more + ">" + text + "</button>\n";
}

}  // namespace

std::string lesson_waves(Lesson& lesson) {
  lesson.tell("waves and heatmap");
  std::string text = heading(2, "Waves and the heatmap", "waves");
  text += paragraph("Every channel is a wave over positions. Two speeds are enough to see why several are needed.");
  text +=
      lesson.figure({.name = "two_speeds",
                     .spec = "",
                     .question = "From sin(x) alone, can you tell position 1 from position 7.28?",
                     .answer = "No: sin(x) repeats every 6.28 positions. The slow wave tells them apart, but it can "
                               "hardly tell neighbours apart. Together they do both."});
  text +=
      lesson.figure({.name = "waves",
                     .spec = "sinusoidal:width=64",
                     .question = "How do the sine and the cosine of the same pair differ?",
                     .answer = "They are the same wave, a quarter of a turn apart: where one is 0 the other is 1 or "
                               "-1. So a pair always says where its hand stands, not only how high it is."});
  text +=
      lesson.figure({.name = "wavelengths",
                     .spec = "sinusoidal:width=64",
                     .question = "On the logarithmic scale, what shape do the wavelengths make?",
                     .answer = "A straight line: each is 10000^(2/64) = 1.33 times the one before. Those above the "
                               "dashed line do not complete a turn within the training length: past it, their hands "
                               "point where no trained position pointed.",
                     .extra = "--train 512",
                     .options = {.train_length = 512}});
  text +=
      lesson.figure({.name = "heatmap",
                     .spec = "sinusoidal:width=128",
                     .question = "The table has a row per position and a column per channel. On which side will you "
                                 "see stripes that change quickly?",
                     .answer = "On the left, where wavelengths are short. To the right the pattern stretches, until "
                               "sines stay near 0 and cosines near 1 over all 100 positions."});
  return text;
}

std::string lesson_live(Lesson& lesson) {
  lesson.tell("the live figure");
  std::string text = heading(2, "Turn the clocks yourself", "live-section");
  text += paragraph(
      "One position at a time: above, the hands of all eight pairs of a width of 16; below, the same numbers "
      "as the row of the table. Press play, or use the space bar and the arrow keys. The numbers were "
      "computed by the library and stand in this page; the script only draws them.");
  text +=
      "<figure id=\"live\" tabindex=\"0\" role=\"group\" aria-label=\"Clock hands of the encoding at one position; "
      "space plays, arrow keys step\">\n<div class=\"live-controls\">\n";
  text += button("start", "Back to start") + button("back", "Step back") +
          button("play", "Play", " aria-pressed=\"false\"") + button("step", "Step") +
          button("slow", "0.25x", " aria-pressed=\"false\"") + button("normal", "1x", " aria-pressed=\"true\"") +
          button("out", "Zoom out") + button("in", "Zoom in");
  text += "<span>zoom <output id=\"live-zoom\">100 %</output></span>\n";
  text += "<span>position <output id=\"live-position\">0</output></span>\n";
  text += "<span>time <output id=\"live-time\">0.00 s</output></span>\n</div>\n";
  text +=
      "<div class=\"live-stage\"><svg class=\"posenc\" role=\"img\" aria-label=\"Hands and row of the chosen "
      "position\"></svg></div>\n";
  text += "<p class=\"live-numbers\" id=\"live-numbers\"></p>\n";
  text +=
      "<figcaption><p>sinusoidal:width=16, positions 0 to 40; one position per second at 1x. "
      "<code>posenc table sinusoidal:width=16 --positions 0:41</code></p></figcaption>\n";
  text +=
      details("Predict first: which hand comes back to where it began before position 10?",
              paragraph("Only the first, whose turn takes 6.28 positions; the second needs 19.87. After 40 positions "
                        "the last hand has moved by " +
                        text::fixed_text(40.0 * make_schedule(Sinusoidal{.width = kLiveWidth}).inv_freq.back(), 3) +
                        " radians."));
  text += "</figure>\n<script type=\"application/json\" id=\"live-data\">" + to_text(live_data()) + "</script>\n";
  return text;
}

std::string lesson_shift(Lesson& lesson) {
  lesson.tell("the shift");
  std::string text = heading(2, "A shift is a rotation", "shift");
  text += paragraph(
      "Here is why sines and cosines were chosen: to go from the row of position p to that of p + k, every "
      "hand turns by an angle that depends on k alone. So one matrix M_k, made of 2 x 2 rotations, leads "
      "from p to p + k wherever p is. A model that wants to look three words back can learn one linear map.");
  text +=
      lesson.figure({.name = "shift",
                     .spec = "sinusoidal:width=64",
                     .question = "What does M_5 look like: full of numbers, or mostly empty?",
                     .answer = "Mostly empty: blocks of 2 x 2 along the diagonal, one per pair. The predicted row lies "
                               "on the actual one; what is left is the rounding of the last bit.",
                     .extra = "--position 5 --shift 5",
                     .options = {.position = 5.0, .shift = 5.0}});
  text += lesson.figure(
      {.name = "similarity",
       .spec = "sinusoidal:width=64",
       .question = "Along which lines are the numbers of this picture equal?",
       .answer = "Along the diagonals: the product of two rows depends on their distance alone. Since "
                 "every row has the same norm, sqrt(64/2) = 5.66, the cosine is the product divided by 32."});
  text +=
      lesson.figure({.name = "distance",
                     .spec = "sinusoidal:width=64",
                     .question = "Does the product fall all the way as two positions move apart?",
                     .answer = "No. It falls at first, rises for the first time at distance 6 (12 at width 128), and "
                               "then swings. Large distances can look as alike as smaller ones."});
  text +=
      box("A common mistake: similarity as a ruler",
          paragraph("Many texts say that the dot product falls with distance. Only its envelope does, and slowly. At "
                    "width 64: 30.917, 28.304, 23.504, 21.052, 18.879, 15.674 at distances 1, 2, 5, 10, 20, 50; "
                    "between those points it goes up and down."),
          "mistake");
  return text;
}

}  // namespace posenc::teaching
