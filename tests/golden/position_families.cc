#include "golden/position_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "golden/families.h"
#include "posenc/position_ids.h"

namespace golden {

using posenc::Fraction;
using posenc::IdRule;
using posenc::Json;
using posenc::PackedBy;
using posenc::Pads;
using Ids = std::vector<std::int64_t>;

const Json& PositionCase::output(std::string_view path) const {
  const std::size_t point = path.find('.');
  const Json* found = outputs_.find(path.substr(0, point));
  if (found && point != std::string_view::npos) found = found->find(path.substr(point + 1));
  static const Json missing;
  return found ? *found : missing;
}

bool PositionCase::agrees(std::string_view path, const std::vector<double>& numbers) {
  const Json& json = output(path);
  compared_ += numbers.size();
  return (json.is_array() || json.is_number()) && flat_numbers(json) == numbers;
}

void PositionCase::expect_numbers(std::string_view path, const std::vector<double>& numbers) {
  EXPECT_TRUE(agrees(path, numbers)) << path << ": expected " << posenc::to_text(output(path)) << "but got "
                                     << testing::PrintToString(numbers);
}

void PositionCase::expect(std::string_view path, const Ids& ids) { expect_numbers(path, {ids.begin(), ids.end()}); }

void PositionCase::expect_true(std::string_view path) {
  EXPECT_TRUE(output(path).boolean(path)) << path;
  ++compared_;
}

void PositionCase::expect_null(std::string_view path) {
  EXPECT_TRUE(output(path).is_null()) << path;
  ++compared_;
}

namespace {

Ids integers(const Json& json) {
  const std::vector<double> numbers = flat_numbers(json);
  return {numbers.begin(), numbers.end()};
}

// Rows of whole numbers and their shape.
struct Rows {
  explicit Rows(const Json& json)
      : numbers(integers(json)),
        count(static_cast<std::int64_t>(json.array().size())),
        columns(static_cast<std::int64_t>(numbers.size()) / count) {}

  posenc::ConstView view() const { return posenc::make_view(numbers.data(), {count, columns}); }

  Ids numbers;
  std::int64_t count, columns;
};

Ids from_mask(const Rows& mask, const IdRule& rule, std::int64_t last = -1) {
  const std::int64_t columns = last < 0 ? mask.columns : last;
  Ids ids(static_cast<std::size_t>(mask.count * columns), -9);
  posenc::positions_from_mask(mask.view(), rule, posenc::make_view(ids.data(), {mask.count, columns}));
  return ids;
}

Ids from_tokens(const Rows& tokens, std::int64_t pad, const IdRule& rule) {
  Ids ids(tokens.numbers.size(), -9);
  posenc::positions_from_tokens(tokens.view(), pad, rule,
                                posenc::make_view(ids.data(), {tokens.count, tokens.columns}));
  return ids;
}

IdRule padding_rule(std::int64_t padding_idx, std::int64_t past = 0) {
  return {.pads = Pads::id(padding_idx), .first = padding_idx + 1, .past = past};
}

void generate(PositionCase& golden) {
  golden.expect("position_ids", from_mask(Rows(golden.input("attention_mask")), {.pads = Pads::id(0)}));
}

void generate_v4(PositionCase& golden) {
  const Rows mask(golden.input("attention_mask"));
  const IdRule rule{.pads = Pads::id(1)};
  golden.expect("position_ids", from_mask(mask, rule));
  golden.expect("position_ids_after_cache",
                from_mask(mask, rule, mask.columns - golden.input("cached_tokens").integer()));
}

// BART's offset of 2 is `first`; whoever has none starts at 0. All count pads.
void bart(PositionCase& golden) {
  const std::int64_t tokens = golden.input("seq_len").integer(),
                     past = golden.input("past_key_values_length").integer();
  const std::int64_t rows = golden.input("num_embeddings").integer();
  const Json mask = Json::Array{Json(Json::Array(static_cast<std::size_t>(tokens), Json(1)))};
  for (const auto& [name, offset] : std::map<std::string, std::int64_t>{{"bart", 2},
                                                                        {"mbart", 2},
                                                                        {"plbart", 2},
                                                                        {"mvp", 2},
                                                                        {"trocr", 2},
                                                                        {"blenderbot", 0},
                                                                        {"bigbird_pegasus", 0},
                                                                        {"led", 0}}) {
    golden.expect(name + ".table_rows", {rows + offset});
    golden.expect(name + ".rows_past3",
                  from_mask(Rows(mask), {.pads = Pads::counted(), .first = offset, .past = past}));
  }
  golden.expect("biogpt_from_mask.table_rows", {rows + 2});
  golden.expect("biogpt_from_mask.rows",
                from_mask(Rows(golden.input("biogpt_attention_mask")), {.pads = Pads::id(1), .first = 2}));
}

void fairseq(PositionCase& golden) {
  const std::int64_t pad = golden.input("padding_idx").integer();
  const Rows tokens(golden.input("input_ids"));
  const Ids ids = from_tokens(tokens, pad, padding_rule(pad));
  golden.expect("rows", ids);
  golden.expect("max_positions", {golden.input("num_embeddings").integer() - pad - 1});
  // The step that was recorded is the fourth token's: the past is what stands before it.
  Ids next(1);
  const Ids past = {pad + 1 + 3};
  posenc::positions_after(posenc::make_view(past.data(), {1}), posenc::make_view(next.data(), {1, 1}));
  golden.expect("incremental_rows", next);
}

void fairseq_offset(PositionCase& golden) {
  const std::int64_t pad = golden.input("padding_idx").integer();
  const Rows tokens(golden.input("input_ids"));
  golden.expect("positions.fsmt", from_tokens(tokens, pad, padding_rule(pad)));
  golden.expect("positions.m2m_100", from_tokens(tokens, pad, padding_rule(pad)));
  golden.expect("positions.m2m_100_past3", from_tokens(tokens, pad, padding_rule(pad, 3)));
  golden.expect("positions.m2m_100_inputs_embeds_past3",
                from_tokens(tokens, pad, {.pads = Pads::counted(), .first = pad + 1, .past = 3}));
}

void roberta(PositionCase& golden) {
  const Rows tokens(golden.input("input_ids"));
  const std::int64_t past = integers(golden.input("past_key_values_length")).at(1);
  for (const std::int64_t pad : integers(golden.input("padding_idx"))) {
    const std::string name = "pad" + std::to_string(pad);
    golden.expect(name, from_tokens(tokens, pad, padding_rule(pad)));
    golden.expect(name + "_past4", from_tokens(tokens, pad, padding_rule(pad, past)));
    golden.expect(name + "_inputs_embeds", from_tokens(tokens, pad, {.pads = Pads::counted(), .first = pad + 1}));
  }
  for (const auto& [model, same] : golden.output("identical_rule_in").object()) {
    golden.expect_true("identical_rule_in." + model);
  }
}

void prophetnet(PositionCase& golden) {
  const std::int64_t pad = golden.input("padding_idx").integer();
  const Ids ids = from_mask(Rows(golden.input("attention_mask")), padding_rule(pad));
  golden.expect("rows", ids);
  golden.expect("position_ids", ids);
}

// Position p reads a row of each table; the rows stand side by side.
void reformer(PositionCase& golden) {
  const Ids ids = integers(golden.input("position_ids")), grid = integers(golden.input("axial_pos_shape"));
  const Ids widths = integers(golden.input("axial_pos_embds_dim"));
  Ids places(ids.size() * grid.size());
  const auto count = static_cast<std::int64_t>(ids.size());
  posenc::places_in_grid(posenc::make_view(ids.data(), {count}), grid, posenc::make_view(places.data(), {count, 2}));
  std::vector<double> rows;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::vector<double> table = flat_numbers(golden.input("weights." + std::to_string(i % 2)));
    const std::int64_t width = widths[i % 2];
    const auto row = table.begin() + places[i] * width;
    rows.insert(rows.end(), row, row + width);
  }
  golden.expect_numbers("out", rows);
}

Ids rows_by_fraction(const std::string& image, std::int64_t side, Fraction fraction, std::int64_t slots = 0) {
  const std::int64_t height = std::stoll(image), width = std::stoll(image.substr(image.find('x') + 1));
  const std::int64_t rows = std::max(height, slots), columns = std::max(width, slots);
  Ids ids(static_cast<std::size_t>(rows * columns), 0);  // slots outside the image read row 0
  posenc::View out = posenc::make_view(ids.data(), {height, width});
  out.strides[0] = columns;
  posenc::rows_by_fraction(height, width, side, out, fraction);
  return ids;
}

void idefics2(PositionCase& golden) {
  const std::int64_t side = golden.input("table_grid").integer();
  for (const Json& image : golden.input("valid_patch_grids").array()) {
    golden.expect("row_read." + image.string(), rows_by_fraction(image.string(), side, Fraction::product, 8));
  }
}

void fractions(PositionCase& golden, const std::string& output, Fraction fraction) {
  Ids all;
  const Ids sides = integers(golden.input("sides"));
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Ids rows = rows_by_fraction(golden.input("images").array()[i].string(), sides[i], fraction);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  golden.expect(output, all);
}

std::int64_t longest(const Ids& bounds) {
  std::int64_t result = 0;
  for (std::size_t i = 1; i < bounds.size(); ++i) result = std::max(result, bounds[i] - bounds[i - 1]);
  return result;
}

void packing_detection(PositionCase& golden) {
  for (const auto& [name, rows] : golden.input("position_ids").object()) {
    const Ids ids = integers(rows);
    const auto view = posenc::make_view(ids.data(), {static_cast<std::int64_t>(ids.size())});
    const Ids bounds = posenc::bounds_from_positions(view, PackedBy::minimum);
    golden.expect(name + ".cu_seqlens", bounds);
    golden.expect(name + ".max_len", {longest(bounds)});
    Ids segments(ids.size());
    posenc::segments_from_positions(view, PackedBy::step,
                                    posenc::make_view(segments.data(), {static_cast<std::int64_t>(ids.size())}));
    // One document is recorded as none.
    segments.back() == 0 ? golden.expect_null(name + ".sequence_index")
                         : golden.expect(name + ".sequence_index", segments);
    if (name != "reset") continue;
    Ids mask;
    for (std::size_t q = 0; q < ids.size(); ++q) {
      for (std::size_t k = 0; k < ids.size(); ++k) mask.push_back(k <= q && segments[k] == segments[q] ? 1 : 0);
    }
    golden.expect("mask_reset", mask);
  }
}

void packing_flatten(PositionCase& golden) {
  Ids lengths, labels;
  const Ids tokens = integers(golden.input("sequences"));
  for (const Json& sequence : golden.input("sequences").array()) {
    lengths.push_back(static_cast<std::int64_t>(sequence.array().size()));
  }
  const Ids bounds = posenc::bounds_of(lengths);
  const auto bounds_view = posenc::make_view(bounds.data(), {static_cast<std::int64_t>(bounds.size())});
  Ids ids(tokens.size()), segments(tokens.size());
  const auto view_of = [&](Ids& out) { return posenc::make_view(out.data(), {static_cast<std::int64_t>(out.size())}); };
  for (const std::int64_t first : integers(golden.input("position_ids_start"))) {
    posenc::positions_from_bounds(bounds_view, first, view_of(ids));
    golden.expect(first == 0 ? "position_ids" : "position_ids_start" + std::to_string(first), ids);
    if (first != 0) continue;
    // The first token of a document has nothing to be predicted from.
    for (std::size_t n = 0; n < ids.size(); ++n) labels.push_back(ids[n] == 0 ? -100 : tokens[n]);
  }
  posenc::segments_from_bounds(bounds_view, view_of(segments));
  golden.expect("input_ids", tokens);
  golden.expect("labels", labels);
  golden.expect("seq_idx", segments);
  for (const std::string side : {"q", "k"}) {
    golden.expect("cu_seq_lens_" + side, bounds);
    golden.expect("max_length_" + side, {longest(bounds)});
  }
}

}  // namespace

bool check_positions(const std::string& name, PositionCase& golden) {
  static const std::map<std::string, std::function<void(PositionCase&)>> kFamilies = {
      {"a_fairseq_offset_pad0", fairseq_offset},
      {"a_fairseq_offset_pad1", fairseq_offset},
      {"b_bart_family_rows", bart},
      {"b_fairseq_pkg_learned", fairseq},
      {"b_generate_position_ids_v5", generate},
      {"b_idefics2_bucketize", idefics2},
      {"b_idefics2_fraction",
       [](PositionCase& c) {
         fractions(c, "row_read", Fraction::product);
         fractions(c, "nearest", Fraction::quotient);
       }},
      {"b_prophetnet_rows", prophetnet},
      {"b_reformer_axial", reformer},
      {"b_roberta_position_ids", roberta},
      {"g_packing_detection", packing_detection},
      {"g_packing_flatten", packing_flatten},
      {"old_generate_position_ids", generate_v4},
      {"old_idefics2_fraction", [](PositionCase& c) { fractions(c, "row_read", Fraction::shrunk); }},
  };
  const auto family = kFamilies.find(name);
  if (family == kFamilies.end()) return false;
  family->second(golden);
  return true;
}

}  // namespace golden
