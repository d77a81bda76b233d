// Every source of rows, with a name, over the same positions 0 to 9, for tests of operations on rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "posenc/input_rows.h"
#include "support/typed_block.h"

class RowCases {
 public:
  static constexpr std::int64_t kRows = 7;
  static constexpr std::int64_t kPositions = 10;  // more than the rows of the learned table

  explicit RowCases(std::int64_t width, posenc::DType table_dtype = posenc::DType::f32)
      : spec_{.width = width, .base = 50.0, .first = 1, .order = posenc::Order::halves, .multiplier = 0.75},
        schedule_(posenc::make_schedule(spec_)),
        table_(table_dtype, 1, kRows, width, {.gap = 3}),
        fixed_(table_dtype, 1, kPositions, width, {.gap = 1}) {
    table_.set_values(random_numbers(kRows * width, 11));
    fixed_.set_values(random_numbers(kPositions * width, 12));
  }

  posenc::Sinusoidal sinusoidal() const { return spec_; }
  const posenc::SinusoidalSchedule& schedule() const { return schedule_; }
  const TypedBlock& table() const { return table_; }
  const TypedBlock& fixed_table() const { return fixed_; }

  posenc::LearnedRows learned(posenc::Learned spec) const { return {spec, table_.flat()}; }

  static std::vector<posenc::Learned> learned_specs() {
    using posenc::PastEnd;
    return {{.past_end = PastEnd::clamp},
            {.past_end = PastEnd::clamp, .first = 2, .multiplier = -1.5},
            {.past_end = PastEnd::interpolate, .length = kPositions},
            {.past_end = PastEnd::interpolate, .first = 1, .length = 13, .multiplier = 3.0},
            {.past_end = PastEnd::clamp, .normalize = posenc::Normalize::l2},
            {.past_end = PastEnd::interpolate,
             .first = 1,
             .length = 11,
             .multiplier = 0.5,
             .normalize = posenc::Normalize::l2}};
  }

  std::vector<std::pair<std::string, posenc::InputRows>> all() const {
    const posenc::FixedRows fixed{fixed_.flat()};
    const posenc::StreamedRows streamed{&schedule_};
    std::vector<std::pair<std::string, posenc::InputRows>> result = {{"fixed", fixed}, {"streamed", streamed}};
    for (const posenc::Learned& spec : learned_specs()) {
      const std::string text = posenc::to_text(posenc::Spec(spec));
      result.emplace_back(text, learned(spec));
      result.emplace_back("fixed + " + text, posenc::HybridRows{fixed, learned(spec)});
      result.emplace_back("streamed + " + text, posenc::HybridRows{streamed, learned(spec)});
    }
    return result;
  }

 private:
  posenc::Sinusoidal spec_;
  posenc::SinusoidalSchedule schedule_;
  TypedBlock table_;
  TypedBlock fixed_;
};
