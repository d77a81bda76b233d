// Fields that several kinds have, and the words of their enums.
#pragma once

#include <algorithm>
#include <array>
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

// The unclear fields of an encoding that is added to embeddings: the names about heads, then its own.
template <std::size_t size>
constexpr std::array<UnclearField, size + 4> without_heads(const UnclearField (&own)[size]) {
  constexpr std::string_view kNoHeads = "it is added to embeddings, before they are split into heads";
  std::array<UnclearField, size + 4> fields = {
      {{"heads", kNoHeads}, {"n_heads", kNoHeads}, {"num_heads", kNoHeads}, {"head_dim", kNoHeads}}};
  std::copy(own, own + size, fields.begin() + 4);
  return fields;
}

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
