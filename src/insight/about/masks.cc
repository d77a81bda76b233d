// Masks: windows and chunks.
#include "insight/about/about.h"

namespace posenc {
namespace about {
namespace {

KindFacts window_facts(const Spec&) {
  return {.users = "Mistral 7B, Gemma 2 and 3, and Longformer, mostly in some of their layers",
          .represents = "distances",
          .prefers = "near keys: the others are hidden",
          .past_length =
              "A query never sees more keys than in training. Information from before the window reaches it only "
              "through other layers.",
          .order_of_terms = "left=4095,right=0 is a causal window of 4096 keys: it includes the query's own position."};
}

KindFacts chunked_facts(const Spec&) {
  return {
      .users = "Llama 4 in its layers with rotary encodings",
      .represents = "distances within a chunk",
      .prefers = "keys of its own chunk: the others are hidden",
      .past_length = "A query sees no key before the start of its chunk: the first query of a chunk sees only itself.",
      .order_of_terms = "Chunks are counted from position 0, not from the query."};
}

std::vector<Property> window_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<Window>(numbers.spec());
  BiasTraits traits{.past_title = "keys at any distance are visible", .hides = true};
  traits.past_finding = "no key before a query is hidden";
  if (spec.left) {
    traits.past = Verdict::holds_to;
    traits.past_until = static_cast<double>(*spec.left);
    traits.past_finding =
        several(*spec.left + 1, "key") + " up to the query's own are visible, the keys before them are hidden";
  }
  return bias_properties(numbers, options, traits);
}

std::vector<Property> chunked_properties(const Encoding& numbers, const CheckOptions& options) {
  const auto& spec = std::get<Chunked>(numbers.spec());
  const BiasTraits traits{
      .relative = false,
      .past_title = "keys at any distance are visible",
      .past = Verdict::holds_to,
      .past_until = static_cast<double>(spec.size - 1),
      .past_finding = "the last query of a chunk sees that far back, the first one sees only itself",
      .hides = true};
  return bias_properties(numbers, options, traits);
}

constexpr const char* kSeen = "query i sees key j where ";

KindFormula window_formula(const Window& spec) {
  const Formula i = "i", j = "j";
  if (!spec.left && !spec.right) return {.lead = "query i sees every key j", .lines = {}};
  std::vector<Formula> sides;
  if (spec.left) sides.push_back(i - *spec.left);
  sides.push_back(j);
  if (spec.right) sides.push_back(i + *spec.right);
  return {.lead = kSeen, .lines = {relation("<=", sides)}};
}

KindFormula chunked_formula(const Chunked& spec) {
  const Formula i = "i", j = "j";
  const auto chunk = [&](const Formula& at) { return call("floor", {at / spec.size}); };
  if (spec.direction == DistanceRule::causal) {
    return {.lead = kSeen, .lines = {relation("<=", {spec.size * chunk(i), j, i})}};
  }
  return {.lead = kSeen, .lines = {relation("=", {chunk(j), chunk(i)})}};
}

Cost window_cost(const Window&, const CostQuestion& of) {
  return {product({of.positions, of.positions, of.size}), 2 * of.size, 0, 0.0};
}

Cost chunked_cost(const Chunked&, const CostQuestion& of) {
  return {product({of.positions, of.positions, of.size}), of.size, 0, 0.0};
}

std::string derive_chunked(const Chunked& s, const BiasPair& pair) {
  const auto chunk = [&](double position) {
    return text::number_text(std::floor(position / static_cast<double>(s.size)));
  };
  return "chunks " + chunk(pair.query) + " and " + chunk(pair.key);
}

// The number of keys below `tokens` that a query sees, by the definition of the mask.
std::int64_t seen(const Spec& spec, std::int64_t query, std::int64_t tokens) {
  std::int64_t count = 0;
  for (std::int64_t key = 0; key < tokens; ++key) {
    count += reference::bias(spec, {}, 0, static_cast<double>(query), static_cast<double>(key)) == 0.0 ? 1 : 0;
  }
  return count;
}

const char* keys_text(std::int64_t count) { return count == 1 ? "key" : "keys"; }

void add_seen(Sheet& sheet, const Spec& spec, std::int64_t tokens, const std::string& how) {
  const std::int64_t query = sheet.draw("seen").between(tokens / 2, tokens - 1);
  const std::int64_t keys = seen(spec, query, tokens);
  sheet.ask("masks/seen",
            {{"tokens", tokens}, {"mask", to_text(spec)}, {"query", query}, {"how", how}, {"keys", keys_text(keys)}},
            {static_cast<double>(keys)},
            {{"the query itself was not counted", {static_cast<double>(keys - 1)}},
             {"this is one too many", {static_cast<double>(keys + 1)}},
             {"this is a causal mask without a limit", {static_cast<double>(query + 1)}},
             {"these are all tokens; the mask hides some", {static_cast<double>(tokens)}}});
}

void add_seen_pairs(Sheet& sheet, const Spec& spec, std::int64_t tokens, const std::string& how) {
  double pairs = 0.0;
  for (std::int64_t query = 0; query < tokens; ++query) pairs += static_cast<double>(seen(spec, query, tokens));
  const std::int64_t all = tokens * tokens;
  const std::string share = decimals_text(100.0 * pairs / static_cast<double>(all), 1);
  sheet.ask("masks/seen pairs",
            {{"mask", to_text(spec)}, {"tokens", tokens}, {"how", how}, {"all", all}, {"share", share}}, {pairs},
            {{"this counts all pairs; the mask hides some", {static_cast<double>(all)}},
             {"the pairs of a query with itself were not counted", {pairs - static_cast<double>(tokens)}},
             {"queries near the ends of the text see fewer keys",
              {static_cast<double>(seen(spec, tokens / 2, tokens) * tokens)}},
             {"this is a causal mask without a limit", {static_cast<double>(tokens * (tokens + 1) / 2)}}});
}

void window_questions(const Window& given, Sheet& sheet) {
  Draw draw = sheet.draw("window"), hidden = sheet.draw("hidden");
  Window spec = given;
  const std::int64_t left = draw.between(2, 6);
  const bool small = given.left && *given.left <= 64 && given.right.value_or(0) <= 64;
  if (!small) {
    spec = {.left = left, .right = 0};
    sheet.remark("The mask " + to_text(Spec(given)) + " is replaced by " + to_text(Spec(spec)) + ".");
  }
  const std::int64_t reach = *spec.left, tokens = 2 * reach + draw.between(5, 20), layers = draw.between(3, 12);
  const auto moved = [](const char* sign, std::int64_t by) {
    return by == 0 ? "i" : "i " + std::string(sign) + text_of(by);
  };
  const std::string how = "Keys from " + moved("- ", reach) + (spec.right ? " to " + moved("+ ", *spec.right) : " on") +
                          ", inside the text";
  add_seen(sheet, spec, tokens, how);
  sheet.ask_choice("masks/hidden", hidden);
  add_seen_pairs(sheet, spec, tokens, how + ", for every query i");
  sheet.ask(
      "masks/layers", {{"reach", reach}, {"keys", keys_text(reach)}, {"layers", layers}},
      {static_cast<double>(reach * layers)},
      {{"this is the reach of one layer", {static_cast<double>(reach)}},
       {"the query itself is not a step to the left", {static_cast<double>((reach + 1) * layers)}},
       {"one too many: the question is how far, not how many tokens", {static_cast<double>(reach * layers + 1)}},
       {"the reaches of the layers add up", {std::pow(static_cast<double>(reach), static_cast<double>(layers))}}});
  sheet.ask("masks/nearby");
}

void chunked_questions(const Chunked& given, Sheet& sheet) {
  Draw draw = sheet.draw("chunked");
  Chunked spec = given;
  const std::int64_t size = draw.between(3, 8);
  if (given.size > 64) {
    spec.size = size;
    sheet.remark("The size " + text_of(given.size) + " is replaced by " + text_of(spec.size) + ".");
  }
  const std::int64_t tokens = spec.size * draw.between(2, 4), border = spec.size * draw.between(1, 9);
  const std::int64_t p = draw.between(spec.size, 20 * spec.size);
  const std::string how =
      std::string("Keys of the query's own chunk") + (spec.direction == DistanceRule::causal ? ", none ahead" : "");
  const char* positions = spec.size == 1 ? "position" : "positions";
  sheet.ask("masks/chunk", {{"size", spec.size}, {"positions", positions}, {"p", p}},
            {static_cast<double>(p / spec.size)},
            {{"chunks count from 0", {static_cast<double>(p / spec.size + 1)}},
             {"one chunk early; chunks and positions count from 0", {static_cast<double>(p / spec.size - 1)}},
             {"this is the place inside the chunk", {static_cast<double>(p % spec.size)}}});
  add_seen(sheet, spec, tokens, how);
  add_seen_pairs(sheet, spec, tokens, how);
  sheet.ask_choice(
      "masks/border", draw,
      {{"size", spec.size},
       {"positions", positions},
       {"border", border},
       {"before", border - 1},
       {"chunk", border / spec.size},
       {"other", spec.size == 1 ? "A token sees only itself." : "A window of the same size would include it."}});
  sheet.ask("masks/nearby");
}

}  // namespace
}  // namespace about

constinit const properties::KindPage Window::page = {.facts = about::window_facts,
                                                     .formula = spec::of_kind<about::window_formula>,
                                                     .properties = about::window_properties,
                                                     .figures = properties::kBiasFigures,
                                                     .cost = spec::of_kind<about::window_cost>,
                                                     .explain = explanation::explain_mask,
                                                     .questions = spec::of_kind<about::window_questions>};

constinit const properties::KindPage Chunked::page = {.facts = about::chunked_facts,
                                                      .formula = spec::of_kind<about::chunked_formula>,
                                                      .properties = about::chunked_properties,
                                                      .figures = properties::kBiasFigures,
                                                      .cost = spec::of_kind<about::chunked_cost>,
                                                      .explain = explanation::explain_mask,
                                                      .derive = spec::of_kind<about::derive_chunked>,
                                                      .questions = spec::of_kind<about::chunked_questions>};

}  // namespace posenc
