#include <algorithm>
#include <cmath>

#include "insight/properties/property.h"
#include "insight/properties/sample.h"
#include "insight/properties/walk_rows.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/rotary_table.h"

namespace posenc {
namespace {

constexpr std::int64_t kMostDraws = 100000;
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 25;  // of all draws together

void check_distances(std::int64_t distances, std::string_view where) {
  if (distances >= 1 && distances <= kMaxPosition) return;
  fail(ErrorKind::usage, "[" + std::string(where) + "] distances must be from 1 to " + std::to_string(kMaxPosition) +
                             " but got " + std::to_string(distances));
}

void check_one_axis_rotary(const RotarySchedule& schedule, std::string_view where) {
  if (schedule.axes == 1) return;
  fail(ErrorKind::usage, "[" + std::string(where) + "] axes must be 1 but got " + std::to_string(schedule.axes) +
                             ": a distance has one number per axis");
}

std::vector<double> cosine_sums(const std::vector<double>& inv_freq, std::int64_t distances) {
  std::vector<double> sums(static_cast<std::size_t>(distances), 0.0);
  if (inv_freq.empty()) return sums;
  const SinusoidalSchedule cosines = properties::lone_schedule(inv_freq, false);
  const auto pairs = static_cast<std::int64_t>(inv_freq.size());
  properties::walk_rows(StreamedRows{&cosines}, PositionView::range(0, distances), "distance_curve",
                        [&](std::int64_t k, const double* row) {
                          sums[static_cast<std::size_t>(k)] =
                              properties::sum_of(pairs, [&](std::int64_t i) { return row[i]; });
                        });
  return sums;
}

// The two channels of a pair in its layout.
std::pair<std::int64_t, std::int64_t> channels_of(const RotarySchedule& schedule, std::int64_t pair) {
  const bool interleaved = schedule.layout == Layout::interleaved || schedule.layout == Layout::interleaved_to_half;
  const std::int64_t a = schedule.first_channel + (interleaved ? 2 * pair : pair);
  return {a, a + (interleaved ? 1 : schedule.pairs())};
}

// The score of one draw of q and k at any distance: still + sum of cosine_i cos_i(k) + sine_i sin_i(k).
struct DrawnScore {
  double still = 0.0;
  std::vector<double> cosine, sine;
};

DrawnScore drawn_score(const RotarySchedule& schedule, const double* q, const double* k) {
  DrawnScore score;
  const double factor = schedule.query_factor();
  const double turned = factor * schedule.table_factor();  // the key's factor; cos_i and sin_i include the query's
  const double sign = schedule.layout == Layout::half_negative ? -1.0 : 1.0;
  for (std::int64_t i = 0; i < schedule.pairs(); ++i) {
    const auto [a, b] = channels_of(schedule, i);
    score.cosine.push_back(turned * (q[a] * k[a] + q[b] * k[b]));
    score.sine.push_back(turned * sign * (q[a] * k[b] - q[b] * k[a]));
  }
  for (std::int64_t c = 0; c < schedule.head_dim; ++c) {
    const std::int64_t inside = c - schedule.first_channel;
    if (inside < 0 || inside >= schedule.rotary_dim) score.still += factor * q[c] * k[c];
  }
  return score;
}

std::vector<DrawnScore> drawn_scores(const RotarySchedule& schedule, const ScoreBandOptions& options) {
  const std::int64_t width = schedule.head_dim;
  const auto draw = [&](std::uint64_t seed) {
    return properties::normal_numbers(options.draws, width, 1.0 / std::sqrt(static_cast<double>(width)), seed);
  };
  const std::vector<double> q = draw(options.seed);
  const std::vector<double> k = options.same_content ? q : draw(properties::next_seed(options.seed, 1));
  std::vector<DrawnScore> scores;
  for (std::int64_t n = 0; n < options.draws; ++n) {
    scores.push_back(drawn_score(schedule, q.data() + n * width, k.data() + n * width));
  }
  return scores;
}

void check_band(const RotarySchedule& schedule, const ScoreBandOptions& options) {
  check_one_axis_rotary(schedule, "rotated_score_band");
  check_distances(options.distances, "rotated_score_band");
  if (options.draws < 1 || options.draws > kMostDraws || options.draws > kMostNumbers / schedule.head_dim) {
    fail(ErrorKind::usage, "[rotated_score_band] draws must be from 1 to " +
                               std::to_string(std::min(kMostDraws, kMostNumbers / schedule.head_dim)) + " but got " +
                               std::to_string(options.draws));
  }
}

}  // namespace

std::vector<double> distance_curve(const SinusoidalSchedule& schedule, std::int64_t distances) {
  check_distances(distances, "distance_curve");
  if (schedule.sine.count != schedule.cosine.count) {
    fail(ErrorKind::usage, "[distance_curve] width must be even but got " + std::to_string(schedule.width) +
                               ": a channel without a partner depends on the position, not on the distance");
  }
  std::vector<double> curve = cosine_sums(schedule.inv_freq, distances);
  for (double& value : curve) value *= schedule.multiplier * schedule.multiplier;
  return curve;
}

std::vector<double> score_kernel(const RotarySchedule& schedule, std::int64_t distances) {
  check_distances(distances, "score_kernel");
  check_one_axis_rotary(schedule, "score_kernel");
  std::vector<double> curve = cosine_sums(schedule.inv_freq, distances);
  const double factor = 2.0 * schedule.table_factor() * schedule.table_factor();
  const auto still = static_cast<double>(schedule.head_dim - schedule.rotary_dim);
  for (double& value : curve) value = (factor * value + still) / static_cast<double>(schedule.head_dim);
  return curve;
}

std::optional<std::int64_t> first_rise(std::span<const double> curve) { return properties::rise_beyond(curve, 0.0); }

std::vector<double> falling_envelope(std::span<const double> curve) {
  std::vector<double> upper(curve.begin(), curve.end());
  for (std::size_t k = upper.size(); k-- > 1;) upper[k - 1] = std::max(upper[k - 1], upper[k]);
  return upper;
}

ScoreBand rotated_score_band(const Rotary& spec, const ScoreBandOptions& options) {
  const RotaryAngles angles(spec);
  check_band(angles.schedule(), options);
  const std::vector<DrawnScore> draws = drawn_scores(angles.schedule(), options);
  const std::int64_t pairs = angles.schedule().pairs();
  std::vector<double> row(static_cast<std::size_t>(2 * pairs));
  std::vector<double> values(draws.size());
  ScoreBand band;
  for (std::int64_t k = 0; k < options.distances; ++k) {
    fill_cos_sin(angles, PositionView::range(k, 1), make_view(row.data(), {1, 2 * pairs}));
    for (std::size_t n = 0; n < draws.size(); ++n) {
      values[n] =
          draws[n].still + properties::sum_of(pairs, [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            return draws[n].cosine[at] * row[at] + draws[n].sine[at] * row[at + static_cast<std::size_t>(pairs)];
          });
    }
    const properties::Spread spread = properties::spread_of(values);
    band.mean.push_back(spread.mean);
    band.low.push_back(spread.low);
    band.high.push_back(spread.high);
  }
  return band;
}

std::vector<double> bias_curve(const Bias& bias, std::int64_t head, double query, std::int64_t distances) {
  check_distances(distances, "bias_curve");
  check_positions(PositionView::of(&query, 1), "bias_curve");
  if (head < 0 || head >= std::max<std::int64_t>(bias.heads(), 1)) {
    fail(ErrorKind::usage, "[bias_curve] head must be below " +
                               std::to_string(std::max<std::int64_t>(bias.heads(), 1)) + " but got " +
                               std::to_string(head));
  }
  std::vector<double> curve(static_cast<std::size_t>(distances), 0.0);
  const View scores = make_view(curve.data(), {1, distances});
  const Tile tile{.head = head, .queries = 1, .keys = distances};
  if (query == std::floor(query)) {
    const auto from = static_cast<std::int64_t>(query);
    add_bias(bias, tile, PositionView::range(from, 1), PositionView::range(from, distances, -1), scores);
    return curve;
  }
  std::vector<double> keys(curve.size());
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = query - static_cast<double>(k);
  add_bias(bias, tile, PositionView::of(&query, 1), PositionView::of(keys.data(), distances), scores);
  return curve;
}

}  // namespace posenc
