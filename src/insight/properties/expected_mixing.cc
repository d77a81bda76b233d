#include "insight/properties/expected_mixing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace posenc::properties {
namespace {

// A token has a part along the row, which is normal, and a part across it, whose length has a chi distribution. Angle
// and norms depend on these two only.
struct Node {
  double at = 0.0, weight = 0.0;
};

// Midpoints of a density, given as its logarithm, with weights that add up to 1.
template <class Density>
std::vector<Node> nodes_of(double low, double high, double highest, Density log_density) {
  constexpr int kNodes = 128;
  std::vector<Node> nodes;
  double sum = 0.0;
  for (int i = 0; i < kNodes; ++i) {
    const double at = low + (high - low) * (i + 0.5) / kNodes;
    nodes.push_back({at, std::exp(log_density(at) - log_density(highest))});
    sum += nodes.back().weight;
  }
  for (Node& node : nodes) node.weight /= sum;
  return nodes;
}

std::vector<Node> along_nodes() {
  return nodes_of(-6.5, 6.5, 0.0, [](double a) { return -0.5 * a * a; });
}

std::vector<Node> across_nodes(double channels) {
  if (channels < 1.0) return {{0.0, 1.0}};
  const double mode = std::sqrt(channels - 1.0);
  const auto log_density = [&](double r) {
    return (channels > 1.0 ? (channels - 1.0) * std::log(r / mode) : 0.0) - 0.5 * (r - mode) * (r + mode);
  };
  return nodes_of(std::max(mode - 5.5, 0.0), mode + 5.5, std::max(mode, 1e-9), log_density);
}

double normal_below(double a) { return 0.5 * std::erfc(-a / std::numbers::sqrt2); }

// The share of tokens whose angle is above `angle`: for each length across, those between the roots of a quadratic.
double share_above(double angle, double row, const std::vector<Node>& across) {
  const double cotangent = std::cos(angle) / std::sin(angle);
  double share = 0.0;
  for (const Node& node : across) {
    const double square = row * row - 4.0 * node.at * (node.at - row * cotangent);
    if (square <= 0.0) continue;
    const double root = std::sqrt(square);
    share += node.weight * (normal_below(0.5 * (root - row)) - normal_below(-0.5 * (root + row)));
  }
  return share;
}

double angle_with(double share, double row, const std::vector<Node>& across) {
  double low = 0.0, high = std::numbers::pi;
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (share_above(middle, row, across) > share ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

Mixing expected_mixing(std::span<const double> position_row, double std) {
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  const double square = std::inner_product(position_row.begin(), position_row.end(), position_row.begin(), 0.0);
  const auto width = static_cast<double>(position_row.size());
  Mixing result{.position_norm = std::sqrt(square)};
  const double row = result.position_norm / std;
  const std::vector<Node> along = along_nodes(), across = across_nodes(width - 1.0);
  result.token_norm = std * std::numbers::sqrt2 * std::exp(std::lgamma(0.5 * (width + 1.0)) - std::lgamma(0.5 * width));
  if (row == 0.0) {
    result.sum_norm = result.token_norm;
    return result;
  }
  for (const Node& a : along) {
    for (const Node& r : across) {
      const double weight = a.weight * r.weight;
      result.angle += weight * kDegrees * std::atan2(row * r.at, r.at * r.at + a.at * (a.at + row));
      result.sum_norm += weight * std * std::sqrt((a.at + row) * (a.at + row) + r.at * r.at);
    }
  }
  result.angle_low = kDegrees * angle_with(0.975, row, across);
  result.angle_high = kDegrees * angle_with(0.025, row, across);
  return result;
}

}  // namespace posenc::properties
