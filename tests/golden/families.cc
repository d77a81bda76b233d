#include "golden/families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace golden {
namespace {

using posenc::Json;
using posenc::OddWidth;
using posenc::Order;
using posenc::Sinusoidal;
using posenc::Spacing;
using Expectations = std::vector<Expectation>;

const Json& member(const Json& json, std::string_view key) {
  static const Json missing;
  const Json* found = json.find(key);
  return found ? *found : missing;
}

double number(const Json& inputs, std::string_view key) { return member(inputs, key).number(key); }
std::int64_t integer(const Json& inputs, std::string_view key) { return member(inputs, key).integer(key); }
double number_or(const Json& inputs, std::string_view key, double fallback) {
  return inputs.find(key) ? number(inputs, key) : fallback;
}

// from, from - 1 or from + 1, ..., count numbers.
std::vector<double> counted(double from, std::int64_t count, double step = 1.0) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(from + step * static_cast<double>(i));
  return result;
}

// Every output of the case is the same table, in different precisions.
Expectations all_outputs(const Json& outputs, const Sinusoidal& spec, const std::vector<double>& positions) {
  Expectations result;
  for (const auto& [key, value] : outputs.object()) result.push_back({key, spec, positions});
  return result;
}

Sinusoidal paper(std::int64_t width, double base, Order order) {
  return {.width = width, .base = base, .order = order};
}

// tensor2tensor's timing signal, from which fairseq, Whisper, MusicGen, TimesFM and diffusers come.
Sinusoidal timing(std::int64_t width, double base = 10000.0) {
  return {.width = width, .base = base, .spacing = Spacing::half, .order = Order::halves, .odd = OddWidth::zero};
}

Expectations bros(const Json& inputs, const Json& outputs) {
  return all_outputs(outputs, paper(integer(inputs, "dim"), 10000.0, Order::halves),
                     flat_numbers(member(inputs, "positions")));
}

Expectations conformer(const Json& inputs, const Json& outputs) {
  const std::int64_t length = integer(inputs, "length");
  return all_outputs(outputs, paper(integer(inputs, "dim"), 10000.0, Order::interleaved),
                     counted(static_cast<double>(length - 1), 2 * length - 1, -1.0));
}

// CTRL and Marian.
Expectations halves(const Json& inputs, const Json& outputs) {
  return all_outputs(outputs, paper(integer(inputs, "dim"), number(inputs, "base"), Order::halves),
                     flat_numbers(member(inputs, "positions")));
}

Expectations xlm(const Json& inputs, const Json& outputs) {
  return all_outputs(outputs, paper(integer(inputs, "dim"), number(inputs, "base"), Order::interleaved),
                     flat_numbers(member(inputs, "positions")));
}

Expectations keras(const Json& inputs, const Json& outputs) {
  return all_outputs(outputs, paper(integer(inputs, "dim"), number(inputs, "max_wavelength"), Order::interleaved),
                     flat_numbers(member(inputs, "positions")));
}

Expectations diffusers_sinusoidal(const Json& inputs, const Json& outputs) {
  return all_outputs(outputs, paper(integer(inputs, "dim"), 10000.0, Order::interleaved),
                     counted(0.0, integer(inputs, "length")));
}

Expectations diffusers_timestep(const Json& inputs, const Json& outputs) {
  Sinusoidal spec = timing(integer(inputs, "embedding_dim"), number(inputs, "max_period"));
  spec.shift = number(inputs, "downscale_freq_shift");
  spec.frequency_scale = number(inputs, "scale");
  if (member(inputs, "flip_sin_to_cos").boolean()) spec.order = Order::cos_halves;
  return all_outputs(outputs, spec, flat_numbers(member(inputs, "timesteps")));
}

Expectations gaussian_fourier(const Json& inputs, const Json& outputs) {
  std::vector<double> inv_freq = flat_numbers(member(inputs, "weight"));
  for (double& weight : inv_freq) weight *= 2.0 * std::numbers::pi;
  std::vector<double> positions = flat_numbers(member(inputs, "x"));
  if (member(inputs, "log").boolean()) {
    for (double& x : positions) x = std::log(x);
  }
  const bool flip = member(inputs, "flip_sin_to_cos").boolean();
  const Sinusoidal spec{.width = static_cast<std::int64_t>(2 * inv_freq.size()),
                        .inv_freq = inv_freq,
                        .order = flip ? Order::cos_halves : Order::halves};
  return all_outputs(outputs, spec, positions);
}

Expectations fairseq_table(const Json& inputs, const Json& outputs) {
  Sinusoidal spec = timing(integer(inputs, "dim"), number(inputs, "base"));
  if (!member(inputs, "padding_idx").is_null()) spec.zero_position = integer(inputs, "padding_idx");
  return all_outputs(outputs, spec, flat_numbers(member(inputs, "positions")));
}

Expectations fairseq2(const Json& inputs, const Json& outputs) {
  Sinusoidal spec = timing(integer(inputs, "dim"));
  if (!member(inputs, "_legacy_pad_idx").is_null()) spec.first = integer(inputs, "_legacy_pad_idx") + 1;
  return all_outputs(outputs, spec, counted(0.0, integer(inputs, "length")));
}

// fairseq's spec: the first real token counts as padding_idx + 1, and the row of padding_idx is zero.
Sinusoidal fairseq(const Json& inputs) {
  Sinusoidal spec = timing(integer(inputs, "dim"));
  spec.first = integer(inputs, "padding_idx") + 1;
  spec.zero_position = integer(inputs, "padding_idx");
  return spec;
}

// Real tokens are numbered from `past` on; padding is one before the first token ever, where the zero row stands.
std::vector<double> fairseq_positions(const Json& inputs, double past, bool past_moves_padding) {
  std::vector<double> result;
  for (const Json& row : member(inputs, "input_ids").array()) {
    double next = past;
    for (const double id : flat_numbers(row)) {
      const bool padding = id == number(inputs, "padding_idx");
      result.push_back(padding ? (past_moves_padding ? past - 1.0 : -1.0) : next++);
    }
  }
  return result;
}

// 0, 1, 2, ... from `past` on in every row, padding or not.
std::vector<double> plain_positions(const Json& inputs, double past) {
  std::vector<double> result;
  for (const Json& row : member(inputs, "input_ids").array()) {
    for (const double position : counted(past, static_cast<std::int64_t>(row.array().size())))
      result.push_back(position);
  }
  return result;
}

// The number behind `word` in a key: 3 of "fsmt_past3"; 0 if it is not there.
double number_after(const std::string& key, std::string_view word) {
  const std::size_t at = key.find(word);
  return at == std::string::npos ? 0.0 : std::stod(key.substr(at + word.size()));
}

Expectation fairseq_offset_case(const Json& inputs, const std::string& key) {
  Sinusoidal spec = fairseq(inputs);
  const double past = number_after(key, "_past");
  if (key.starts_with("xglm")) {
    spec.first = 2;  // whatever padding_idx is
    return {key, spec, plain_positions(inputs, 0.0)};
  }
  if (key.find("inputs_embeds") != std::string::npos) return {key, spec, plain_positions(inputs, past)};
  return {key, spec, fairseq_positions(inputs, past, key.starts_with("fsmt"))};
}

Expectations fairseq_offset(const Json& inputs, const Json& outputs) {
  Expectations result;
  for (const std::string group : {"embeddings", "positions"}) {
    for (const auto& [key, value] : member(outputs, group).object()) {
      Expectation expected = fairseq_offset_case(inputs, key);
      expected.output = group + "." + key;
      expected.only_positions = group == "positions";
      result.push_back(std::move(expected));
    }
  }
  return result;
}

// A step of incremental decoding gives every row of the batch the same position, padding or not. The inputs do not say
// which: it was the fourth token's.
Expectations fairseq_package(const Json& inputs, const Json&) {
  const std::vector<double> positions = fairseq_positions(inputs, 0.0, false);
  const auto rows = static_cast<std::int64_t>(member(inputs, "input_ids").array().size());
  Expectation ids{"positions", fairseq(inputs), positions};
  ids.only_positions = true;
  return {{"out", fairseq(inputs), positions}, ids, {"incremental_step", fairseq(inputs), counted(3.0, rows, 0.0)}};
}

// Distances from half the context down to 0.
Expectations gemma4_audio(const Json& inputs, const Json& outputs) {
  const std::int64_t context =
      integer(inputs, "chunk") + integer(inputs, "context_left") - 1 + integer(inputs, "context_right");
  return all_outputs(outputs, timing(integer(inputs, "hidden_size")),
                     counted(static_cast<double>(context / 2), context / 2 + 1, -1.0));
}

Expectations musicgen(const Json& inputs, const Json& outputs) {
  Sinusoidal spec = timing(integer(inputs, "dim"));
  spec.order = Order::cos_halves;
  return all_outputs(outputs, spec, flat_numbers(member(inputs, "positions")));
}

Sinusoidal pe1d_spec(std::int64_t channels) { return {.width = channels, .spacing = Spacing::even_width}; }

Expectations pe1d(const Json& inputs, const Json& outputs) {
  return all_outputs(outputs, pe1d_spec(integer(inputs, "channels")), counted(0.0, integer(inputs, "length")));
}

Expectations pe_summer(const Json& inputs, const Json& outputs) {
  const Json::Array& batch = member(inputs, "x").array();
  const Json::Array& tokens = batch.at(0).array();
  std::vector<double> positions;
  for (std::size_t i = 0; i < batch.size() * tokens.size(); ++i)
    positions.push_back(static_cast<double>(i % tokens.size()));
  const auto channels = static_cast<std::int64_t>(tokens.at(0).array().size());
  Expectations result = all_outputs(outputs, pe1d_spec(channels), positions);
  for (Expectation& expected : result) expected.added = flat_numbers(member(inputs, "x"));
  return result;
}

// min_timescale multiplies where its name says divide.
void set_timescales(const Json& inputs, Sinusoidal& spec) {
  spec.frequency_scale = number_or(inputs, "min_timescale", 1.0);
  spec.base = number_or(inputs, "max_timescale", 10000.0) / spec.frequency_scale;
}

Expectations timesfm(const Json& inputs, const Json& outputs) {
  Sinusoidal spec = timing(integer(inputs, "dim"));
  set_timescales(inputs, spec);
  return all_outputs(outputs, spec, flat_numbers(member(inputs, "positions")));
}

Expectations whisper(const Json& inputs, const Json& outputs) {
  Sinusoidal spec = timing(integer(inputs, "channels"), number(inputs, "max_timescale"));
  spec.odd = OddWidth::error;
  return all_outputs(outputs, spec, flat_numbers(member(inputs, "positions")));
}

// Rows from klen down to 0, or to 1 - qlen where attention goes both ways; distances may be clamped.
Expectations xlnet(const Json& inputs, const Json& outputs) {
  const std::int64_t klen = integer(inputs, "klen");
  const bool both_ways = member(inputs, "attn_type").string() == "bi";
  std::vector<double> positions =
      counted(static_cast<double>(klen), klen + (both_ways ? integer(inputs, "qlen") : 1), -1.0);
  const double clamp = number(inputs, "clamp_len");
  if (clamp > 0.0) {
    for (double& position : positions) position = std::clamp(position, -clamp, clamp);
  }
  return all_outputs(outputs, paper(integer(inputs, "d_model"), 10000.0, Order::halves), positions);
}

// The signal from 0 on, and single rows under keys such as "position_100000".
Expectations tensor2tensor(const Json& inputs, const Json& outputs) {
  Sinusoidal spec = timing(integer(inputs, "channels"));
  set_timescales(inputs, spec);
  Expectations result = all_outputs(outputs, spec, counted(0.0, integer(inputs, "length")));
  for (Expectation& expected : result) {
    if (expected.output.starts_with("position_")) expected.positions = {number_after(expected.output, "position_")};
  }
  return result;
}

struct Family {
  std::string_view prefix;
  Expectations (*expectations)(const Json& inputs, const Json& outputs);
};

constexpr std::array kFamilies = {
    Family{"a_bros_1d", bros},
    Family{"a_conformer_relpos", conformer},
    Family{"a_ctrl_", halves},
    Family{"a_diffusers_gaussian_fourier", gaussian_fourier},
    Family{"a_diffusers_sinusoidal", diffusers_sinusoidal},
    Family{"a_diffusers_t_", diffusers_timestep},
    Family{"a_fairseq2_sinusoidal", fairseq2},
    Family{"a_fairseq_offset", fairseq_offset},
    Family{"a_fairseq_pkg_sinusoidal", fairseq_package},
    Family{"a_fairseq_table", fairseq_table},
    Family{"a_gemma4_audio_relpos", gemma4_audio},
    Family{"a_keras_sine", keras},
    Family{"a_marian_table", halves},
    Family{"a_musicgen_", musicgen},
    Family{"a_pe1d_", pe1d},
    Family{"a_pe_summer", pe_summer},
    Family{"a_timesfm_", timesfm},
    Family{"a_whisper_", whisper},
    Family{"a_xlm_interleaved", xlm},
    Family{"a_xlnet_relpos", xlnet},
    Family{"t2t_timing_c", tensor2tensor},
};

}  // namespace

std::vector<Expectation> expectations_of(std::string_view name, const Json& inputs, const Json& outputs) {
  for (const Family& family : kFamilies) {
    if (name.starts_with(family.prefix)) return family.expectations(inputs, outputs);
  }
  return {};
}

std::vector<Defect> defects() {
  const std::string_view division =
      "the port divides by pairs - 1 = 0; posenc gives what tensor2tensor gives, which guards the division: exponent 0";
  Sinusoidal whisper = timing(2);
  whisper.odd = OddWidth::error;
  Sinusoidal odd_whisper = whisper;
  odd_whisper.width = 7;
  return {{"a_fairseq_table_d2_degenerate", division, {timing(2)}, {{1.0}}},
          {"a_fairseq_table_d3_degenerate", division, {timing(3)}, {{1.0}}},
          {"a_whisper_errors",
           "as above at width 2; an odd width is an error here too (odd=error)",
           {whisper, odd_whisper},
           {{1.0}, {}}}};
}

std::vector<double> flat_numbers(const Json& json) {
  if (!json.is_array()) return {json.number()};
  std::vector<double> result;
  for (const Json& item : json.array()) {
    for (const double value : flat_numbers(item)) result.push_back(value);
  }
  return result;
}

}  // namespace golden
