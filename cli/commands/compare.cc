#include "posenc/models/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <variant>

#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/show_text.h"
#include "core/text/shell.h"
#include "posenc/bias.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"
#include "posenc/models/encoding.h"

namespace posenc::cli {
namespace {

struct CompareCommand {
  std::string a, b;
  EncodingOptions encoding;
  std::optional<std::int64_t> target;  // how many positions are compared
  double tolerance = 1e-6;
  OutputOptions output;
};

using ComparisonSubject = std::variant<Spec, Model>;

ModelGroup group_of(const ComparisonSubject& subject, const CompareCommand& options) {
  if (const auto* model = std::get_if<Model>(&subject))
    return chosen_group(*model, options.encoding.layer, options.encoding.part);
  ModelGroup group;
  group.spec = std::get<Spec>(subject);
  return group;
}

std::string permutation_text(const std::vector<std::int64_t>& permutation) {
  constexpr std::size_t kShown = 16;
  const auto end = permutation.begin() + static_cast<std::ptrdiff_t>(std::min(permutation.size(), kShown));
  const std::string more = permutation.size() > kShown ? fmt::format(" ... ({} in all)", permutation.size()) : "";
  return fmt::format("{}{}", fmt::join(permutation.begin(), end, " "), more);
}

// The findings, line by line, without the verdict.
std::string details_text(const Comparison& comparison) {
  std::string text;
  if (!comparison.condition.empty()) text += fmt::format("condition           {}\n", comparison.condition);
  if (!comparison.permutation.empty()) {
    text += fmt::format("permutation         {}\n", permutation_text(comparison.permutation));
  }
  if (!comparison.output_permutation.empty()) {
    text += fmt::format("output permutation  {}\n", permutation_text(comparison.output_permutation));
  }
  if (comparison.difference > 0.0 && comparison.verdict == Agreement::different) {
    text += fmt::format("largest difference  {:.4g} within positions 0 to {}\n", comparison.difference,
                        comparison.positions - 1);
  }
  for (const std::string& note : comparison.notes) text += fmt::format("note                {}\n", note);
  return text;
}

// The options that fix the length and layer that were compared.
std::string choice_text(const Rotary& spec, const CompareCommand& options, const Comparison& comparison) {
  std::string text;
  const auto worst = std::find_if(comparison.lengths.begin(), comparison.lengths.end(),
                                  [&](const LengthRange& range) { return range.verdict == comparison.verdict; });
  const std::int64_t length = worst == comparison.lengths.end() ? 1 : worst->first;
  if (options.encoding.sequence_length) {
    text += fmt::format(" --sequence-length {}", *options.encoding.sequence_length);
  } else if (needs_length(spec.scaling) && !spec.sequence_length) {
    text += fmt::format(" --sequence-length {}", length);
  }
  return text +
         (options.encoding.layer && spec.local_base != 0.0 ? fmt::format(" --layer {}", *options.encoding.layer) : "");
}

// A bias per head that needs no learned numbers.
bool is_fixed_bias(const Spec& spec) {
  if (place_of(spec) != Place::bias || make_bias_schedule(spec).heads == 0) return false;
  const std::vector<ParameterInfo> learned = parameters_of(spec);
  return std::all_of(learned.begin(), learned.end(), [](const ParameterInfo& info) { return info.optional; });
}

// The command that prints the numbers at the first position that differs; empty if there is none.
std::string command_for(const Spec& spec, const std::string& text, const CompareCommand& options,
                        const Comparison& comparison) {
  const std::int64_t at = comparison.first_position.value_or(0);
  if (is_fixed_bias(spec)) {
    return fmt::format("posenc bias {} --queries {} --keys 0", text::shell_word(text), at);
  }
  const auto* rotary = std::get_if<Rotary>(&spec);
  const bool open_layer = rotary && rotary->local_base != 0.0 && !rotary->layer && !options.encoding.layer;
  if (axes_of(spec) != 1 || open_layer) return "";
  if (!rotary && !std::holds_alternative<Sinusoidal>(spec) && !std::holds_alternative<QueryTemperature>(spec))
    return "";
  return fmt::format("posenc table {} --positions {}{}", text::shell_word(text), at,
                     rotary ? choice_text(*rotary, options, comparison) : "");
}

std::string commands_text(const Spec& a, const Spec& b, const CompareCommand& options, const Comparison& comparison) {
  if (comparison.verdict != Agreement::different) return "";
  const std::string one = command_for(a, options.a, options, comparison);
  const std::string other = command_for(b, options.b, options, comparison);
  return one.empty() || other.empty() ? "" : fmt::format("\nTo see the numbers:\n  {}\n  {}\n", one, other);
}

CompareOptions library_options(const CompareCommand& options) {
  return {.positions = options.target,
          .sequence_length = options.encoding.sequence_length,
          .layer = options.encoding.layer,
          .part = options.encoding.part,
          .tolerance = options.tolerance};
}

void write_result(const CompareCommand& options, const Json& json) {
  write_json(options.output, {{"a", options.a}, {"b", options.b}}, json);
}

int compare_two_models(const Model& a, const Model& b, const CompareCommand& options, bool json) {
  const ModelComparison result = compare_models(a, b, library_options(options));
  if (json) {
    write_result(options, to_json(result));
  } else {
    std::string text = result.sentence + "\n";
    const bool one = result.entries.size() == 1;  // its sentence is the first line already
    for (const ModelComparisonEntry& entry : result.entries) {
      if (!one) {
        text += fmt::format("\n{}, layers {}\n{}\n", entry.part, ranges_text(entry.layers), entry.comparison.sentence);
      }
      text += details_text(entry.comparison);
    }
    write_text(options.output, text);
  }
  return result.verdict == Agreement::different ? 1 : 0;
}

// Prints the remarks about models, and refuses options that neither side depends on.
void check_subjects(const ComparisonSubject& a, const ComparisonSubject& b, const CompareCommand& options) {
  std::vector<Spec> specs;
  bool models = false;
  for (const ComparisonSubject* subject : {&a, &b}) {
    const auto* model = std::get_if<Model>(subject);
    if (model == nullptr) {
      specs.push_back(std::get<Spec>(*subject));
      continue;
    }
    models = true;
    for (const ModelGroup& group : model->groups) specs.push_back(group.spec);
    say_remarks(*model);
  }
  check_choices({options.a, options.b}, specs, models, options.encoding);
}

int run(const CompareCommand& options) {
  const bool json = choose_format(options.output, {"text", "json"}) == "json";
  const ComparisonSubject a = load_spec_or_model(options.a), b = load_spec_or_model(options.b);
  check_subjects(a, b, options);
  if (const auto* one = std::get_if<Model>(&a), *other = std::get_if<Model>(&b); one && other) {
    return compare_two_models(*one, *other, options, json);
  }
  const ModelGroup one = group_of(a, options), other = group_of(b, options);
  const Comparison result = compare(one, other, library_options(options));
  if (json) {
    write_result(options, to_json(result));
  } else {
    write_text(options.output,
               result.sentence + "\n" + details_text(result) + commands_text(one.spec, other.spec, options, result));
  }
  return result.verdict == Agreement::different ? 1 : 0;
}

std::string not_a_tolerance(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return "";  // reported by the check for numbers
  return value > 0.0 && value <= 1.0 ? "" : "must be above 0 and at most 1 but got " + text;
}

}  // namespace

void add_compare(Command& app) {
  const auto options = std::make_shared<CompareCommand>();
  Command command =
      app.command("compare", "Tell whether two encodings are the same, and if not, from which position on",
                  "  posenc compare rotary:head_dim=128,layout=half rotary:head_dim=128,layout=interleaved\n"
                  "  posenc compare rotary:head_dim=64 rotary:head_dim=64,base=500000 --target 8192\n"
                  "  posenc compare alibi:heads=8 alibi:heads=8,form=key_position --format json");
  command.add("A", options->a, kSpecHelp).required();
  command.add("B", options->b, kSpecHelp).required();
  command
      .add("--sequence-length", options->encoding.sequence_length,
           "length of the sequence, for scalings that depend on it (default: try all lengths)")
      .within(1, kMaxSequence);
  command
      .add("--target", options->target,
           "compare positions 0 to this length minus 1 (default: the larger trained length, else 4096)")
      .within(1, kMaxSequence)
      .formerly("--positions")
      .formerly("--infer");
  command
      .add("--tolerance", options->tolerance,
           "largest difference of cosines, sines, biases and factors that counts as equal")
      .check(not_a_tolerance)
      .show_default();
  command.add("--layer", options->encoding.layer, "models whose layers differ: compare only this layer (default: all)")
      .within(0, kMaxSequence);
  command.text("--part", options->encoding.part,
               "models only: compare only this part, such as text or vision (default: all)");
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
