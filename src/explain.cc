#include "posenc/explain.h"

#include "detail/explain_learned.h"
#include "detail/explain_sinusoidal.h"
#include "posenc/error.h"

namespace posenc {

std::vector<Step> explain(const Spec& spec, double position, const ExplainOptions& options) {
  struct Kinds {
    double position;
    const ExplainOptions& options;
    std::vector<Step> operator()(const Sinusoidal& s) const { return detail::explain_sinusoidal(s, position, options); }
    std::vector<Step> operator()(const Learned& s) const { return detail::explain_learned(s, position, options); }
    std::vector<Step> operator()(const Hybrid& s) const { return detail::explain_hybrid(s, position, options); }
    std::vector<Step> operator()(const Rotary&) const {
      fail(ErrorKind::unsupported, "[explain] there is no worked example of a rotary encoding");
    }
  };
  return std::visit(Kinds{position, options}, spec);
}

}  // namespace posenc
