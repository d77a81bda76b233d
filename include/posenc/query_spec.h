// Specs of PoPE, xPos and the temperature of queries, which act on queries and keys besides the plain rotation.
//
//     posenc::Pope pope{.head_dim = 64};                                      // "pope:head_dim=64"; posenc/pope.h
//     posenc::Xpos xpos{.head_dim = 64, .center = 512};                       // posenc/xpos.h
//     posenc::QueryTemperature llama4{.scale = 0.1, .length = 8192};          // posenc/query_temperature.h
//
// Plain data without weights; `posenc list KIND` has every field.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "posenc/kind.h"
#include "posenc/layout.h"

namespace posenc {

// Where PoPE writes the cosine and the sine of a channel.
enum class PopeOrder : int {
  interleaved,  // 2c and 2c + 1: PoPE-pytorch
  halves,       // c and c + R: x-transformers
};

// How a channel becomes a magnitude.
enum class Magnitude : int {
  softplus,  // ln(1 + e^x): the paper
  relu,      // max(x, 0), an ablation
  identity,  // x itself, which may be negative: an ablation
};

// How a learned phase outside [-2 pi, 0] is read.
enum class DeltaClamp : int {
  none,     // unchanged: cosines repeat after 2 pi
  forward,  // it is clamped, and has no gradient outside: the published code
};

// Polar coordinate position embeddings (Gopalakrishnan et al., 2025): the content of a channel sets its magnitude, and
// the position alone sets its angle. One frequency per channel, not per pair:
//
//     score = sum over c of m(q_c) m(k_c) cos((s - t) inv_freq_c + delta_c),  inv_freq_c = base^(-c / R)
//
// for a query at t and a key at s. Parameter, optional: delta [H, R]. docs/encodings/pope.md.
struct Pope {
  static constexpr std::string_view kind = "pope";
  static constexpr std::string_view summary =
      "magnitudes of queries and keys, rotated by the position alone, with a frequency per channel";
  static constexpr Place place = Place::rotation;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t head_dim = 0;                // D, 1 to 4096; must be given
  double base = 10000.0;                    // > 0
  std::int64_t rotary_dim = 0;              // R, how many channels rotate, from the first; 0: all
  std::vector<double> inv_freq = {};        // radians per position, [R] or [axes][R] in one list; replaces the rule
  std::int64_t axes = 1;                    // of a position: 1 to 8
  std::vector<std::int64_t> sections = {};  // channels of each axis; every axis begins with the fastest frequency
  PopeOrder order = PopeOrder::interleaved;
  Magnitude magnitude = Magnitude::softplus;
  DeltaClamp delta_clamp = DeltaClamp::none;
};

// xPos (Sun et al., 2022): a rotation, and a decay that grows with the distance, as a growing factor on queries and its
// inverse on keys:
//
//     q times zeta_i^((p - center) / scale_base), k divided by it,  zeta_i = (2i / R + gamma) / (1 + gamma)
//
// for pair i of a window of R channels. The center cancels in scores: it keeps the factors near 1.
// docs/encodings/xpos.md.
struct Xpos {
  static constexpr std::string_view kind = "xpos";
  static constexpr std::string_view summary = "a rotation of queries and keys with scores that decay with the distance";
  static constexpr Place place = Place::rotation;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t head_dim = 0;  // D, 2 to 8192; must be given
  double base = 10000.0;      // > 0
  Layout layout = Layout::interleaved;
  std::int64_t rotary_dim = 0;        // R, channels that rotate, even; 0: all
  std::int64_t first_channel = 0;     // the first channel that rotates; negative: counted from the end of the head
  std::vector<double> inv_freq = {};  // radians per position, [pairs]; replaces the rule
  double gamma = 0.4;                 // > 0
  double scale_base = 512.0;          // > 0, positions
  double center = 0.0;                // the position whose factor is 1
};

enum class TemperatureForm : int {
  log_floor,  // 1 + scale * ln(1 + floor((p + first) / length)): Llama 4, Ministral 3
  power,      // (1 + (p + first) / length)^scale: Beam
};

// A factor on queries that grows with the position, so that the softmax of long texts stays sharp.
struct QueryTemperature {
  static constexpr std::string_view kind = "temperature";
  static constexpr std::string_view summary = "a factor on queries that grows with the position";
  static constexpr Place place = Place::query;
  static const spec::KindRow row;
  static const properties::KindPage page;
  double scale = 0.1;          // 0: the factor is 1 everywhere
  std::int64_t length = 8192;  // positions, at least 1
  std::int64_t first = 1;      // what position 0 counts as: 1 in Llama 4, 0 in Ministral 3
  TemperatureForm form = TemperatureForm::log_floor;
};

}  // namespace posenc
