#include "posenc/insight/explain.h"

#include "core/spec/rotary_window.h"
#include "insight/explanation/explain_axes.h"
#include "insight/explanation/explain_learned.h"
#include "insight/explanation/explain_mask.h"
#include "insight/explanation/explain_query.h"
#include "insight/explanation/explain_rotary.h"
#include "insight/explanation/explain_sinusoidal.h"
#include "posenc/error.h"

namespace posenc {
namespace {

struct Kinds {
  std::span<const double> position;
  const ExplainOptions& options;
  std::vector<Step> operator()(const Sinusoidal& s) const {
    return explanation::explain_sinusoidal(s, position[0], options);
  }
  std::vector<Step> operator()(const Learned& s) const { return explanation::explain_learned(s, position[0], options); }
  std::vector<Step> operator()(const Hybrid& s) const { return explanation::explain_hybrid(s, position[0], options); }
  std::vector<Step> operator()(const Concat& s) const { return explanation::explain_concat(s, position, options); }
  std::vector<Step> operator()(const Fourier& s) const { return explanation::explain_fourier(s, position, options); }
  std::vector<Step> operator()(const Rotary& s) const { return explanation::explain_rotary(s, position, options); }
  std::vector<Step> operator()(const NoPosition&) const { return explanation::explain_none(position[0], options); }
  std::vector<Step> operator()(const Window& s) const { return explanation::explain_mask(s, position[0], options); }
  std::vector<Step> operator()(const Chunked& s) const { return explanation::explain_mask(s, position[0], options); }
  std::vector<Step> operator()(const Pope& s) const { return explanation::explain_pope(s, position, options); }
  std::vector<Step> operator()(const Xpos& s) const { return explanation::explain_xpos(s, position[0], options); }
  std::vector<Step> operator()(const QueryTemperature& s) const {
    return explanation::explain_temperature(s, position[0], options);
  }
  template <class Relative>
  std::vector<Step> operator()(const Relative& s) const {
    fail(ErrorKind::usage,
         "[explain] " + std::string(kind_of(s)) + " depends on two positions: explain it with queries and keys");
  }
};

}  // namespace

std::vector<Step> explain(const Spec& spec, double position, const ExplainOptions& options) {
  return explain(spec, std::span<const double>(&position, 1), options);
}

std::vector<Step> explain(const Spec& spec, std::span<const double> position, const ExplainOptions& options) {
  const auto axes = static_cast<std::size_t>(axes_of(spec));
  if (position.size() != axes) {
    fail(ErrorKind::usage, "[explain] position must have one coordinate per axis, " + std::to_string(axes) +
                               ", but has " + std::to_string(position.size()));
  }
  return std::visit(Kinds{position, options}, spec);
}

}  // namespace posenc
