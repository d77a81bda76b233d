// Numbers that published implementations computed: golden/README.md says which.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "golden/families.h"
#include "golden/files.h"
#include "posenc/files/file.h"
#include "posenc/table.h"
#include "support/expect_error.h"

namespace golden_test {
namespace {

using golden::Expectation;
using posenc::Json;

std::vector<std::filesystem::path> golden_files() { return golden::files_of(POSENC_TESTS "/golden/sinusoidal"); }

// The output `path`, "embeddings.fsmt" or "float32".
const Json& output_at(const Json& outputs, const std::string& path) {
  const std::size_t point = path.find('.');
  if (point == std::string::npos) return *outputs.find(path);
  return *outputs.find(path.substr(0, point))->find(path.substr(point + 1));
}

std::size_t count_outputs(const Json& outputs) {
  std::size_t count = 0;
  for (const auto& [key, value] : outputs.object()) count += value.is_object() ? value.object().size() : 1;
  return count;
}

// The frequency of each column; 0 for a column of zeros.
std::vector<double> column_frequencies(const posenc::SinusoidalSchedule& schedule) {
  std::vector<double> result(static_cast<std::size_t>(schedule.width), 0.0);
  for (const posenc::Columns& columns : {schedule.sine, schedule.cosine}) {
    for (std::int64_t j = 0; j < columns.count; ++j) {
      result[static_cast<std::size_t>(columns.start + j * columns.stride)] =
          std::fabs(schedule.inv_freq[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

// What the file's own arithmetic explains. Exact values: the rounding of the frequency to double. float32: an exponent
// that was rounded twice on its way through the logarithm, then a frequency and an angle rounded once each.
double tolerance(bool exact, double counted, double inv_freq, double largest) {
  if (exact) return 1e-12 + std::fabs(counted) * 0x1p-53 * std::max(1.0, largest);
  if (inv_freq == 0.0) return 1e-6;
  return 1e-6 + 0x1p-24 * (2.0 + 2.0 * std::fabs(std::log(inv_freq))) * std::fabs(counted) * inv_freq;
}

std::vector<double> rows_of(const Expectation& expected, const posenc::SinusoidalSchedule& schedule) {
  const auto count = static_cast<std::int64_t>(expected.positions.size());
  std::vector<double> rows(expected.positions.size() * static_cast<std::size_t>(schedule.width));
  posenc::fill_table(schedule, posenc::PositionView::of(expected.positions.data(), count),
                     posenc::make_view(rows.data(), {count, schedule.width}));
  for (std::size_t i = 0; i < expected.added.size(); ++i) rows.at(i) += expected.added[i];
  return rows;
}

void compare_positions(const Expectation& expected, const std::vector<double>& numbers) {
  ASSERT_EQ(numbers.size(), expected.positions.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(expected.positions[i] + static_cast<double>(expected.spec.first), numbers[i]) << "token " << i;
  }
}

void compare_rows(const Expectation& expected, const std::vector<double>& numbers) {
  const posenc::SinusoidalSchedule schedule = posenc::make_schedule(expected.spec);
  const std::vector<double> rows = rows_of(expected, schedule);
  ASSERT_EQ(numbers.size(), rows.size());
  const std::vector<double> frequencies = column_frequencies(schedule);
  const double largest = frequencies.empty() ? 0.0 : *std::max_element(frequencies.begin(), frequencies.end());
  const bool exact = expected.output.starts_with("exact");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t column = i % frequencies.size();
    const double counted = expected.positions[i / frequencies.size()] + static_cast<double>(schedule.first);
    ASSERT_NEAR(rows[i], numbers[i], tolerance(exact, counted, frequencies[column], largest))
        << "position " << counted << " column " << column;
  }
}

TEST(Golden, EveryCaseAgrees) {
  std::size_t cases = 0, outputs_compared = 0, numbers_compared = 0;
  for (const auto& file : golden_files()) {
    SCOPED_TRACE(file.filename().string());
    const Json json = golden::load(file);
    const Json& outputs = *json.find("outputs");
    if (outputs.find("error") || outputs.find("errors")) continue;
    const auto expectations = golden::expectations_of(file.stem().string(), *json.find("inputs"), outputs);
    EXPECT_EQ(expectations.size(), count_outputs(outputs)) << "every output must be compared";
    for (const Expectation& expected : expectations) {
      SCOPED_TRACE(expected.output + " of " + posenc::to_text(posenc::Spec(expected.spec)));
      const std::vector<double> numbers = golden::flat_numbers(output_at(outputs, expected.output));
      expected.only_positions ? compare_positions(expected, numbers) : compare_rows(expected, numbers);
      ++outputs_compared;
      numbers_compared += numbers.size();
    }
    ++cases;
  }
  std::printf("%zu cases, %zu outputs, %zu numbers compared\n", cases, outputs_compared, numbers_compared);
  EXPECT_GE(cases, 47u);
}

TEST(Golden, EveryFileIsClaimed) {
  for (const auto& file : golden_files()) {
    const std::string name = file.stem().string();
    EXPECT_EQ(file.extension(), ".json") << file;
    const Json json = golden::load(file);
    EXPECT_EQ(json.find("case")->string(), name);
    const Json& outputs = *json.find("outputs");
    const auto defects = golden::defects();
    const bool listed = std::any_of(defects.begin(), defects.end(), [&](const auto& d) { return d.name == name; });
    const bool records_error = outputs.find("error") || outputs.find("errors");
    EXPECT_EQ(listed, records_error) << name << ": an error is listed with the reason why posenc differs";
    if (records_error) continue;
    EXPECT_FALSE(golden::expectations_of(name, *json.find("inputs"), outputs).empty()) << name << " has no family";
  }
}

TEST(Golden, PosencAnswersWhereAnotherPackageFails) {
  for (const golden::Defect& defect : golden::defects()) {
    SCOPED_TRACE(std::string(defect.name) + ": " + std::string(defect.reason));
    ASSERT_TRUE(std::filesystem::exists(POSENC_TESTS "/golden/sinusoidal/" + std::string(defect.name) + ".json"));
    for (std::size_t i = 0; i < defect.specs.size(); ++i) {
      if (defect.inv_freq[i].empty()) {
        expect_error(posenc::ErrorKind::bad_input, "width must be even",
                     [&] { posenc::make_schedule(defect.specs[i]); });
      } else {
        EXPECT_EQ(posenc::make_schedule(defect.specs[i]).inv_freq, defect.inv_freq[i]);
      }
    }
  }
}

// The code above must notice a wrong encoding: another order, another rule and another start all fail.
TEST(Golden, AWrongSpecWouldBeNoticed) {
  const Json json = golden::load(POSENC_TESTS "/golden/sinusoidal/a_xlm_interleaved_d8.json");
  const Json& outputs = *json.find("outputs");
  const std::vector<double> numbers = golden::flat_numbers(output_at(outputs, "exact_f64"));
  const Expectation right = golden::expectations_of("a_xlm_interleaved_d8", *json.find("inputs"), outputs).at(0);
  const auto differs = [&](posenc::Sinusoidal spec) {
    Expectation wrong = right;
    wrong.spec = std::move(spec);
    const std::vector<double> rows = rows_of(wrong, posenc::make_schedule(wrong.spec));
    double largest = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) largest = std::max(largest, std::fabs(rows[i] - numbers[i]));
    return largest > 1e-2;
  };
  EXPECT_FALSE(differs(right.spec));
  EXPECT_TRUE(differs({.width = 8, .order = posenc::Order::halves}));
  EXPECT_TRUE(differs({.width = 8, .order = posenc::Order::cos_interleaved}));
  EXPECT_TRUE(differs({.width = 8, .spacing = posenc::Spacing::half}));
  EXPECT_TRUE(differs({.width = 8, .first = 1}));
  EXPECT_TRUE(differs({.width = 8, .base = 9999.0}));
}

}  // namespace
}  // namespace golden_test
