// The fields of shaw and transformer_xl, whose vectors are multiplied with queries and keys, and of none, the kind
// without positions.
#include <cmath>

#include "core/spec/kind_row.h"
#include "core/spec/shared_fields.h"
#include "posenc/position.h"

namespace posenc {
namespace spec {
namespace {

constexpr std::string_view kPastWords[] = {"clip", "zero", "error"};
constexpr std::string_view kNoneNames[] = {"nope", "no_positions"};
constexpr std::string_view kShawNames[] = {"relative", "rpe"};
constexpr std::string_view kTransformerXlNames[] = {"transformerxl", "txl", "relative", "rpe"};
constexpr UnclearField kValuesAsGiven = {"d_v", "values have the width that they are given with: leave it out"};
constexpr UnclearField kShawUnclear[] = {
    {"max_relative_position max_relative_positions max_distance",
     "write how far it reaches to either side: <left={},right={}>", "16"},
    {"dim width", "write head_dim for the channels of a head: <head_dim={}>"},
    kHeadsOfModel,
    kAnyHeads,
    kValuesAsGiven,
    kAnyDistance,
};
constexpr UnclearField kTransformerXlUnclear[] = {
    {"dim",
     "write head_dim for the channels of a head, <heads=8,head_dim={},width=512>, or width for those of the sinusoidal "
     "rows, <heads=8,head_dim=64,width={}>"},
    kValuesAsGiven,
    kAnyDistance,
};
constexpr std::string_view kTermWords[] = {"query", "query_and_key"};

std::vector<Field> shaw_fields(Shaw& s) {
  const auto reach = [](const char* name, std::int64_t& value, const char* help) {
    return Field(name, &value, help).between(0, kMaxRows, "positions").must_be_given().example("2", "16");
  };
  return {head_dim_field(s.head_dim),
          reach("left", s.left, "offsets down to -left have their own vector"),
          reach("right", s.right, "offsets up to right have their own vector; the tables have left + right + 1 rows"),
          offset_field(s.offset),
          Field("past", enum_field(s.past, kPastWords),
                "offsets beyond left and right: the last vector, no vector, or an error"),
          Field("term", enum_field(s.term, kTermWords), "the dot products with the vectors: q.r, or q.r + k.r")};
}

// With this standard deviation, the dot product with a vector of `width` numbers is about as large as one of them.
NormalStart normal_over(std::int64_t width) { return {1.0 / std::sqrt(static_cast<double>(width))}; }

std::vector<ParameterInfo> shaw_parameters(const Shaw& spec) {
  const std::int64_t rows = spec.left + spec.right + 1;
  return {{.name = "keys",
           .shape = {rows, spec.head_dim},
           .help = "a vector per offset, from -left up, multiplied with the query",
           .per_head = true,
           .start = normal_over(spec.head_dim)},
          {.name = "values",
           .shape = {rows, -1},
           .help = "a vector per offset that is added to the value",
           .optional = true,
           .per_head = true,
           .start = normal_over(spec.head_dim)}};
}

std::vector<Field> transformer_xl_fields(TransformerXl& s) {
  return {heads_field(s.heads),
          head_dim_field(s.head_dim),
          even_width_field(s.width, "channels of the sinusoidal rows, even").alias({"d_model", "hidden_size"}),
          base_field(s.base),
          order_field(s.order),
          Field("clamp_distance", &s.clamp_distance, "larger distances count as this one; 0: no limit")
              .between(0, kPositionLimit, "positions")
              .alias({"clamp_len"})};
}

void check_transformer_xl(const TransformerXl& spec, std::string_view where) { check_even_width(spec.width, where); }

std::vector<ParameterInfo> transformer_xl_parameters(const TransformerXl& spec) {
  const std::vector<std::int64_t> shape = {spec.heads, spec.head_dim};
  const NormalStart start = normal_over(spec.head_dim);
  return {{.name = "u", .shape = shape, .help = "added to queries where they meet keys", .start = start},
          {.name = "v", .shape = shape, .help = "added to queries where they meet distances", .start = start},
          {.name = "position_weight",
           .shape = {spec.heads * spec.head_dim, spec.width},
           .help = "multiplies the sinusoidal rows of distances",
           .start = normal_over(spec.width)}};
}

}  // namespace
}  // namespace spec

constinit const spec::KindRow NoPosition::row = {.fields = [](Spec&) { return std::vector<spec::Field>(); },
                                                 .words = spec::kNoneNames};
constinit const spec::KindRow Shaw::row = {.fields = spec::of_kind<spec::shaw_fields>,
                                           .parameters = spec::of_kind<spec::shaw_parameters>,
                                           .words = spec::kShawNames,
                                           .unclear = spec::kShawUnclear};
constinit const spec::KindRow TransformerXl::row = {.fields = spec::of_kind<spec::transformer_xl_fields>,
                                                    .check = spec::of_kind<spec::check_transformer_xl>,
                                                    .parameters = spec::of_kind<spec::transformer_xl_parameters>,
                                                    .words = spec::kTransformerXlNames,
                                                    .unclear = spec::kTransformerXlUnclear};

}  // namespace posenc
