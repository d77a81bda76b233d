#include "posenc/insight/explain.h"

#include "insight/properties/kind_page.h"
#include "insight/properties/lists.h"
#include "posenc/error.h"

namespace posenc {
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
  if (explain_at != nullptr) return explain_at(spec, position, options);
  fail(ErrorKind::usage,
       "[explain] " + std::string(kind_of(spec)) + " depends on two positions: explain it with queries and keys");
}

}  // namespace posenc
