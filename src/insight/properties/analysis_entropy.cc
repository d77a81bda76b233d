#include <algorithm>
#include <cmath>
#include <string>

#include "insight/properties/sample.h"
#include "insight/properties/walk_rows.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/insight/kind_facts.h"
#include "posenc/query_temperature.h"
#include "posenc/random.h"
#include "posenc/rotary_table.h"
#include "posenc/rotate.h"

namespace posenc {
namespace {

constexpr std::int64_t kNear = 16;
constexpr std::int64_t kMostKeys = 65536;
constexpr std::int64_t kMostEntropyDraws = 4096;

void check_lengths(const EntropyOptions& options) {
  std::int64_t last = 0;
  for (const std::int64_t length : options.lengths) {
    if (length <= last || length > kMostKeys) {
      fail(ErrorKind::usage, "[attention_entropy] lengths must ascend from 1 to " + std::to_string(kMostKeys) +
                                 " but got " + std::to_string(length));
    }
    last = length;
  }
  if (options.lengths.empty()) fail(ErrorKind::usage, "[attention_entropy] lengths must not be empty");
  if (options.draws < 1 || options.draws > kMostEntropyDraws) {
    fail(ErrorKind::usage, "[attention_entropy] draws must be from 1 to " + std::to_string(kMostEntropyDraws) +
                               " but got " + std::to_string(options.draws));
  }
}

// q.k / sqrt(D) after rotation, by distance: the query is at the last of `keys` positions.
std::vector<double> rotated_scores(const RotaryAngles& angles, std::int64_t keys, std::uint64_t seed) {
  const RotarySchedule& schedule = angles.schedule();
  const std::int64_t width = schedule.head_dim;
  constexpr std::int64_t kBlock = 256;
  std::vector<double> query = properties::normal_numbers(1, width, 1.0, seed);
  std::vector<double> block(static_cast<std::size_t>(kBlock * width));
  rotate(make_view(query.data(), {1, 1, width}), PositionView::range(keys - 1, 1), angles);
  const double scale = schedule.query_factor() * schedule.softmax_factor() / std::sqrt(static_cast<double>(width));
  std::vector<double> scores;
  for (std::int64_t first = 0; first < keys; first += kBlock) {
    const std::int64_t count = std::min(kBlock, keys - first);
    fill_random(make_view(block.data(), {count, width}),
                {.std = 1.0, .seed = properties::next_seed(seed, static_cast<std::uint64_t>(1 + first / kBlock))});
    rotate(make_view(block.data(), {count, 1, width}), PositionView::range(keys - 1 - first, count, -1), angles);
    for (std::int64_t n = 0; n < count; ++n) {
      scores.push_back(scale * properties::dot(query.data(), block.data() + n * width, width));
    }
  }
  return scores;
}

// Adds the entropy and the share of near keys of softmax(scores) to a point; scores are by distance.
void add_weights(const std::vector<double>& scores, double share, EntropyPoint& point) {
  const double largest = *std::max_element(scores.begin(), scores.end());
  if (std::isinf(largest)) return;  // all keys are hidden
  double sum = 0.0, weighted = 0.0, near = 0.0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (std::isinf(scores[k])) continue;
    const double weight = std::exp(scores[k] - largest);
    sum += weight;
    weighted += weight * (scores[k] - largest);
    if (k < static_cast<std::size_t>(kNear)) near += weight;
  }
  point.entropy += share * (std::log(sum) - weighted / sum);
  point.near_share += share * near / sum;
}

class EntropyDraws {
 public:
  EntropyDraws(const Spec& encoding, const Parameters& parameters, const EntropyOptions& options) : options_(options) {
    switch (place_of(encoding)) {
      case Place::nowhere:
        validate(encoding);
        break;
      case Place::bias:
        bias_.emplace(encoding, parameters);
        check_head();
        break;
      case Place::query:
        validate(encoding);
        temperature_ = std::get<QueryTemperature>(encoding);
        break;
      default:
        if (!std::holds_alternative<Rotary>(encoding)) fail_kind(encoding);
        angles_.emplace(std::get<Rotary>(encoding));
        check_axes();
    }
  }

  // Scores by distance before anything is added: normal, standard deviation 1.
  std::vector<double> draw(std::int64_t n) const {
    const std::uint64_t seed = properties::next_seed(options_.seed, static_cast<std::uint64_t>(n) << 32);
    const std::int64_t keys = options_.lengths.back();
    return angles_ ? rotated_scores(*angles_, keys, seed) : properties::normal_numbers(1, keys, 1.0, seed);
  }

  // The scores of the last of `length` queries, from the nearest scores of a draw.
  std::vector<double> scores(const std::vector<double>& drawn, std::int64_t length) const {
    std::vector<double> result(drawn.data(), drawn.data() + length);
    if (temperature_) {
      const double factor = query_factor(*temperature_, static_cast<double>(length - 1));
      for (double& score : result) score *= factor;
    }
    if (!bias_) return result;
    add_bias(*bias_, {.head = options_.head, .queries = 1, .keys = length}, PositionView::range(length - 1, 1),
             PositionView::range(length - 1, length, -1), make_view(result.data(), {1, length}));
    return result;
  }

 private:
  [[noreturn]] static void fail_kind(const Spec& encoding) {
    fail(ErrorKind::usage, "[attention_entropy] the encoding must be none, a bias, a temperature or rotary but is " +
                               std::string(kind_of(encoding)));
  }
  void check_head() const {
    const std::int64_t heads = std::max<std::int64_t>(bias_->heads(), 1);
    if (options_.head >= 0 && options_.head < heads) return;
    fail(ErrorKind::usage, "[attention_entropy] head must be below " + std::to_string(heads) + " but got " +
                               std::to_string(options_.head));
  }
  void check_axes() const {
    if (angles_->schedule().axes == 1) return;
    fail(ErrorKind::usage, "[attention_entropy] axes must be 1 but got " + std::to_string(angles_->schedule().axes));
  }

  const EntropyOptions& options_;
  std::optional<Bias> bias_;
  std::optional<RotaryAngles> angles_;
  std::optional<QueryTemperature> temperature_;
};

}  // namespace

std::vector<EntropyPoint> attention_entropy(const Spec& encoding, const Parameters& parameters,
                                            const EntropyOptions& options) {
  check_lengths(options);
  const EntropyDraws draws(encoding, parameters, options);
  std::vector<EntropyPoint> points;
  for (const std::int64_t length : options.lengths) {
    points.push_back({.length = length, .uniform = std::log(static_cast<double>(length))});
  }
  for (std::int64_t n = 0; n < options.draws; ++n) {
    const std::vector<double> drawn = draws.draw(n);
    for (EntropyPoint& point : points) {
      add_weights(draws.scores(drawn, point.length), 1.0 / static_cast<double>(options.draws), point);
    }
  }
  return points;
}

}  // namespace posenc
