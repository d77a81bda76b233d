#include "posenc/insight/subject.h"

namespace posenc {
namespace {

struct PlaceOf {
  Place operator()(const Sinusoidal&) const noexcept { return Place::input; }
  Place operator()(const Learned&) const noexcept { return Place::input; }
  Place operator()(const Hybrid&) const noexcept { return Place::input; }
  Place operator()(const Concat&) const noexcept { return Place::input; }
  Place operator()(const Fourier&) const noexcept { return Place::input; }
  Place operator()(const Rotary&) const noexcept { return Place::rotation; }
  Place operator()(const Pope&) const noexcept { return Place::rotation; }
  Place operator()(const Xpos&) const noexcept { return Place::rotation; }
  Place operator()(const QueryTemperature&) const noexcept { return Place::query; }
  Place operator()(const Shaw&) const noexcept { return Place::term; }
  Place operator()(const TransformerXl&) const noexcept { return Place::term; }
  Place operator()(const NoPosition&) const noexcept { return Place::nowhere; }
  template <class Bias>
  Place operator()(const Bias&) const noexcept {
    return Place::bias;
  }
};

}  // namespace

Place place_of(const Spec& spec) noexcept { return std::visit(PlaceOf{}, spec); }

}  // namespace posenc
