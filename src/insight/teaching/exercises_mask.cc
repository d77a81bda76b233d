// Questions about masks: windows and chunks.
#include "insight/teaching/exercise_kinds.h"

namespace posenc::teaching {
namespace {

// Keys below `tokens` that a query sees, by the definition of the mask.
std::int64_t seen(const Spec& spec, std::int64_t query, std::int64_t tokens) {
  std::int64_t count = 0;
  for (std::int64_t key = 0; key < tokens; ++key) {
    count += reference::bias(spec, {}, 0, static_cast<double>(query), static_cast<double>(key)) == 0.0 ? 1 : 0;
  }
  return count;
}

void add_seen(Sheet& sheet, const Spec& spec, std::int64_t tokens, const std::string& how) {
  const std::int64_t query = sheet.draw("seen").between(tokens / 2, tokens - 1);
  sheet.ask("masks/seen", {{"tokens", tokens}, {"mask", to_text(spec)}, {"query", query}, {"how", how}},
            {static_cast<double>(seen(spec, query, tokens))});
}

void add_seen_pairs(Sheet& sheet, const Spec& spec, std::int64_t tokens, const std::string& how) {
  double pairs = 0.0;
  for (std::int64_t query = 0; query < tokens; ++query) pairs += static_cast<double>(seen(spec, query, tokens));
  const std::int64_t all = tokens * tokens;
  const std::string share = decimals_text(100.0 * pairs / static_cast<double>(all), 1);
  sheet.ask("masks/seen pairs",
            {{"mask", to_text(spec)}, {"tokens", tokens}, {"how", how}, {"all", all}, {"share", share}}, {pairs});
}

}  // namespace

void add_questions(Sheet& sheet, const Window& given) {
  Draw draw = sheet.draw("window"), hidden = sheet.draw("hidden");
  Window spec = given;
  const std::int64_t left = draw.between(2, 6);
  const bool small = given.left && *given.left <= 64 && *given.left >= 1 && given.right.value_or(0) <= 64;
  if (!small) spec = {.left = left, .right = 0};
  const std::int64_t reach = *spec.left, tokens = 2 * reach + draw.between(5, 20), layers = draw.between(3, 12);
  const std::string how = "Keys from i - " + text_of(reach) + (spec.right ? " to i + " + text_of(*spec.right) : " on") +
                          ", inside the text";
  add_seen(sheet, spec, tokens, how);
  sheet.ask_choice("masks/hidden", hidden);
  add_seen_pairs(sheet, spec, tokens, how + ", for every query i");
  sheet.ask("masks/layers", {{"reach", reach}, {"layers", layers}}, {static_cast<double>(reach * layers)});
  sheet.ask("masks/nearby");
}

void add_questions(Sheet& sheet, const Chunked& given) {
  Draw draw = sheet.draw("chunked");
  Chunked spec = given;
  const std::int64_t size = draw.between(3, 8);
  if (given.size < 2 || given.size > 64) spec.size = size;
  const std::int64_t tokens = spec.size * draw.between(2, 4), border = spec.size * draw.between(1, 9);
  const std::int64_t p = draw.between(spec.size, 20 * spec.size);
  const std::string how =
      std::string("Keys of the query's own chunk") + (spec.direction == DistanceRule::causal ? ", none ahead" : "");
  sheet.ask("masks/chunk", {{"size", spec.size}, {"p", p}}, {static_cast<double>(p / spec.size)});
  add_seen(sheet, spec, tokens, how);
  add_seen_pairs(sheet, spec, tokens, how);
  sheet.ask_choice("masks/border", draw,
                   {{"size", spec.size}, {"border", border}, {"before", border - 1}, {"chunk", border / spec.size}});
  sheet.ask("masks/nearby");
}

}  // namespace posenc::teaching
