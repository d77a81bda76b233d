// The field lists of what is done to queries and keys beside the plain rotation, and what no field can tell alone.
#pragma once

#include <string_view>
#include <vector>

#include "core/spec/fields.h"
#include "posenc/query_spec.h"

namespace posenc::spec {

std::vector<Field> fields_of(Pope& spec);
std::vector<Field> fields_of(Xpos& spec);
std::vector<Field> fields_of(QueryTemperature& spec);

void check_together(const Pope& spec, std::string_view where);
void check_together(const Xpos& spec, std::string_view where);

// R: the channels that turn.
inline std::int64_t turning_channels(const Pope& spec) noexcept {
  return spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim;
}
inline std::int64_t turning_channels(const Xpos& spec) noexcept {
  return spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim;
}

}  // namespace posenc::spec
