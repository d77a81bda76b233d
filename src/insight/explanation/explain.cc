#include "posenc/insight/explain.h"

#include "insight/explanation/explain_text.h"
#include "insight/properties/kind_page.h"
#include "insight/properties/lists.h"
#include "posenc/error.h"

namespace posenc {

void explanation::add_mistakes(const Spec& spec, std::vector<Step>& steps) {
  const properties::KindPage& page = properties::page_of(spec);
  Step step{"mistakes", "Common mistakes", {}, {}};
  std::vector<std::string> mistakes;
  if (page.mistakes != nullptr) {
    mistakes = page.mistakes(spec);
  } else {
    step.title = "Easy to get wrong";
    mistakes = {page.facts(spec).order_of_terms};
  }
  for (const std::string& mistake : mistakes) {
    if (mistake.empty()) continue;
    for (std::string& line : wrapped_lines("- " + mistake, "  ")) step.lines.push_back(std::move(line));
  }
  if (step.lines.empty()) return;
  const bool commands = !steps.empty() && steps.back().name == "reproduce";
  steps.insert(commands ? steps.end() - 1 : steps.end(), std::move(step));
}

bool explains_position(const Spec& spec) { return properties::page_of(spec).explain != nullptr; }

std::vector<Step> explain(const Spec& spec, double position, const ExplainOptions& options) {
  return explain(spec, std::span<const double>(&position, 1), options);
}

std::vector<Step> explain(const Spec& spec, std::span<const double> position, const ExplainOptions& options) {
  const auto axes = static_cast<std::size_t>(axes_of(spec));
  if (position.size() != axes) {
    fail(ErrorKind::usage, "[explain] position must have one coordinate per axis, " + std::to_string(axes) +
                               ", but has " + std::to_string(position.size()));
  }
  validate(spec);
  check_positions(properties::places_view(position.data(), 1, axes_of(spec)), "explain");
  const auto explain_at = properties::page_of(spec).explain;
  if (explain_at != nullptr) {
    std::vector<Step> steps = explain_at(spec, position, options);
    explanation::add_mistakes(spec, steps);
    return steps;
  }
  fail(ErrorKind::usage,
       "[explain] " + std::string(kind_of(spec)) + " depends on two positions: give queries and keys");
}

}  // namespace posenc
