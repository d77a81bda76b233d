#include "core/spec/shared_fields.h"

#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/spec/kind_row.h"

namespace posenc::spec {
namespace {

constexpr std::string_view kOffsetWords[] = {"key_minus_query", "query_minus_key"};
constexpr std::string_view kAddedWords[] = {"after_scale", "before_scale"};

}  // namespace

Field with_example(Field field, const ExampleSizes& sizes) {
  return std::move(field).example(std::to_string(sizes.by_hand), std::to_string(sizes.picture));
}

std::vector<std::string> width_aliases() {
  return {"d_model", "hidden_size", "dim", "embed_dim", "embedding_dim", "emb_dim", "n_embd", "d"};
}

std::vector<std::string> base_aliases() {
  return {"theta", "rope_theta", "rope_base", "rotary_base", "rotary_emb_base", "freq_base", "rope_freq_base"};
}

Field heads_field(std::int64_t& heads) {
  return with_example(Field("heads", &heads, "attention heads, counted by their queries")
                          .between(1, kMaxHeads)
                          .must_be_given()
                          .alias({"n_heads", "num_heads", "n_head", "num_attention_heads", "nhead"}),
                      kExampleHeads);
}

Field head_dim_field(std::int64_t& head_dim, double low, double high) {
  return with_example(Field("head_dim", &head_dim, "channels per head")
                          .between(low, high, "channels")
                          .must_be_given()
                          .alias({"d_head", "dim_head", "head_size", "d_k"}),
                      kExampleWidth);
}

Field base_field(double& base, std::string_view help) { return Field("base", &base, help).above(0); }

Field multiplier_field(double& multiplier) { return Field("multiplier", &multiplier, "multiplies every value"); }

Field order_field(Order& order) {
  return Field("order", enum_field(order, kOrderWords), "the order of sines and cosines in a row");
}

Field first_channel_field(std::int64_t& first_channel) {
  return Field("rope_offset", &first_channel,
               "the first channel that rotates; negative: counted from the end of the head")
      .between(-kHeadDimLimit, kHeadDimLimit, "channels")
      .also_called("first_channel");
}

Field even_width_field(std::int64_t& width, std::string_view help) {
  return with_example(Field("width", &width, help).between(2, kMaxWidth, "channels").must_be_given(), kExampleWidth);
}

Field added_field(Added& added) {
  return Field("added", enum_field(added, kAddedWords),
               "after the scores are scaled, or before, so that the scale multiplies the bias too");
}

Field direction_field(DistanceRule& direction) {
  return Field("direction", enum_field(direction, kDirectionWords),
               "the distance between query i and key j: |i - j|, or max(i - j, 0)");
}

Field offset_field(Offset& offset) {
  return Field("offset", enum_field(offset, kOffsetWords), "the offset of key j from query i: j - i, or i - j");
}

void check_even_width(std::int64_t width, std::string_view where) {
  base::require_input(width % 2 == 0, where, "width must be even but got ", width);
}

}  // namespace posenc::spec
