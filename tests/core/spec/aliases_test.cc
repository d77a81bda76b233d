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
    {"d", "width", "16", {"sinusoidal", "learned"}},
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
    {"nhead", "heads", "6", kHeads},
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
    {"emb_dim", "width", "16", {"sinusoidal", "learned"}},
    {"temperature", "base", "20", {"sinusoidal"}},
    {"max_period", "base", "20", {"sinusoidal"}},
    {"max_seq_len", "rows", "40", kRows},
    {"n_ctx", "rows", "40", kRows},
    {"block_size", "rows", "40", kRows},
    {"context_length", "rows", "40", kRows},
    {"rotary_base", "base", "500", kBase},
    {"freq_base", "base", "500", kBase},
    {"rope_freq_base", "base", "500", kBase},
    {"freq_scale", "scale", "0.5", {"rotary"}},
    {"rope_freq_scale", "scale", "0.5", {"rotary"}},
    {"rotary_ndims", "rotary_dim", "4", kBase},
    {"rotary_percent", "partial_rotary_factor", "0.5", {"rotary"}},
    {"rotary_emb_fraction", "partial_rotary_factor", "0.5", {"rotary"}},
    {"d_k", "head_dim", "16", kHeadDim},
    {"alibi_bias_max", "bias_max", "4", {"alibi"}},
    {"max_bias", "bias_max", "4", {"alibi"}},
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

TEST(Aliases, OfScalings) {
  const std::string start = "rotary:head_dim=8,scaling=";
  for (const auto& [word, scaling] : {std::pair{"su", "longrope"},
                                      {"default", "none"},
                                      {"ntk_aware", "ntk"},
                                      {"dynamic_ntk", "dynamic"},
                                      {"position_interpolation", "linear"},
                                      {"YaRN", "yarn"},
                                      {"NTK-by-parts", "ntk_by_parts"}}) {
    const NamedSpec named = complete_spec(start + word, {.example = ExampleSize::by_hand});
    EXPECT_EQ(to_text(named.spec), to_text(complete_spec(start + scaling, {.example = ExampleSize::by_hand}).spec));
    EXPECT_EQ(scaling_called(word), scaling) << word;
  }
  EXPECT_FALSE(scaling_called("rotary"));
  EXPECT_EQ(to_text(parse_spec(start + "yarn,scaling_factor=4,original_max_position_embeddings=64")),
            start + "yarn,factor=4,original_positions=64");
}

// Whoever declares a word of a scaling keeps it apart from the others.
TEST(Aliases, OfScalingsMeanOneEach) {
  for (const KindInfo& scaling : scaling_kinds()) {
    EXPECT_EQ(scaling_called(scaling.name), scaling.name);
    for (const std::string& word : scaling.also) EXPECT_EQ(scaling_called(word), scaling.name) << word;
  }
}

TEST(Aliases, NamesAndWordsAreReadInAnyCase) {
  EXPECT_EQ(to_text(parse_spec("RoPE:Head_Dim=8,LAYOUT=GPT-J,Base=5")), "rotary:head_dim=8,base=5,layout=interleaved");
  EXPECT_EQ(to_text(parse_spec("rope:head-dim=8,scaling=YaRN,Factor=4,original_positions=64,truncate=False")),
            "rotary:head_dim=8,scaling=yarn,factor=4,original_positions=64,truncate=false");
  EXPECT_EQ(to_text(parse_spec("rope:head_dim=8,attention_factor=None")), "rotary:head_dim=8");
  EXPECT_EQ(to_text(parse_spec("concat:0.Axis=0,0.Kind=Learned,0.past_end=Error")),
            "concat:0.axis=0,0.kind=learned,0.past_end=error");
  EXPECT_EQ(to_text(parse_spec("sinusoidal:width=8,Max_Timescale=100")), "sinusoidal:width=8,base=100");
  expect_error(ErrorKind::bad_input, "width is given twice", [] { parse_spec("sinusoidal:Width=8,width=8"); });
  expect_error(ErrorKind::bad_input, "has no field 'Widht'; did you mean 'width'?",
               [] { parse_spec("sinusoidal:Widht=8"); });
  // Keys of JSON are exact.
  expect_error(ErrorKind::bad_input, "sinusoidal has no field 'Width'",
               [] { spec_from_json(Json().set("kind", "sinusoidal").set("Width", 8), "j"); });
}

// Otherwise the case of a name would matter.
TEST(Aliases, AreInLowerCase) {
  const auto is_lower = [](const std::string& word) {
    return std::ranges::none_of(word, [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; });
  };
  for (const std::vector<KindInfo>& list : {kinds(), scaling_kinds()}) {
    for (const KindInfo& kind : list) {
      for (const FieldInfo& field : kind.fields) {
        EXPECT_TRUE(is_lower(field.name) && std::ranges::all_of(field.also, is_lower)) << field.name;
      }
    }
  }
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
  expect_text_error("local", "window:left=3,right=0 or chunked:size=4");
}

TEST(Aliases, UnclearFieldsAreAnswered) {
  expect_text_error("rotary:dim=64", "rotary has no field 'dim': write head_dim for the channels of a head");
  expect_text_error("pope:dim=32",
                    "pope:head_dim=32, and rotary_dim for those of them that rotate, pope:rotary_dim=32");
  expect_text_error("xpos:dim=32",
                    "xpos:head_dim=32, and rotary_dim for those of them that rotate, xpos:rotary_dim=32");
  expect_text_error("shaw:Dim=32",
                    "shaw has no field 'Dim': write head_dim for the channels of a head: shaw:head_dim=32");
  expect_text_error("rotary:d_model=64", "head_dim, which is often hidden_size / heads");
  expect_text_error("rotary:rope_type=yarn", "rotary:head_dim=64,scaling=yarn,factor=4,original_positions=4096");
  expect_text_error("rotary:d_v=64", "leave the width of values out");
  expect_text_error("sinusoidal:num_pos_feats=64",
                    "sinusoidal:width=64 for one axis, or concat:0.axis=0,0.width=64,1.");
  expect_text_error("concat:0.num_pos_feats=64", "write concat:0.axis=0,0.width=64,1.axis=1,1.width=64");
  expect_text_error("fourier:temperature=64", "write them as inv_freq, fourier:axes=2,width=4,inv_freq=");
  expect_text_error("alibi:n_ctx=64", "it works at any distance");
  expect_text_error("none:width=64", "none has no field 'width'; it has no fields");
  expect_text_error("rotary:heads=8", "the same for every head");
  expect_text_error("rope:max_len=8", "--positions 0:512");
  expect_text_error("sinusoidal:heads=8", "before they are split into heads");
  expect_text_error("sinusoidal:max_len=8", "a row for every position");
  expect_text_error("fire:hidden_size=8", "the small network's hidden layer");
  expect_text_error("transformer_xl:dim=8", "transformer_xl:heads=8,head_dim=8,width=512, or width for those");
}

TEST(Aliases, AnswersKeepAValueThatFits) {
  expect_text_error("window:size=8", "a causal window of 8 keys is window:left=7,right=0");
  for (const char* size : {"0", "-3", "9223372036854775807", "-9223372036854775808", "big", "1.5", ""}) {
    expect_text_error("window:size=" + std::string(size), "a causal window of 16 keys is window:left=15,right=0");
  }
  expect_text_error("rotary:dim=6", "rotary:head_dim=6, and");
  expect_text_error("rotary:dim=0", "rotary:head_dim=64, and");
  expect_text_error("sinusoidal:theta=500", "write base: sinusoidal:width=128,base=500");
  expect_text_error("sinusoidal:theta=-1", "write base: sinusoidal:width=128,base=10000");
  expect_error(ErrorKind::bad_input, "a causal window of 4 keys is window:left=3,right=0",
               [] { spec_from_json(Json().set("kind", "window").set("size", 4), "j"); });
}

TEST(Aliases, ScalingsAreNotKinds) {
  expect_text_error("yarn",
                    "there is no kind 'yarn'; it is a context scaling of rotary encodings; write "
                    "rotary:scaling=yarn,head_dim=128,factor=4,original_positions=4096");
  for (const KindInfo& scaling : scaling_kinds()) {
    if (scaling.name == "none") continue;
    expect_text_error(scaling.name, "write rotary:scaling=" + scaling.name + ",head_dim=");
  }
}

TEST(Aliases, HintsStayNearTheWord) {
  expect_text_error("sinusiodal", "did you mean 'sinusoidal'?");
  expect_text_error("roep", "did you mean 'rope'?");
  expect_text_error("learnd", "did you mean 'learned'?");
  expect_text_error("sinusoidal:d_modle=8", "did you mean 'd_model'?");
}

}  // namespace aliases_test
}  // namespace posenc
