#include "core/spec/attention_fields.h"

#include <string>

#include "core/spec/enum_field.h"
#include "core/spec/rotary_window.h"
#include "core/text/number_text.h"
#include "posenc/error.h"
#include "posenc/position.h"

namespace posenc::spec {
namespace {

constexpr double kMaxHeads = 65536;
constexpr double kMaxRows = 16777216;  // of a table: 2^24

constexpr std::string_view kOffsetWords[] = {"key_minus_query", "query_minus_key"};
constexpr std::string_view kDirectionWords[] = {"symmetric", "causal"};
constexpr std::string_view kT5DirectionWords[] = {"bidirectional", "causal"};
constexpr std::string_view kAddedWords[] = {"after_scale", "before_scale"};
constexpr std::string_view kRuleWords[] = {"interleaved", "geometric"};
constexpr std::string_view kFormWords[] = {"symmetric", "causal", "key_position"};
constexpr std::string_view kPrecisionWords[] = {"exact", "bfloat16"};
constexpr std::string_view kKernelWords[] = {"log", "power"};
constexpr std::string_view kPastWords[] = {"clip", "zero", "error"};
constexpr std::string_view kTermWords[] = {"query", "query_and_key"};

Field heads_field(std::int64_t& heads) {
  return {.name = "heads", .value = &heads, .help = "heads of queries", .low = 1, .high = kMaxHeads, .required = true};
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

Field head_dim_field(std::int64_t& head_dim) {
  return {.name = "head_dim",
          .value = &head_dim,
          .help = "channels of a head",
          .unit = "channels",
          .low = 1,
          .high = kHeadDimLimit,
          .required = true};
}

Field base_field(double& base) {
  return {.name = "base", .value = &base, .help = "of the frequencies, as in sinusoidal", .low = 0, .above_low = true};
}

[[noreturn]] void refuse(std::string_view where, const std::string& message) {
  fail(ErrorKind::bad_input, "[" + std::string(where) + "] " + message);
}

void check_even_width(std::int64_t width, std::string_view where) {
  if (width % 2 != 0) refuse(where, "width must be even but got " + std::to_string(width));
}

}  // namespace

std::vector<Field> fields_of(NoPosition&) { return {}; }

std::vector<Field> fields_of(Clipped& s) {
  return {heads_field(s.heads),
          {.name = "max_distance",
           .value = &s.max_distance,
           .help = "offsets beyond are clipped to it: the table has 2 max_distance + 1 rows",
           .unit = "positions",
           .low = 1,
           .high = kMaxRows,
           .required = true},
          offset_field(s.offset),
          added_field(s.added)};
}

std::vector<Field> fields_of(T5& s) {
  return {heads_field(s.heads),
          {.name = "buckets", .value = &s.buckets, .help = "rows of the table", .low = 2, .high = kMaxRows},
          {.name = "max_distance",
           .value = &s.max_distance,
           .help = "from here on all distances share the last bucket",
           .unit = "positions",
           .low = 1,
           .high = kMaxRows},
          {.name = "direction",
           .value = enum_field(s.direction, kT5DirectionWords),
           .help = "bidirectional: half of the buckets are for keys ahead; causal: those have bucket 0"},
          added_field(s.added)};
}

std::vector<Field> fields_of(Alibi& s) {
  return {heads_field(s.heads),
          {.name = "biased_heads",
           .value = &s.biased_heads,
           .help = "the first heads, which have a slope; the others have none; 0: all",
           .low = 0,
           .high = kMaxHeads},
          {.name = "rule",
           .value = enum_field(s.rule, kRuleWords),
           .help = "slopes where heads is no power of two: as the authors' code, or the formula as printed"},
          {.name = "bias_max",
           .value = &s.bias_max,
           .help = "the last slope of a power of two is 2^-bias_max",
           .low = 0,
           .high = 1024,
           .above_low = true},
          {.name = "form",
           .value = enum_field(s.form, kFormWords),
           .help = "what a slope multiplies: -|i - j|, -max(i - j, 0), or the position of the key (BLOOM)"},
          {.name = "precision",
           .value = enum_field(s.precision, kPrecisionWords),
           .help = "bfloat16: slopes and products are rounded, as in Falcon"},
          added_field(s.added)};
}

std::vector<Field> fields_of(Kerple& s) {
  return {heads_field(s.heads),
          {.name = "kernel",
           .value = enum_field(s.kernel, kKernelWords),
           .help = "-p ln(1 + a d), or -a d^p, of the distance d"},
          direction_field(s.direction),
          {.name = "smallest",
           .value = &s.smallest,
           .help = "parameters below are used as this: the authors' code clamps to 0.01",
           .low = 0}};
}

std::vector<Field> fields_of(Fire& s) {
  return {heads_field(s.heads),
          {.name = "width", .value = &s.width, .help = "of the hidden layer of the mlp", .low = 1, .high = kMaxHeads},
          {.name = "length",
           .value = &s.length,
           .help = "times length_factor: queries before it are normalised as if they stood there",
           .unit = "positions",
           .low = 0,
           .above_low = true},
          {.name = "eps", .value = &s.eps, .help = "added to the normaliser", .low = 0}};
}

std::vector<Field> fields_of(Sandwich& s) {
  return {heads_field(s.heads),
          {.name = "width",
           .value = &s.width,
           .help = "of the sinusoidal rows whose products these are, even",
           .unit = "channels",
           .low = 2,
           .high = 1048576,
           .required = true},
          base_field(s.base),
          {.name = "first",
           .value = &s.first,
           .help = "the first frequency is base^(-2 first / width): 1 in NeMo, 0 in a sinusoidal table",
           .low = 0,
           .high = 1},
          direction_field(s.direction)};
}

std::vector<Field> fields_of(MatrixBias& s) { return {heads_field(s.heads), added_field(s.added)}; }

std::vector<Field> fields_of(Shaw& s) {
  const auto reach = [](const char* name, std::int64_t& value, const char* help) {
    return Field{
        .name = name, .value = &value, .help = help, .unit = "positions", .low = 0, .high = kMaxRows, .required = true};
  };
  return {
      head_dim_field(s.head_dim),
      reach("left", s.left, "offsets down to -left have a vector of their own"),
      reach("right", s.right, "offsets up to right have; the tables have left + right + 1 rows"),
      offset_field(s.offset),
      {.name = "past",
       .value = enum_field(s.past, kPastWords),
       .help = "offsets beyond take the vector at the end, none, or are an error"},
      {.name = "term", .value = enum_field(s.term, kTermWords), .help = "what meets the vectors: q.r, or q.r + k.r"}};
}

std::vector<Field> fields_of(TransformerXl& s) {
  return {
      heads_field(s.heads),
      head_dim_field(s.head_dim),
      {.name = "width",
       .value = &s.width,
       .help = "of the sinusoidal rows, even",
       .unit = "channels",
       .low = 2,
       .high = 1048576,
       .required = true},
      base_field(s.base),
      {.name = "order", .value = enum_field(s.order, kOrderWords), .help = "where sines and cosines stand in a row"},
      {.name = "clamp_distance",
       .value = &s.clamp_distance,
       .help = "distances beyond are read at it; 0: none is clamped",
       .unit = "positions",
       .low = 0,
       .high = kPositionLimit}};
}

std::vector<Field> fields_of(Window& s) {
  const auto reach = [](const char* name, std::optional<std::int64_t>& value, const char* help) {
    return Field{.name = name, .value = &value, .help = help, .unit = "positions", .low = 0, .high = kPositionLimit};
  };
  return {reach("left", s.left, "keys down to i - left are seen; a causal window of w keys has left = w - 1"),
          reach("right", s.right, "keys up to i + right are seen; 0 is causal")};
}

std::vector<Field> fields_of(Chunked& s) {
  return {{.name = "size",
           .value = &s.size,
           .help = "positions of a chunk: keys of other chunks are hidden",
           .unit = "positions",
           .low = 1,
           .high = kPositionLimit,
           .required = true},
          {.name = "direction",
           .value = enum_field(s.direction, kDirectionWords),
           .help = "causal: keys ahead are hidden too"}};
}

void check_together(const T5& spec, std::string_view where) {
  const bool both = spec.direction == T5Direction::bidirectional;
  if (both && spec.buckets % 2 != 0) {
    refuse(where,
           "buckets must be even where bidirectional, half for either side, but got " + std::to_string(spec.buckets));
  }
  if (both && spec.buckets < 4) {
    refuse(where, "buckets must be at least 4 where bidirectional, 2 for either side, but got " +
                      std::to_string(spec.buckets));
  }
  // The logarithm runs from the last distance with a bucket of its own to max_distance.
  const std::int64_t exact = (both ? spec.buckets / 2 : spec.buckets) / 2;
  if (spec.max_distance <= exact) {
    refuse(where, "max_distance must be above the " + std::to_string(exact) +
                      " distances that have a bucket of their own but got " + std::to_string(spec.max_distance));
  }
}

void check_together(const Alibi& spec, std::string_view where) {
  if (spec.biased_heads > spec.heads) {
    refuse(where, "biased_heads must be at most heads, " + std::to_string(spec.heads) + ", but got " +
                      std::to_string(spec.biased_heads));
  }
}

void check_together(const Kerple& spec, std::string_view where) {
  if (spec.kernel != KerpleKernel::power || spec.smallest <= 2.0) return;
  refuse(where, "smallest must be at most 2, the largest power, but got " + text::number_text(spec.smallest));
}

void check_together(const Sandwich& spec, std::string_view where) { check_even_width(spec.width, where); }
void check_together(const TransformerXl& spec, std::string_view where) { check_even_width(spec.width, where); }

}  // namespace posenc::spec
