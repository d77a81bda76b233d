#include "core/spec/shared_fields.h"

#include <string>

#include "core/base/refuse.h"
#include "core/spec/kind_row.h"

namespace posenc::spec {
namespace {

constexpr std::string_view kOffsetWords[] = {"key_minus_query", "query_minus_key"};
constexpr std::string_view kAddedWords[] = {"after_scale", "before_scale"};

}  // namespace

Field heads_field(std::int64_t& heads) {
  return Field("heads", &heads, "heads of queries").between(1, kMaxHeads).must_be_given();
}

Field head_dim_field(std::int64_t& head_dim, double low, double high) {
  return Field("head_dim", &head_dim, "channels of a head").between(low, high, "channels").must_be_given();
}

Field base_field(double& base, std::string_view help) { return Field("base", &base, help).above(0); }

Field multiplier_field(double& multiplier) { return Field("multiplier", &multiplier, "multiplies every value"); }

Field order_field(Order& order) {
  return Field("order", enum_field(order, kOrderWords), "where sines and cosines stand in a row");
}

Field first_channel_field(std::int64_t& first_channel) {
  return Field("rope_offset", &first_channel,
               "the first channel that turns; negative: counted from the end of the head")
      .between(-kHeadDimLimit, kHeadDimLimit, "channels")
      .also_called("first_channel");
}

Field even_width_field(std::int64_t& width, std::string_view help) {
  return Field("width", &width, help).between(2, kMaxWidth, "channels").must_be_given();
}

Field added_field(Added& added) {
  return Field("added", enum_field(added, kAddedWords),
               "to the scores after they were scaled, or before, so that the scale multiplies it too");
}

Field direction_field(DistanceRule& direction) {
  return Field("direction", enum_field(direction, kDirectionWords),
               "the distance of query i and key j: |i - j|, or max(i - j, 0)");
}

Field offset_field(Offset& offset) {
  return Field("offset", enum_field(offset, kOffsetWords),
               "who is subtracted from whom: j - i, or i - j, for query i and key j");
}

void check_even_width(std::int64_t width, std::string_view where) {
  base::require_input(width % 2 == 0, where, "width must be even but got ", width);
}

}  // namespace posenc::spec
