// Specs of encodings inside attention: biases on scores, vectors for queries, keys and values, and masks.
//
//     posenc::Alibi alibi{.heads = 12};                                          // "alibi:heads=12"
//     posenc::T5 t5{.heads = 8, .buckets = 32, .max_distance = 128};             // "t5:heads=8"
//     posenc::Bias bias(t5, {{"table", table}});                                 // posenc/bias.h evaluates them
//
// Plain data without weights; learned numbers are views that are passed beside a spec, by the names that
// posenc/parameters.h lists. i is the query's position and j the key's; an offset is j - i unless a field says
// otherwise. docs/attention.md has every convention, `posenc list KIND` every field.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "posenc/kind.h"
#include "posenc/order.h"

namespace posenc {

// The sign of the offset of a pair of positions.
enum class Offset : int {
  key_minus_query,  // j - i: T5, Shaw, tensor2tensor
  query_minus_key,  // i - j: BERT, SpeechT5, and tutorials with a clipped table
};

// The distance of keys to the right of a query.
enum class DistanceRule : int {
  symmetric,  // the distance |i - j|
  causal,     // max(i - j, 0): keys after the query have distance 0; a mask should hide them
};

// Whether a bias is added before or after scores are scaled.
enum class Added : int {
  after_scale,   // scale * q.k + bias: the papers
  before_scale,  // scale * (q.k + bias): Falcon, LayoutLMv3
};

// No positions at all: attention with nothing but its mask.
struct NoPosition {
  static constexpr std::string_view kind = "none";
  static constexpr std::string_view summary = "no positions: attention with only its mask";
  static constexpr Place place = Place::nowhere;
  static const spec::KindRow row;
  static const properties::KindPage page;
};

// One learned number per head and offset, clipped: bias = table[clip(offset, -max_distance, max_distance) +
// max_distance][head]. Parameter: table [2 max_distance + 1, H].
struct Clipped {
  static constexpr std::string_view kind = "clipped";
  static constexpr std::string_view summary = "a learned bias per head and clipped offset, added to attention scores";
  static constexpr Place place = Place::bias;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t heads = 0;         // H; must be given
  std::int64_t max_distance = 0;  // 1 to 2^24; must be given
  Offset offset = Offset::key_minus_query;
  Added added = Added::after_scale;
};

// Whether T5 has buckets for keys after the query.
enum class T5Direction : int { bidirectional, causal };

// Buckets of T5 (Raffel et al., 2020), computed with a float32 logarithm as in the published code: the first half of
// the buckets hold one distance each, the others grow up to max_distance. Parameter: table [buckets, H].
struct T5 {
  static constexpr std::string_view kind = "t5";
  static constexpr std::string_view summary =
      "a learned bias per head and bucket of distances, added to attention scores";
  static constexpr Place place = Place::bias;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t heads = 0;           // H; must be given
  std::int64_t buckets = 32;        // at least 2; even, and at least 4, if bidirectional
  std::int64_t max_distance = 128;  // to 2^24; above the distances that have a bucket of their own
  T5Direction direction = T5Direction::bidirectional;
  Added added = Added::after_scale;
};

// Slopes for numbers of heads that are not powers of two.
enum class SlopeRule : int {
  interleaved,  // the authors' code: those of the power of two below, then every other one of twice that power
  geometric,    // the formula as printed, 2^(-bias_max h / H), for any H
};

// What a slope multiplies.
enum class AlibiForm : int {
  symmetric,     // -|i - j|; under a causal mask the same as causal
  causal,        // -max(i - j, 0)
  key_position,  // j alone: BLOOM, because softmax ignores what all keys of a query share. Causal masks only.
};

enum class AlibiPrecision : int {
  exact,
  bfloat16,  // slopes, positions and their products are rounded to bfloat16: Falcon
};

// Attention with linear biases (Press et al., 2022). Parameter, optional: slopes [H], instead of the rule.
struct Alibi {
  static constexpr std::string_view kind = "alibi";
  static constexpr std::string_view summary =
      "a penalty of slope times distance on attention scores, with a slope per head";
  static constexpr Place place = Place::bias;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t heads = 0;         // H; must be given
  std::int64_t biased_heads = 0;  // the first that have a slope, the others have 0; 0: all
  SlopeRule rule = SlopeRule::interleaved;
  double bias_max = 8.0;  // > 0
  AlibiForm form = AlibiForm::symmetric;
  AlibiPrecision precision = AlibiPrecision::exact;
  Added added = Added::after_scale;
};

enum class KerpleKernel : int {
  log,    // -p ln(1 + a d)
  power,  // -a d^p
};

// Kernelized relative bias (Chi et al., 2022); d is the distance. Parameters: p [H] and a [H], and for the log kernel,
// optional, exponent [H]: -p ln(1 + a d^exponent). Optional, factor_a and factor_p [H]: scores are first multiplied by
// exp(-factor_a d^factor_p); then p and a may be omitted. Parameters below `smallest` count as `smallest`; p of the
// power kernel and factor_p count as at most 2.
struct Kerple {
  static constexpr std::string_view kind = "kerple";
  static constexpr std::string_view summary =
      "a penalty on attention scores: a learned logarithm or power of the distance";
  static constexpr Place place = Place::bias;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t heads = 0;  // H; must be given
  KerpleKernel kernel = KerpleKernel::log;
  DistanceRule direction = DistanceRule::symmetric;
  double smallest = 0.01;  // >= 0
};

// Functional interpolation (Li et al., 2024): mlp(ln(|c (i - j)| + 1) / (ln(|c max(i, |L|)| + 1) + eps)) with
// L = length * length_factor. Depends on the query's place, not on the distance alone. Parameters: c [1],
// length_factor [1], and the two layers of the mlp: in_weight [W, 1], in_bias [W], out_weight [H, W], out_bias [H].
struct Fire {
  static constexpr std::string_view kind = "fire";
  static constexpr std::string_view summary =
      "a bias from a small network that sees the distance relative to the query's position";
  static constexpr Place place = Place::bias;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t heads = 0;   // H; must be given
  std::int64_t width = 32;  // W, of the hidden layer
  double length = 512.0;    // > 0; near the training length
  double eps = 1e-6;        // >= 0
};

// Sandwich (Chi et al., 2023): (sum over k = first .. width/2 - 1 + first of cos(d / base^(2k / width)) - width/2) /
// (8 h / H) for head h = 1 .. H. No parameters.
struct Sandwich {
  static constexpr std::string_view kind = "sandwich";
  static constexpr std::string_view summary = "a fixed bias on attention scores: the product of two sinusoidal rows";
  static constexpr Place place = Place::bias;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t heads = 0;  // H; must be given
  std::int64_t width = 0;  // even; must be given
  double base = 10000.0;
  std::int64_t first = 1;  // 1 as NeMo has it; 0 begins with the fastest frequency, as a sinusoidal table does
  DistanceRule direction = DistanceRule::symmetric;
};

// Numbers given by the caller: bias = values[h][i][j] for the positions i of queries and j of keys, which count from 0.
// Parameter: values [H, N, S] or, for all heads, [N, S]. -inf hides a key.
struct MatrixBias {
  static constexpr std::string_view kind = "matrix";
  static constexpr std::string_view summary = "a bias that you give for every query and key";
  static constexpr Place place = Place::bias;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t heads = 0;  // H; must be given
  Added added = Added::after_scale;
};

// What an offset beyond the table gets.
enum class PastTable : int {
  clip,   // the vector at the end of the table
  zero,   // no vector: VITS
  error,  // refused: BERT
};

// What the vectors are multiplied with.
enum class ShawTerm : int {
  query,          // q.r
  query_and_key,  // q.r + k.r: BERT's relative_key_query
};

// A learned vector per offset (Shaw et al., 2018): score = scale * (q.k + q.r[offset]), and, if values have vectors
// too, output = sum of weight * (v + s[offset]). Row = clip(offset, -left, right) + left. Parameters: keys [rows, D] or
// per head [H, rows, D]; values, optional, [rows, Dv] or [H, rows, Dv]; rows = left + right + 1.
struct Shaw {
  static constexpr std::string_view kind = "shaw";
  static constexpr std::string_view summary = "a learned vector per clipped offset, used in scores and in values";
  static constexpr Place place = Place::term;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t head_dim = 0;  // D; must be given
  std::int64_t left = 0;      // >= 0; must be given
  std::int64_t right = 0;     // >= 0; must be given
  Offset offset = Offset::key_minus_query;
  PastTable past = PastTable::clip;
  ShawTerm term = ShawTerm::query;
};

// Transformer-XL (Dai et al., 2019): score = scale * ((q + u).k + (q + v).r[i - j]), r[d] = W times the sinusoidal row
// of d. Parameters: u [H, D], v [H, D], position_weight W [H * D, width].
struct TransformerXl {
  static constexpr std::string_view kind = "transformer_xl";
  static constexpr std::string_view summary = "scores between queries and a projected sinusoidal row per distance";
  static constexpr Place place = Place::term;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t heads = 0;     // H; must be given
  std::int64_t head_dim = 0;  // D; must be given
  std::int64_t width = 0;     // of the sinusoidal rows, even; must be given
  double base = 10000.0;
  Order order = Order::halves;      // interleaved in the conformer family
  std::int64_t clamp_distance = 0;  // larger distances count as this one; 0: no limit
};

// A sliding window as a mask: keys with i - left <= j <= i + right. An end that is not given is open.
struct Window {
  static constexpr std::string_view kind = "window";
  static constexpr std::string_view summary = "a mask that shows keys near the query only";
  static constexpr Place place = Place::bias;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::optional<std::int64_t> left = {};   // >= 0
  std::optional<std::int64_t> right = {};  // >= 0; 0 is causal
};

// A chunked mask: keys of the query's own chunk of `size` positions, those after it only if not causal.
struct Chunked {
  static constexpr std::string_view kind = "chunked";
  static constexpr std::string_view summary = "a mask that shows keys in the query's chunk only";
  static constexpr Place place = Place::bias;
  static const spec::KindRow row;
  static const properties::KindPage page;
  std::int64_t size = 0;  // >= 1; must be given
  DistanceRule direction = DistanceRule::causal;
};

}  // namespace posenc
