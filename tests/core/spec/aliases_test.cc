// The words of papers and config files: each is accepted exactly by the kinds that declare it, in text and in JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "posenc/files/spec_json.h"
#include "posenc/spec.h"
#include "support/expect_error.h"

namespace posenc {
namespace aliases_test {

const std::set<std::string> kHeads = {"alibi",  "clipped",  "fire", "kerple",
                                      "matrix", "sandwich", "t5",   "transformer_xl"};
const std::set<std::string> kHeadDim = {"pope", "rotary", "shaw", "transformer_xl", "xpos"};
const std::set<std::string> kRows = {"learned"};
const std::set<std::string> kBase = {"pope", "rotary", "xpos"};

struct Alias {
  std::string word, field, value;
  std::set<std::string> kinds;
};

const std::vector<Alias> kAliases = {
    {"d_model", "width", "16", {"sinusoidal", "learned", "transformer_xl"}},
    {"hidden_size", "width", "16", {"sinusoidal", "learned", "transformer_xl"}},
    {"dim", "width", "16", {"sinusoidal", "learned"}},
    {"embed_dim", "width", "16", {"sinusoidal", "learned"}},
    {"n_embd", "width", "16", {"sinusoidal", "learned"}},
    {"mlp_width", "width", "16", {"fire"}},
    {"max_len", "rows", "40", kRows},
    {"max_position_embeddings", "rows", "40", kRows},
    {"n_positions", "rows", "40", kRows},
    {"padding_idx", "padding_row", "1", kRows},
    {"theta", "base", "500", kBase},
    {"rope_theta", "base", "500", kBase},
    {"rope_base", "base", "500", kBase},
    {"rotary_pct", "partial_rotary_factor", "0.5", {"rotary"}},
    {"n_heads", "heads", "6", kHeads},
    {"num_heads", "heads", "6", kHeads},
    {"num_attention_heads", "heads", "6", kHeads},
    {"d_head", "head_dim", "16", kHeadDim},
    {"dim_head", "head_dim", "16", kHeadDim},
    {"num_buckets", "buckets", "16", {"t5"}},
    {"relative_attention_num_buckets", "buckets", "16", {"t5"}},
    {"relative_attention_max_distance", "max_distance", "64", {"t5"}},
    {"max_relative_position", "max_distance", "8", {"clipped"}},
    {"clamp_len", "clamp_distance", "8", {"transformer_xl"}},
    {"attention_chunk_size", "size", "8", {"chunked"}},
    {"chunk_size", "size", "8", {"chunked"}},
    {"embedding_dim", "width", "16", {"sinusoidal", "learned"}},
    {"num_embeddings", "rows", "40", kRows},
    {"rotary_emb_base", "base", "500", kBase},
    {"mrope_section", "sections", "2/2", {"rotary"}},
    {"n_head", "heads", "6", kHeads},
    {"head_size", "head_dim", "16", kHeadDim},
    {"max_relative_positions", "max_distance", "8", {"clipped"}},
    {"attn_scale", "scale", "0.5", {"temperature"}},
    {"llama_4_scaling_beta", "scale", "0.5", {"temperature"}},
    {"floor_scale", "length", "100", {"temperature"}},
};

std::string full(const std::string& kind, const std::string& field, const std::string& value) {
  return complete_spec(kind + ":" + field + "=" + value, {.example = ExampleSize::by_hand}).text;
}

TEST(Aliases, OfFieldsAreAcceptedByTheKindsThatDeclareThem) {
  for (const Alias& alias : kAliases) {
    for (const KindInfo& kind : kinds()) {
      SCOPED_TRACE(kind.name + ":" + alias.word);
      const std::string text = kind.name + ":" + alias.word + "=" + alias.value;
      const bool own = std::ranges::any_of(kind.fields, [&](const FieldInfo& f) { return f.name == alias.word; });
      if (own) continue;
      if (!alias.kinds.contains(kind.name)) {
        expect_error(ErrorKind::bad_input, kind.name + " has no field '" + alias.word + "'",
                     [&] { complete_spec(text, {.example = ExampleSize::by_hand}); });
        continue;
      }
      // The same spec as with the field's own name, which is printed; in JSON too.
      const std::string canonical = full(kind.name, alias.field, alias.value);
      EXPECT_EQ(full(kind.name, alias.word, alias.value), canonical);
      Json json = to_json(parse_spec(canonical)), renamed;
      for (const auto& [key, value] : json.object()) renamed.set(key == alias.field ? alias.word : key, value);
      EXPECT_EQ(to_text(spec_from_json(renamed, "s")), to_text(parse_spec(canonical)));
      // Beside the field it is an error that names both.
      expect_error(ErrorKind::bad_input, alias.field + " and " + alias.word + " are the same field",
                   [&] { parse_spec(canonical + "," + alias.word + "=" + alias.value); });
      renamed.set(alias.field, *json.find(alias.field));
      expect_error(ErrorKind::bad_input, "are the same field", [&] { spec_from_json(renamed, "s"); });
    }
  }
}

// Whoever declares an alias says here which kinds have it.
TEST(Aliases, OfFieldsAreAllListedHere) {
  const std::set<std::string> members = {"frequency_scale", "first_channel"};  // names in C++
  for (const KindInfo& kind : kinds()) {
    for (const FieldInfo& field : kind.fields) {
      if (field.name.find('.') != std::string::npos) continue;  // of a part
      for (const std::string& word : field.also) {
        const bool listed = std::ranges::any_of(kAliases, [&](const Alias& alias) {
          return alias.word == word && alias.field == field.name && alias.kinds.contains(kind.name);
        });
        EXPECT_TRUE(listed || members.contains(word)) << kind.name << " " << field.name << " " << word;
      }
    }
  }
}

TEST(Aliases, OfLayouts) {
  for (const auto& [word, layout] : {std::pair{"neox", "half"}, {"rotate_half", "half"}, {"gptj", "interleaved"}}) {
    const std::string start = "rotary:head_dim=8,layout=";
    EXPECT_EQ(to_text(parse_spec(start + word)), to_text(parse_spec(start + layout))) << word;
    const Json json = Json().set("kind", "rotary").set("head_dim", 8).set("layout", word);
    EXPECT_EQ(to_text(spec_from_json(json, "j")), to_text(parse_spec(start + layout))) << word;
  }
  expect_error(ErrorKind::bad_input, "order must be", [] { parse_spec("sinusoidal:width=8,order=neox"); });
}

TEST(Aliases, WorkInParts) {
  EXPECT_EQ(to_text(parse_spec("hybrid:fixed.d_model=8,learned.max_len=4,learned.past_end=error")),
            "hybrid:fixed.width=8,learned.rows=4,learned.past_end=error");
  EXPECT_EQ(to_text(parse_spec("concat:0.axis=0,0.dim=8")), "concat:0.axis=0,0.width=8");
}

TEST(Aliases, OfKinds) {
  const std::map<std::string, std::string> words = {{"rope", "rotary"},
                                                    {"RoPE", "rotary"},
                                                    {"sin", "sinusoidal"},
                                                    {"sine", "sinusoidal"},
                                                    {"vaswani", "sinusoidal"},
                                                    {"nope", "none"},
                                                    {"NoPE", "none"},
                                                    {"t5_bias", "t5"},
                                                    {"alibi_bias", "alibi"},
                                                    {"ALiBi", "alibi"},
                                                    {"txl", "transformer_xl"},
                                                    {"Transformer-XL", "transformer_xl"},
                                                    {"sliding_window", "window"},
                                                    {"fourier_features", "fourier"}};
  for (const auto& [word, kind] : words) {
    SCOPED_TRACE(word);
    const NamedSpec named = complete_spec(word, {.example = ExampleSize::by_hand});
    EXPECT_EQ(kind_of(named.spec), kind);
    EXPECT_EQ(named.text, complete_spec(kind, {.example = ExampleSize::by_hand}).text);
    Json json = to_json(named.spec);
    json.set("kind", word);
    EXPECT_EQ(to_text(spec_from_json(json, "s")), to_text(named.spec));
  }
}

void expect_text_error(const std::string& text, const std::string& message) {
  expect_error(ErrorKind::bad_input, message, [&] { parse_spec(text); });
}

TEST(Aliases, AmbiguousKindsListTheirCandidates) {
  expect_text_error("absolute", "write sinusoidal:width=128 or learned:width=128,rows=512,past_end=error");
  for (const char* kind : {"clipped:", "t5:heads=8", "shaw:", "transformer_xl:"}) expect_text_error("relative", kind);
  expect_text_error("relative_bias", "clipped:heads=8,max_distance=16 or t5:heads=8");
  expect_text_error("local", "window:left=15,right=0 or chunked:size=16");
}

TEST(Aliases, UnclearFieldsAreAnswered) {
  expect_text_error("rotary:dim=64", "rotary has no field 'dim': write head_dim for the channels of a head");
  expect_text_error("rotary:d_model=64", "head_dim, which is often hidden_size / heads");
  expect_text_error("rotary:heads=8", "the same for every head");
  expect_text_error("rope:max_len=8", "--positions 0:512");
  expect_text_error("sinusoidal:heads=8", "before they are split into heads");
  expect_text_error("sinusoidal:max_len=8", "a row for every position");
  expect_text_error("fire:hidden_size=8", "the small network's hidden layer");
  expect_text_error("window:size=8", "window:left=15,right=0");
  expect_text_error("transformer_xl:dim=8", "transformer_xl:heads=8,head_dim=64,width=512");
}

TEST(Aliases, HintsStayNearTheWord) {
  expect_text_error("sinusiodal", "did you mean 'sinusoidal'?");
  expect_text_error("roep", "did you mean 'rope'?");
  expect_text_error("learnd", "did you mean 'learned'?");
  expect_text_error("sinusoidal:d_modle=8", "did you mean 'd_model'?");
}

}  // namespace aliases_test
}  // namespace posenc
