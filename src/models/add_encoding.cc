// Puts an encoding into the options of attention.
#include <memory>
#include <utility>

#include "models/encoding_state.h"
#include "posenc/attend.h"
#include "posenc/error.h"

namespace posenc {
namespace {

// Refuses a second encoding of the same sort.
void check_free(bool free, const char* what) {
  if (!free) fail(ErrorKind::usage, std::string("attention takes one ") + what + " but got two");
}

// Refuses an encoding that lacks its learned numbers, or that leaves its layer or sequence length open.
template <class Part>
const Part* ready(const std::optional<Part>& part, const Encoding& encoding) {
  if (part) return &*part;
  fail(ErrorKind::usage,
       std::string(kind_of(encoding.spec())) + " cannot be used in attention yet: " +
           (models::EncodingState::of(encoding).computed ? "its learned numbers, layer or sequence length are missing"
                                                         : "call with_learned first"));
}

}  // namespace

void add_encoding(AttendOptions& options, const Encoding& encoding) {
  const models::EncodingState& state = models::EncodingState::of(encoding);
  if (std::holds_alternative<Rotary>(state.spec)) {
    check_free(!options.rotary, "rotary encoding");
    options.rotary = RotaryAngles(*ready(state.rotary, encoding));
  } else if (std::holds_alternative<Pope>(state.spec)) {
    check_free(options.pope == nullptr, "PoPE encoding");
    options.pope = ready(state.pope, encoding);
    if (!state.parameters.empty()) options.pope_delta = state.parameters[0].value;
  } else if (std::holds_alternative<Xpos>(state.spec)) {
    check_free(options.xpos == nullptr, "xPos encoding");
    options.xpos = ready(state.xpos, encoding);
  } else if (const auto* temperature = std::get_if<QueryTemperature>(&state.spec)) {
    check_free(options.temperature == nullptr, "temperature");
    options.temperature = temperature;
  } else if (encoding.place() == Place::term) {
    check_free(options.term == nullptr, "score term");
    options.term = ready(state.term, encoding);
  } else if (encoding.place() == Place::bias) {
    check_free(options.bias == nullptr, "bias");
    options.bias = ready(state.bias, encoding);
  } else {
    return;
  }
  options.kept = std::make_shared<const std::pair<std::shared_ptr<const void>, Encoding>>(options.kept, encoding);
}

}  // namespace posenc
