#include "posenc/parameters.h"

#include <type_traits>
#include <variant>

namespace posenc {
namespace {

using Infos = std::vector<ParameterInfo>;

// A length that a spec leaves to its table is 0 there.
std::int64_t length_or_any(std::int64_t length) { return length == 0 ? -1 : length; }

Infos infos_of(const Learned& spec) {
  return {
      {.name = "table", .shape = {length_or_any(spec.rows), length_or_any(spec.width)}, .help = "a row per position"}};
}

Infos infos_of(const Hybrid& spec) {
  return {{.name = "table",
           .shape = {length_or_any(spec.learned.rows), spec.fixed.width},
           .help = "a row per position, of the learned part"}};
}

Infos infos_of(const Concat& spec) {
  Infos infos;
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    const auto* learned = std::get_if<Learned>(&spec.parts[i].encoding);
    if (learned == nullptr) continue;
    infos.push_back({.name = "table" + std::to_string(i),
                     .shape = {length_or_any(learned->rows), length_or_any(learned->width)},
                     .help = "a row per coordinate, of part " + std::to_string(i)});
  }
  return infos;
}

Infos infos_of(const Clipped& spec) {
  return {{.name = "table",
           .shape = {2 * spec.max_distance + 1, spec.heads},
           .help = "a number per offset, from -max_distance up, and head"}};
}

Infos infos_of(const T5& spec) {
  return {{.name = "table", .shape = {spec.buckets, spec.heads}, .help = "a number per bucket and head"}};
}

Infos infos_of(const Alibi& spec) {
  return {{.name = "slopes", .shape = {spec.heads}, .help = "instead of those of the rule", .optional = true}};
}

Infos infos_of(const Kerple& spec) {
  const std::vector<std::int64_t> shape = {spec.heads};
  const bool log = spec.kernel == KerpleKernel::log;
  Infos infos = {{.name = "p", .shape = shape, .help = log ? "multiplies the logarithm" : "the power of the distance"},
                 {.name = "a", .shape = shape, .help = log ? "multiplies the distance" : "multiplies the power"}};
  if (log) {
    infos.push_back(
        {.name = "exponent", .shape = shape, .help = "the power of the distance, else 1", .optional = true});
  }
  infos.push_back({.name = "factor_a",
                   .shape = shape,
                   .help = "with factor_p: scores are first multiplied by exp(-factor_a d^factor_p)",
                   .optional = true});
  infos.push_back(
      {.name = "factor_p", .shape = shape, .help = "the power of the distance in the factor", .optional = true});
  return infos;
}

Infos infos_of(const Fire& spec) {
  return {{.name = "c", .shape = {1}, .help = "multiplies positions within the logarithm"},
          {.name = "length_factor", .shape = {1}, .help = "multiplies length"},
          {.name = "in_weight", .shape = {spec.width, 1}, .help = "of the first layer of the mlp"},
          {.name = "in_bias", .shape = {spec.width}, .help = "of the first layer"},
          {.name = "out_weight", .shape = {spec.heads, spec.width}, .help = "of the second layer"},
          {.name = "out_bias", .shape = {spec.heads}, .help = "of the second layer"}};
}

Infos infos_of(const MatrixBias&) {
  return {{.name = "values", .shape = {-1, -1}, .help = "a number per query and key", .per_head = true}};
}

Infos infos_of(const Shaw& spec) {
  const std::int64_t rows = spec.left + spec.right + 1;
  return {{.name = "keys",
           .shape = {rows, spec.head_dim},
           .help = "a vector per offset, from -left up, that meets the query",
           .per_head = true},
          {.name = "values",
           .shape = {rows, -1},
           .help = "a vector per offset that is added to the value",
           .optional = true,
           .per_head = true}};
}

Infos infos_of(const TransformerXl& spec) {
  return {{.name = "u", .shape = {spec.heads, spec.head_dim}, .help = "added to queries where they meet keys"},
          {.name = "v", .shape = {spec.heads, spec.head_dim}, .help = "added to queries where they meet distances"},
          {.name = "position_weight",
           .shape = {spec.heads * spec.head_dim, spec.width},
           .help = "what sinusoidal rows of distances are multiplied by"}};
}

Infos infos_of(const Pope& spec) {
  return {{.name = "delta",
           .shape = {-1, spec.rotary_dim != 0 ? spec.rotary_dim : spec.head_dim},
           .help = "an angle per head and channel, added to that of keys; else 0",
           .optional = true}};
}

template <class Fixed>
Infos infos_of(const Fixed&) {
  return {};
}

}  // namespace

std::vector<ParameterInfo> parameters_of(const Spec& spec) {
  return std::visit([](const auto& kind) { return infos_of(kind); }, spec);
}

}  // namespace posenc
