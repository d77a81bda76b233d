// Fields that several kinds have, and the words of their enums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/enum_field.h"
#include "core/spec/fields.h"
#include "core/spec/kind_row.h"
#include "core/spec/rotary_window.h"

namespace posenc::spec {

inline constexpr double kMaxHeads = 65536;
inline constexpr double kMaxRows = 16777216;  // of a table: 2^24
inline constexpr double kMaxWidth = 1048576;  // of a row

inline constexpr std::string_view kDirectionWords[] = {"symmetric", "causal"};

// The sizes of an example that is computed by hand and of one that is shown as a picture.
struct ExampleSizes {
  std::int64_t by_hand, picture;

  ExampleSizes at_least(std::int64_t low) const { return {std::max(by_hand, low), std::max(picture, low)}; }
};
// Returns `given` if an example can have that size, else 0. Needed because fields may not have been checked yet.
constexpr std::int64_t example_size(std::int64_t given) {
  constexpr auto kMost = static_cast<std::int64_t>(kMaxWidth);
  return given >= -kMost && given <= kMost ? given : 0;
}
inline constexpr ExampleSizes kExampleHeads{4, 8};
inline constexpr ExampleSizes kExampleWidth{8, 128};  // of rows and of heads
Field with_example(Field field, const ExampleSizes& sizes);

// Names that papers and config files use for a field. A kind declares them only if they have that meaning for it.
std::vector<std::string> width_aliases();
std::vector<std::string> base_aliases();  // rotary, pope and xpos only

// Words that mean no field of several kinds, and their answers.
inline constexpr std::string_view kLengthWords =
    "rows max_len max_seq_len max_position_embeddings n_ctx n_positions num_embeddings block_size context_length";
inline constexpr std::string_view kModelWidthWords = "d_model hidden_size embed_dim embedding_dim emb_dim n_embd d";
inline constexpr UnclearField kBeforeHeads = {
    "heads n_heads num_heads n_head num_attention_heads nhead head_dim d_head dim_head head_size d_k",
    "it is added to embeddings, before they are split into heads"};
inline constexpr UnclearField kAnyHeads = {"heads n_heads num_heads n_head num_attention_heads nhead",
                                           "it is the same for every head: leave the number of heads out"};
inline constexpr UnclearField kAnyDistance = {
    kLengthWords, "it works at any distance: choose positions with --queries 0:512 and --keys 0:512"};
inline constexpr UnclearField kHeadsOfModel = {
    kModelWidthWords, "it acts within each head: write head_dim, which is often hidden_size / heads, <head_dim=64>"};
// rotary, pope and xpos only
inline constexpr UnclearField kWhichDim = {
    "dim width",
    "write head_dim for the channels of a head, <head_dim={}>, and rotary_dim for those of them that rotate, "
    "<rotary_dim={}>"};
inline constexpr UnclearField kNoValues = {"d_v", "it acts on queries and keys: leave the width of values out"};

Field heads_field(std::int64_t& heads);
Field head_dim_field(std::int64_t& head_dim, double low = 1, double high = kHeadDimLimit);
Field base_field(double& base, std::string_view help = "base of the frequencies, as in sinusoidal");
Field multiplier_field(double& multiplier);
Field order_field(Order& order);
Field first_channel_field(std::int64_t& first_channel);
// The width of the sinusoidal rows from which a kind inside attention is computed.
Field even_width_field(std::int64_t& width, std::string_view help);

Field added_field(Added& added);
Field direction_field(DistanceRule& direction);
Field offset_field(Offset& offset);

// Throws unless the width is even.
void check_even_width(std::int64_t width, std::string_view where);

}  // namespace posenc::spec
