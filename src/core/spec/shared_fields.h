// Fields that several kinds have, and the words of their enums.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/spec/enum_field.h"
#include "core/spec/fields.h"
#include "core/spec/rotary_window.h"

namespace posenc::spec {

inline constexpr double kMaxHeads = 65536;
inline constexpr double kMaxRows = 16777216;  // of a table: 2^24
inline constexpr double kMaxWidth = 1048576;  // of a row

inline constexpr std::string_view kDirectionWords[] = {"symmetric", "causal"};

Field heads_field(std::int64_t& heads);
Field head_dim_field(std::int64_t& head_dim, double low = 1, double high = kHeadDimLimit);
Field base_field(double& base, std::string_view help = "of the frequencies, as in sinusoidal");
Field multiplier_field(double& multiplier);
Field order_field(Order& order);
Field first_channel_field(std::int64_t& first_channel);
// Of the sinusoidal rows that a kind inside attention is made of.
Field even_width_field(std::int64_t& width, std::string_view help);

Field added_field(Added& added);
Field direction_field(DistanceRule& direction);
Field offset_field(Offset& offset);

// Throws unless the width is even.
void check_even_width(std::int64_t width, std::string_view where);

}  // namespace posenc::spec
