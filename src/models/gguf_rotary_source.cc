#include <numeric>

#include "models/gguf_rotary.h"

namespace posenc::models::gguf {
namespace {

constexpr std::string_view kSections = "rope.dimension_sections";

Sourced<double> checked_base(GgufKeys& keys, std::string_view name, Sourced<double> base) {
  if (base.value > 0.0) return base;
  keys.refuse(name, "expected a base above 0 but got ", base.value);
}

void read_bases(GgufRotary& source) {
  GgufKeys& keys = source.keys;
  source.base = checked_base(keys, "rope.freq_base", keys.number_or("rope.freq_base", 10000.0));
  if (source.row.unscaled && source.base.value != 10000.0) {
    keys.warn(source.base.from + " has no effect: llama.cpp uses 10000 for '" + std::string(source.row.name) + "'");
    source.base = {10000.0, std::string(kLlamaDefault)};
  }
  source.local_base = source.base;
  if (source.row.local_base == LocalBase::own_or_ten_thousand) {
    source.local_base = keys.number_or("rope.freq_base_swa", 10000.0);
  } else if (source.row.local_base == LocalBase::own && keys.has("rope.freq_base_swa")) {
    source.local_base = keys.number_or("rope.freq_base_swa", 0.0);
  }
  checked_base(keys, "rope.freq_base_swa", source.local_base);
  if (!source.row.compresses) return;
  source.compressed_base = keys.number_or("attention.compress_rope_freq_base", source.base.value);
  checked_base(keys, "attention.compress_rope_freq_base", source.compressed_base);
}

// Reads four numbers: the pairs of time, height, width and a fourth axis.
void read_sections(GgufRotary& source) {
  GgufKeys& keys = source.keys;
  const GgufArchitecture& row = source.row;
  const bool always = row.rotation == Pairing::sections || row.rotation == Pairing::interleaved_sections;
  if (!always && !row.sections_if_given) return;
  if (!keys.has(kSections)) {
    keys.require(!always, kSections, "llama.cpp needs this key, but it is missing");
    return;
  }
  std::vector<std::int64_t> sections = keys.list(kSections).value();
  keys.require(sections.size() == 4, kSections, "expected 4 numbers but got ", sections.size());
  if (row.sections_if_given && (sections[0] == 0 || sections[1] == 0)) return;
  const std::int64_t pairs = source.size.full.rotary.value / 2;
  const std::int64_t sum = std::accumulate(sections.begin(), sections.end(), std::int64_t{0});
  keys.require(sum == pairs, kSections, "expected numbers that sum to the ", pairs, " pairs of ",
               source.size.full.rotary.value, " channels but they sum to ", sum);
  if (sections[1] == 0 && sections[2] == 0 && sections[3] == 0) return;
  if (sections[3] == 0) sections.pop_back();
  if (row.rotation == Pairing::interleaved_sections && sections.size() == 4) {
    keys.refuse(kSections, "expected 0 as the fourth number, because three axes alternate, but got ", sections[3]);
  }
  source.sections = std::move(sections);
}

std::vector<double> read_divisors(GgufRotary& source, const std::string& tensor) {
  GgufKeys& keys = source.keys;
  std::vector<double> numbers = keys.tensor(tensor);
  const auto pairs = static_cast<std::size_t>(source.size.full.rotary.value / 2);
  // If sliding layers rotate more channels, both kinds of layers use the first numbers of the tensor.
  keys.require(numbers.size() >= pairs && (numbers.size() <= pairs || source.row.halves_rotary), "rope.dimension_count",
               "expected tensor '", tensor, "' to have one number per pair, ", pairs, ", but it has ", numbers.size());
  numbers.resize(pairs);
  for (const double number : numbers) {
    if (number >= 1e-6) continue;
    keys.refuse("rope.dimension_count", "expected tensor '", tensor, "' to have divisors from 1e-6 on but got ",
                number);
  }
  return numbers;
}

void read_tensors(GgufRotary& source) {
  GgufKeys& keys = source.keys;
  const bool far = keys.has_tensor("rope_factors_long.weight");
  const bool near = keys.has_tensor("rope_factors_short.weight");
  const bool longrope = source.stretch.type.value == "longrope";
  const bool lists = source.row.divisors == Divisors::lists || (source.row.divisors == Divisors::all && longrope);
  if (lists && far && near) {
    source.long_divisors = read_divisors(source, "rope_factors_long.weight");
    source.short_divisors = read_divisors(source, "rope_factors_short.weight");
  } else if (far != near || longrope) {
    keys.object("rope.scaling.type", std::string("expected the tensors rope_factors_long.weight and "
                                                 "rope_factors_short.weight, of longrope, but ") +
                                         (far && near ? "llama.cpp does not use them here"
                                          : far       ? "the second is missing"
                                          : near      ? "the first is missing"
                                                      : "they are missing"));
  } else if (far) {
    keys.warn("tensors rope_factors_long.weight and rope_factors_short.weight have no effect: the scaling is " +
              source.stretch.type.value);
  }
  if (!keys.has_tensor("rope_freqs.weight") || lists) return;
  if (source.row.divisors == Divisors::unused) {
    keys.warn("tensor rope_freqs.weight has no effect: llama.cpp does not use it for '" + std::string(source.row.name) +
              "'");
    return;
  }
  source.divisors = read_divisors(source, "rope_freqs.weight");
}

void check_width(GgufRotary& source, const HeadWidths& widths, std::string_view name) {
  GgufKeys& keys = source.keys;
  const std::int64_t rotary = widths.rotary.value;
  keys.require(widths.whole.value >= 2 && widths.whole.value <= 8192, "attention.key_length",
               "expected heads of 2 to 8192 channels but ", widths.whole.from, " is ", widths.whole.value);
  keys.require(rotary >= 2 && rotary % 2 == 0, name, "expected an even number of rotated channels but got ", rotary);
  keys.require(rotary <= widths.whole.value, name, "expected at most the channels of a head, ", widths.whole.value,
               " by ", widths.whole.from, ", but got ", rotary);
  keys.require(!source.row.rotary_is_head || rotary == widths.whole.value, name, "expected the channels of a head, ",
               widths.whole.value, ", as llama.cpp does for '", source.row.name, "', but got ", rotary);
}

}  // namespace

GgufRotary read_rotary_source(GgufKeys& keys, const GgufArchitecture& row, const ModelSize& size) {
  GgufRotary source{keys, row, size, read_stretch(keys, row, size.context)};
  check_width(source, size.full, "rope.dimension_count");
  check_width(source, size.sliding, "rope.dimension_count_swa");
  read_bases(source);
  read_sections(source);
  read_tensors(source);
  return source;
}

std::string layout_guess(const GgufRotary& source) {
  const bool interleaved = source.row.rotation == Pairing::interleaved && source.sections.empty();
  std::string text = "the file does not say how channels are paired: llama.cpp pairs channel ";
  text += interleaved ? "2i with 2i + 1 (interleaved)" : "i with i + n / 2 (half)";
  text += " for architecture '" + std::string(source.row.name) + "'";
  if (source.row.permuted) {
    text += "; its converter reorders the rows of q and k to match, so the model's config.json says half";
  }
  return text;
}

}  // namespace posenc::models::gguf
