#include "core/spec/shared_fields.h"

#include <string>

#include "core/spec/kind_row.h"

namespace posenc::spec {
namespace {

constexpr std::string_view kOffsetWords[] = {"key_minus_query", "query_minus_key"};
constexpr std::string_view kAddedWords[] = {"after_scale", "before_scale"};

}  // namespace

Field heads_field(std::int64_t& heads) {
  return {.name = "heads", .value = &heads, .help = "heads of queries", .low = 1, .high = kMaxHeads, .required = true};
}

Field head_dim_field(std::int64_t& head_dim, double low, double high) {
  return {.name = "head_dim",
          .value = &head_dim,
          .help = "channels of a head",
          .unit = "channels",
          .low = low,
          .high = high,
          .required = true};
}

Field base_field(double& base, std::string_view help) {
  return {.name = "base", .value = &base, .help = help, .low = 0, .above_low = true};
}

Field multiplier_field(double& multiplier) {
  return {.name = "multiplier", .value = &multiplier, .help = "multiplies every value"};
}

Field order_field(Order& order) {
  return {.name = "order", .value = enum_field(order, kOrderWords), .help = "where sines and cosines stand in a row"};
}

Field first_channel_field(std::int64_t& first_channel) {
  return {.name = "rope_offset",
          .value = &first_channel,
          .help = "the first channel that turns; negative: counted from the end of the head",
          .unit = "channels",
          .low = -kHeadDimLimit,
          .high = kHeadDimLimit,
          .also = "first_channel"};
}

Field even_width_field(std::int64_t& width, std::string_view help) {
  return {.name = "width",
          .value = &width,
          .help = help,
          .unit = "channels",
          .low = 2,
          .high = kMaxWidth,
          .required = true};
}

Field added_field(Added& added) {
  return {.name = "added",
          .value = enum_field(added, kAddedWords),
          .help = "to the scores after they were scaled, or before, so that the scale multiplies it too"};
}

Field direction_field(DistanceRule& direction) {
  return {.name = "direction",
          .value = enum_field(direction, kDirectionWords),
          .help = "the distance of query i and key j: |i - j|, or max(i - j, 0)"};
}

Field offset_field(Offset& offset) {
  return {.name = "offset",
          .value = enum_field(offset, kOffsetWords),
          .help = "who is subtracted from whom: j - i, or i - j, for query i and key j"};
}

void check_even_width(std::int64_t width, std::string_view where) {
  if (width % 2 != 0) refuse(where, "width must be even but got " + std::to_string(width));
}

}  // namespace posenc::spec
