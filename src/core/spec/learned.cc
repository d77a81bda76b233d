// The fields of learned tables, alone (learned) and added to a sinusoidal encoding (hybrid).
#include <string>
#include <utility>

#include "core/base/refuse.h"
#include "core/spec/input_kinds.h"
#include "core/spec/shared_fields.h"

namespace posenc {
namespace spec {
namespace {

constexpr std::string_view kPastEndWords[] = {"error", "clamp", "interpolate"};
constexpr std::string_view kNormalizeWords[] = {"none", "l2"};

constexpr std::string_view kLearnedNames[] = {"absolute", "learned_absolute", "wpe", "pos", "positional"};
constexpr UnclearField kLearnedUnclear[] = {kBeforeHeads, {"base", "its rows are learned, so it has no frequencies"}};

// The fields of both parts, with the name of the part in front: fixed.base, learned.rows. JSON nests them.
std::vector<Field> hybrid_fields(Hybrid& s) {
  std::vector<Field> fields = part_fields(sinusoidal_fields(s.fixed), "fixed.");
  if (s.learned.width != 0) fields[0].examples = {std::to_string(s.learned.width), std::to_string(s.learned.width)};
  for (Field& field : part_fields(learned_fields(s.learned), "learned.")) {
    if (field.name == "learned.width") field.examples = {};  // it must equal fixed.width
    fields.push_back(std::move(field));
  }
  return fields;
}

std::vector<Shorthand> hybrid_shorthands(Hybrid& s) {
  return part_shorthands(sinusoidal_shorthands(s.fixed), "fixed.");
}

void check_hybrid(const Hybrid& spec, std::string_view where) {
  check_sinusoidal(spec.fixed, where, "fixed.");
  check_learned(spec.learned, where, "learned.");
  if (spec.learned.width == 0 || spec.learned.width == spec.fixed.width) return;
  base::refuse_input(where, "learned.width must be that of the fixed part, ", spec.fixed.width, ", but got ",
                     spec.learned.width);
}

std::vector<ParameterInfo> learned_parameters(const Learned& spec) {
  return {
      {.name = "table", .shape = {length_or_any(spec.rows), length_or_any(spec.width)}, .help = "a row per position"}};
}

std::vector<ParameterInfo> hybrid_parameters(const Hybrid& spec) {
  return {{.name = "table",
           .shape = {length_or_any(spec.learned.rows), spec.fixed.width},
           .help = "a row per position for the learned part"}};
}

}  // namespace

std::vector<Field> learned_fields(Learned& s) {
  return {
      with_example(Field("width", &s.width, "channels per row; 0: those of the table")
                       .between(0, kMaxWidth, "channels")
                       .alias(width_aliases()),
                   kExampleWidth),
      Field("rows", &s.rows, "rows of the table; 0: as many as it has")
          .between(0, kPositionLimit, "rows")
          .alias({"max_len", "max_seq_len", "max_position_embeddings", "n_ctx", "n_positions", "num_embeddings",
                  "block_size", "context_length"})
          .example("10", "512"),
      Field("past_end", enum_field(s.past_end, kPastEndWords),
            "positions past the last row: an error, the last row, or the table stretched to length")
          .must_be_given()
          .example(s.length ? "interpolate" : "error"),
      Field("first", &s.first, "the row of position 0: 2 in OPT and BART; 0 if the position ids include the offset")
          .between(0, kPositionLimit, "rows"),
      Field("length", &s.length, "past_end=interpolate only: the number of positions that the table is stretched to")
          .between(1, kPositionLimit, "positions"),
      multiplier_field(s.multiplier),
      Field("normalize", enum_field(s.normalize, kNormalizeWords), "l2: divide every row by its length"),
      Field("padding_row", &s.padding_row,
            "a row that is not trained: its gradient stays zero (padding_idx in PyTorch)")
          .between(0, kPositionLimit, "rows")
          .alias({"padding_idx"}),
  };
}

void check_learned(const Learned& spec, std::string_view where, const std::string& part) {
  const base::Refusal refuse{where, ErrorKind::bad_input, part};
  refuse.unless(spec.past_end != PastEnd::interpolate || spec.length,
                "past_end=interpolate needs length, the number of positions that the table is stretched to");
  if (spec.past_end != PastEnd::interpolate && spec.length) {
    refuse("length is for past_end=interpolate but got ", *spec.length);
  }
  if (spec.rows == 0) return;
  refuse.unless(spec.first < spec.rows, "first must be below rows, ", spec.rows, ", but got ", spec.first);
  if (spec.padding_row && *spec.padding_row >= spec.rows) {
    refuse("padding_row must be below rows, ", spec.rows, ", but got ", *spec.padding_row);
  }
}

std::vector<Field> part_fields(std::vector<Field> fields, const std::string& part) {
  for (Field& field : fields) field.rename_for_part(part);
  return fields;
}

std::vector<Shorthand> part_shorthands(std::vector<Shorthand> shorthands, const std::string& part) {
  for (Shorthand& shorthand : shorthands) {
    for (Shorthand::Name& name : shorthand.names) name.name = part + name.name;
    for (std::string& name : shorthand.replaces) name = part + name;
  }
  return shorthands;
}

}  // namespace spec

constinit const spec::KindRow Learned::row = {
    .fields = spec::of_kind<spec::learned_fields>,
    .check = [](const Spec& s, std::string_view where) { spec::check_learned(std::get<Learned>(s), where, ""); },
    .parameters = spec::of_kind<spec::learned_parameters>,
    .words = spec::kLearnedNames,
    .unclear = spec::kLearnedUnclear};

constinit const spec::KindRow Hybrid::row = {.fields = spec::of_kind<spec::hybrid_fields>,
                                             .shorthands = spec::of_kind<spec::hybrid_shorthands>,
                                             .check = spec::of_kind<spec::check_hybrid>,
                                             .parameters = spec::of_kind<spec::hybrid_parameters>};

}  // namespace posenc
