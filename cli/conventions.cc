#include "cli/conventions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cli/word_choice.h"
#include "posenc/error.h"

namespace posenc::cli {
namespace {

enum class From { pads, counted, pad_token, pad_token_and_past };

struct Convention {
  std::string_view name;
  From from;
  std::int64_t pads;   // From::pads: their id
  std::int64_t first;  // the first id; if ids are counted from the pad token, the id after it instead
  std::string_view meaning;
};

constexpr std::array<Convention, 10> kConventions = {{
    {"generate", From::pads, 0, 0, "pads 0: generate() of transformers 5"},
    {"generate-v4", From::pads, 1, 0, "pads 1: generate() of transformers 4"},
    {"bert", From::counted, 0, 0, "pads counted: BERT, GPT-2, LED, Blenderbot, BigBird-Pegasus"},
    {"bart", From::counted, 0, 2, "pads counted, first 2: BART, mBART, PLBart, MVP, TrOCR, XGLM"},
    {"opt", From::pads, 1, 2, "pads 1, first 2: OPT, BioGPT"},
    {"roberta", From::pad_token, 0, 0, "pads K, first K + 1: RoBERTa, XLM-R, CamemBERT, Longformer, MPNet, ESM"},
    {"fairseq", From::pad_token, 0, 0, "pads K, first K + 1: learned and sinusoidal tables of fairseq"},
    {"m2m100", From::pad_token, 0, 0, "pads K, first K + 1, also after a past: M2M100, NLLB, Speech2Text"},
    {"fsmt", From::pad_token_and_past, 0, 0, "pads K + past, first K + 1: FSMT"},
    {"prophetnet", From::pad_token, 0, 0, "pads K, first K + 1: ProphetNet"},
}};

const Convention& find(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Convention& convention : kConventions) names.push_back(convention.name);
  return kConventions[place_of_word(name, "--convention", names)];
}

}  // namespace

std::string convention_list() {
  std::string text;
  for (const Convention& convention : kConventions) {
    text += fmt::format("{}  {:<12} {}", text.empty() ? "" : "\n", convention.name, convention.meaning);
  }
  return text;
}

bool needs_pad_token(std::string_view name) {
  const From from = find(name).from;
  return from == From::pad_token || from == From::pad_token_and_past;
}

IdRule convention_rule(const std::string& name, std::optional<std::int64_t> pad_token, std::int64_t past) {
  const Convention& convention = find(name);
  if (needs_pad_token(name)) {
    if (!pad_token) {
      fail(ErrorKind::usage,
           fmt::format("--convention {} counts from the pad token's id: --pad-token is missing", name));
    }
    if (*pad_token < 0 || *pad_token >= kMaxPosition) {
      fail(ErrorKind::usage, fmt::format("with --convention {}, --pad-token must be 0 to {} but got {}", name,
                                         kMaxPosition - 1, *pad_token));
    }
    const std::int64_t pads =
        *pad_token + (convention.from == From::pad_token ? 0 : std::clamp<std::int64_t>(past, 0, kMaxPosition));
    return {.pads = Pads::id(pads), .first = *pad_token + 1, .past = past};
  }
  const Pads pads = convention.from == From::counted ? Pads::counted() : Pads::id(convention.pads);
  return {.pads = pads, .first = convention.first, .past = past};
}

}  // namespace posenc::cli
