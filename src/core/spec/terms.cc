// Vectors that meet queries and keys, and no positions at all.
#include <cmath>

#include "core/spec/kind_row.h"
#include "core/spec/shared_fields.h"
#include "posenc/position.h"

namespace posenc {
namespace spec {
namespace {

constexpr std::string_view kPastWords[] = {"clip", "zero", "error"};
constexpr std::string_view kTermWords[] = {"query", "query_and_key"};

std::vector<Field> shaw_fields(Shaw& s) {
  const auto reach = [](const char* name, std::int64_t& value, const char* help) {
    return Field(name, &value, help).between(0, kMaxRows, "positions").must_be_given();
  };
  return {
      head_dim_field(s.head_dim),
      reach("left", s.left, "offsets down to -left have a vector of their own"),
      reach("right", s.right, "offsets up to right have; the tables have left + right + 1 rows"),
      offset_field(s.offset),
      Field("past", enum_field(s.past, kPastWords), "offsets beyond take the vector at the end, none, or are an error"),
      Field("term", enum_field(s.term, kTermWords), "what meets the vectors: q.r, or q.r + k.r")};
}

// Products of as many numbers keep their size.
NormalStart normal_over(std::int64_t width) { return {1.0 / std::sqrt(static_cast<double>(width))}; }

std::vector<ParameterInfo> shaw_parameters(const Shaw& spec) {
  const std::int64_t rows = spec.left + spec.right + 1;
  return {{.name = "keys",
           .shape = {rows, spec.head_dim},
           .help = "a vector per offset, from -left up, that meets the query",
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
          even_width_field(s.width, "of the sinusoidal rows, even"),
          base_field(s.base),
          order_field(s.order),
          Field("clamp_distance", &s.clamp_distance, "distances beyond are read at it; 0: none is clamped")
              .between(0, kPositionLimit, "positions")};
}

void check_transformer_xl(const TransformerXl& spec, std::string_view where) { check_even_width(spec.width, where); }

std::vector<ParameterInfo> transformer_xl_parameters(const TransformerXl& spec) {
  const std::vector<std::int64_t> shape = {spec.heads, spec.head_dim};
  const NormalStart start = normal_over(spec.head_dim);
  return {{.name = "u", .shape = shape, .help = "added to queries where they meet keys", .start = start},
          {.name = "v", .shape = shape, .help = "added to queries where they meet distances", .start = start},
          {.name = "position_weight",
           .shape = {spec.heads * spec.head_dim, spec.width},
           .help = "what sinusoidal rows of distances are multiplied by",
           .start = normal_over(spec.width)}};
}

}  // namespace
}  // namespace spec

constinit const spec::KindRow NoPosition::row = {.fields = [](Spec&) { return std::vector<spec::Field>(); }};
constinit const spec::KindRow Shaw::row = {.fields = spec::of_kind<spec::shaw_fields>,
                                           .parameters = spec::of_kind<spec::shaw_parameters>};
constinit const spec::KindRow TransformerXl::row = {.fields = spec::of_kind<spec::transformer_xl_fields>,
                                                    .check = spec::of_kind<spec::check_transformer_xl>,
                                                    .parameters = spec::of_kind<spec::transformer_xl_parameters>};

}  // namespace posenc
