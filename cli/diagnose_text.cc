#include "cli/diagnose_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kTextColumns = 100;
constexpr std::size_t kIndent = 14;

// A label, followed by wrapped text.
std::string paragraph(const std::string& label, const std::string& text) {
  std::string result, before = label;
  for (const std::string& line : wrapped(text, kTextColumns - kIndent)) {
    result += fmt::format("{:<{}}{}\n", before, kIndent, line);
    before.clear();
  }
  return result;
}

std::string name_of(const Explanation& explanation) { return fmt::format("{}", fmt::join(explanation.faults, " + ")); }

std::string separation_text(const Diagnosis& answer) {
  const Separation& at = *answer.separation;
  const std::string other = answer.explanations.size() > 1 ? name_of(answer.explanations[1]) : "the spec";
  return fmt::format("at {}{} {}: the engine has {:.6g}, {} gives {:.6g}, {} {:.6g}",
                     at.position.empty() ? "" : fmt::format("position {}, ", at.position), at.channel_name, at.channel,
                     at.observed, name_of(answer.explanations[0]), at.best, other, at.other);
}

// A map of the differences: tokens down, channels across.
std::string picture(const Diagnosis::ErrorMap& map) {
  if (map.rows == 0) return "";
  const double most = *std::max_element(map.values.begin(), map.values.end());
  std::string text =
      fmt::format("\nwhere the numbers differ: tokens down, {}s across ({} of them); @ is a relative error of {:.3g}\n",
                  map.channel_name, map.width, most);
  constexpr std::string_view kLevels = " .:-=+*#%@";
  std::size_t label = 8;
  for (const std::string& position : map.positions) label = std::max(label, position.size());
  text += fmt::format("{:>{}}\n", "position", label);
  for (std::int64_t r = 0; r < map.rows; ++r) {
    std::string cells;
    for (std::int64_t c = 0; c < map.columns; ++c) {
      const double share = most > 0.0 ? map.values[static_cast<std::size_t>(r * map.columns + c)] / most : 0.0;
      const auto level = static_cast<std::size_t>(share * static_cast<double>(kLevels.size() - 1) + 0.5);
      cells += kLevels[std::min(level, kLevels.size() - 1)];
    }
    text += fmt::format("{:>{}}  {}\n", map.positions[static_cast<std::size_t>(r)], label, cells);
  }
  return text;
}

}  // namespace

std::string diagnosis_text(const Diagnosis& answer) {
  std::string text;
  if (answer.verdict == DiagnosisVerdict::matches) {
    text += paragraph("matches", fmt::format("largest difference {:.3g}", answer.largest_difference));
  } else if (answer.verdict == DiagnosisVerdict::not_explained) {
    text += paragraph("not explained", answer.sentence.substr(answer.sentence.find(':') + 2));
  } else {
    const Explanation& best = answer.explanations[0];
    text += paragraph("fault", name_of(best));
    text += paragraph("", best.sentence);
    for (const std::string& tie : answer.ties) text += paragraph("or", tie);
    text += paragraph(
        "fit", fmt::format("relative error {:.3g} with this fault, {:.3g} without", best.residual, answer.residual));
    if (answer.explanations.size() > 1) {
      const Explanation& next = answer.explanations[1];
      text += paragraph("runner-up", fmt::format("{}, relative error {:.3g}", name_of(next), next.residual));
    }
    if (answer.separation) text += paragraph("they differ", separation_text(answer));
    text += paragraph("fix", best.fix);
    text += fmt::format("{:<{}}{}\n", "to see it", kIndent, best.command);
  }
  for (const Explanation& near : answer.nearest) {
    text += paragraph("closest", fmt::format("{}, relative error {:.3g} with it, {:.3g} without", name_of(near),
                                             near.residual, answer.residual));
  }
  for (const std::string& note : answer.notes) text += paragraph("note", note);
  for (const std::string& line : answer.cannot_tell) text += paragraph("cannot tell", line);
  if (answer.verdict == DiagnosisVerdict::not_explained) text += picture(answer.errors);
  return text;
}

std::string injected_text(const InjectedFault& fault) {
  std::string text = fmt::format(
      "{}\n\nerror: the largest difference at a {}; right and wrong: number {} of the output, which differs most\n\n",
      fault.sentence, fault.along, fault.channel);
  text += fmt::format("{:>10}  {:>12}  {:>12}  {:>12}\n", fault.along, "error", fmt::format("right[{}]", fault.channel),
                      fmt::format("wrong[{}]", fault.channel));
  for (std::size_t n = 0; n < fault.positions.size(); ++n) {
    text += fmt::format("{:>10}  {:>12.6g}  {:>12.6g}  {:>12.6g}\n", fault.positions[n], fault.error[n],
                        fault.right[n] + 0.0, fault.wrong[n] + 0.0);  // -0 becomes 0
  }
  return text;
}

Json::Object injected_json(const InjectedFault& fault, const std::string& spec, const std::string& name) {
  return {{"spec", spec},
          {"fault", name},
          {"sentence", fault.sentence},
          {"positions", fault.positions},
          {"error", fault.error},
          {"channel", fault.channel},
          {"right", fault.right},
          {"wrong", fault.wrong}};
}

}  // namespace posenc::cli
