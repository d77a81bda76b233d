#include "insight/diagnosis/evidence.h"

#include <algorithm>
#include <cmath>

namespace posenc::diagnosis {
namespace {

double median_size(const double* row, std::size_t width) {
  std::vector<double> sizes;
  for (std::size_t c = 0; c < width; ++c) {
    if (!std::isnan(row[c])) sizes.push_back(std::abs(row[c]));
  }
  if (sizes.empty()) return 0.0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

}  // namespace

std::shared_ptr<const Measured> Evidence::measure(const Engine&) const { return nullptr; }

std::string Evidence::position_text(std::int64_t row) const { return ids_.count > 0 ? ids_.text(token(row)) : ""; }

void Evidence::settle(Rounding type, bool outliers) {
  type_ = type;
  tolerance_.rounding = 8.0 * half_unit(type) + 1e-5;
  tolerance_.per_angle = 4e-6;
  tolerance_.most_of_angles = 0.1;
  const auto width = static_cast<std::size_t>(width_);
  const double unit = unit_of(observed_.data(), observed_.size());
  double all = 0.0, count = 0.0;
  for (std::size_t r = 0; r < tokens_.size(); ++r) {
    double sum = 0.0, seen = 0.0;
    for (std::size_t c = 0; c < width; ++c) {
      const double v = observed_[r * width + c] / unit;
      if (std::isnan(v)) continue;
      sum += v * v;
      seen += 1.0;
    }
    all += sum;
    count += seen;
    double size = seen > 0.0 ? unit * std::sqrt(sum / seen) : 0.0;
    const double middle = outliers ? 1.5 * median_size(&observed_[r * width], width) : 0.0;
    if (middle > 0.0) size = std::min(size, middle);
    row_size_.push_back(size);
  }
  // A row of zeros is compared at the scale of the other rows.
  const double typical = count > 0.0 ? unit * std::sqrt(all / count) : 1.0;
  for (double& size : row_size_) size = std::max(size, 1e-3 * typical);
}

// Called for thousands of candidate engines, so it does not divide by the width for every number.
bool Evidence::add_row(FitSum& sum, const Prediction& block, std::int64_t first, std::int64_t row) const {
  const double size = row_size_[static_cast<std::size_t>(row)];
  const double* observed = &observed_[static_cast<std::size_t>(row * width_)];
  auto at = static_cast<std::size_t>((row - first) * width_);
  for (int quarter = 0; quarter < 4; ++quarter) {
    // The columns whose column * 4 / width is `quarter`.
    const std::int64_t begin = (quarter * width_ + 3) / 4, end = ((quarter + 1) * width_ + 3) / 4;
    const int band = static_cast<int>(row * 4 / rows()) * 4 + quarter;
    for (std::int64_t column = begin; column < end; ++column, ++at) {
      const double seen = observed[column];
      if (std::isnan(seen)) continue;
      const double meeting = std::max(size, block.size.empty() ? std::abs(seen) : block.size[at]);
      if (!std::isfinite(block.value[at]) || !std::isfinite(meeting)) return false;
      const double tolerance = meeting * tolerance_.rounding;
      const double angle = block.angle.empty() ? 0.0 : std::abs(block.angle[at]);
      const double of_angles = std::min(tolerance_.per_angle * angle, tolerance_.most_of_angles);
      sum.add(seen, block.value[at], meeting, tolerance, tolerance + meeting * of_angles, band);
    }
  }
  return true;
}

Fit Evidence::fit(const Engine& engine, double give_up) const {
  FitSum sum;
  Prediction block;
  const double total = static_cast<double>(rows()) * static_cast<double>(width_);
  const std::int64_t step = give_up < 1e299 ? rows_in_haste() : rows_at_once();
  for (std::int64_t first = 0; first < rows(); first += step) {
    const std::int64_t count = std::min(step, rows() - first);
    if (!predict(engine, first, count, block)) return {};
    for (std::int64_t row = first; row < first + count; ++row) {
      if (!add_row(sum, block, first, row)) return {};
    }
    if (sum.beyond(give_up, total)) return {};
  }
  return sum.result();
}

std::optional<double> Evidence::best_scale(const Engine& engine) const {
  Prediction all;
  if (!predict(engine, 0, rows(), all)) return std::nullopt;
  double meeting = 0.0, own = 0.0;
  for (std::size_t i = 0; i < observed_.size(); ++i) {
    if (std::isnan(observed_[i]) || !std::isfinite(all.value[i])) continue;
    meeting += observed_[i] * all.value[i];
    own += all.value[i] * all.value[i];
  }
  const double scale = meeting / own;
  return std::isfinite(scale) ? std::optional(scale) : std::nullopt;
}

Diagnosis::ErrorMap Evidence::errors(const Engine& engine) const {
  Diagnosis::ErrorMap map{std::min<std::int64_t>(rows(), 32), std::min<std::int64_t>(width_, 64)};
  map.values.assign(static_cast<std::size_t>(map.rows * map.columns), 0.0);
  map.width = width_;
  map.channel_name = channel_name();
  for (std::int64_t r = 0; r < map.rows; ++r) map.positions.push_back(position_text(r * rows() / map.rows));
  Prediction block;
  for (std::int64_t first = 0; first < rows(); first += rows_at_once()) {
    const std::int64_t count = std::min(rows_at_once(), rows() - first);
    if (!predict(engine, first, count, block)) return {};
    for (std::int64_t k = 0; k < count * width_; ++k) {
      const std::int64_t row = first + k / width_, column = k % width_;
      const double seen = observed_[static_cast<std::size_t>(row * width_ + column)];
      if (std::isnan(seen)) continue;
      const double error =
          std::abs(seen - block.value[static_cast<std::size_t>(k)]) / row_size_[static_cast<std::size_t>(row)];
      double& cell =
          map.values[static_cast<std::size_t>(row * map.rows / rows() * map.columns + column * map.columns / width_)];
      cell = std::max(cell, error);
    }
  }
  return map;
}

std::optional<Separation> Evidence::separation(const Engine& best, const Engine& other) const {
  Prediction a, b;
  for (std::int64_t first = 0; first < rows(); first += rows_at_once()) {
    const std::int64_t count = std::min(rows_at_once(), rows() - first);
    if (!predict(best, first, count, a)) return std::nullopt;
    if (!predict(other, first, count, b)) return std::nullopt;
    for (std::int64_t k = 0; k < count * width_; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const std::int64_t row = first + k / width_, column = k % width_;
      const double seen = observed_[static_cast<std::size_t>(row * width_ + column)];
      const double size = row_size_[static_cast<std::size_t>(row)];
      if (std::isnan(seen) || std::abs(a.value[at] - b.value[at]) <= 2.0 * tolerance_.rounding * size) continue;
      return Separation{.token = token(row),
                        .position = position_text(row),
                        .channel = channel_of(column),
                        .channel_name = channel_name(),
                        .observed = seen,
                        .best = a.value[at],
                        .other = b.value[at]};
    }
  }
  return std::nullopt;
}

std::vector<std::int64_t> telling_tokens(const Ids& ids, std::int64_t count) {
  if (count >= ids.count) return counted(ids.count);
  std::vector<std::int64_t> chosen;
  const auto take = [&](std::int64_t n) {
    if (n >= 0 && n < ids.count) chosen.push_back(n);
  };
  for (std::int64_t n = 0; n < 3; ++n) take(n);
  for (std::int64_t n = 1; n < ids.count && static_cast<std::int64_t>(chosen.size()) < count / 3; ++n) {
    const double step = ids.at(n, 0) - ids.at(n - 1, 0);
    if (step != 1.0 && step != 0.0) take(n);
  }
  for (std::int64_t k = 0; static_cast<std::int64_t>(chosen.size()) < count && k < count; ++k) {
    take((ids.count - 1) * (2 * k + 1) / (2 * count));
  }
  take(ids.count - 1);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

const HeadPlan& plan_of(const Engine& engine, std::int64_t head_dim) {
  if (!engine.plan) engine.plan = std::make_shared<const HeadPlan>(make_plan(engine, head_dim));
  return *engine.plan;
}

}  // namespace posenc::diagnosis
