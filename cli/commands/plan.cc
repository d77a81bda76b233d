#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/shared_options.h"
#include "cli/show_text.h"
#include "core/text/shell.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/check.h"
#include "posenc/insight/context_plan.h"

namespace posenc::cli {
namespace {

constexpr std::int64_t kMostPlanned = 1048576;

struct PlanCommand {
  std::string spec;
  EncodingOptions encoding;
  std::optional<std::int64_t> trained, target;  // none: from the model or the scaling
  OutputOptions output;
};

std::string pairs_text(const std::vector<std::int64_t>& pairs) {
  return pairs.empty() ? "none" : ranges_text(pairs, " to ");
}

// The lengths of a plan, and the source of each that was not given: " (of its scaling)".
struct PlanLengths {
  std::int64_t trained = 0, target = 0;
  std::string trained_from, target_from;
};

PlanLengths lengths_of(const PlanCommand& options, const Encoding& encoding) {
  const std::int64_t made_for = encoding.group() != nullptr ? encoding.group()->trained_positions : 0;
  PlanLengths lengths;
  if (options.trained) {
    lengths.trained = *options.trained;
  } else {
    constexpr const char* kSources[] = {" (original_positions of its scaling)", " (the model's length)",
                                        " (the default: see --trained)"};
    const TrainedLength trained = trained_length_of(encoding);
    lengths.trained = trained.positions;
    lengths.trained_from = kSources[static_cast<std::size_t>(trained.source)];
  }
  lengths.trained = std::min(lengths.trained, kMostPlanned);
  if (options.target) {
    lengths.target = *options.target;
  } else if (made_for > lengths.trained) {
    lengths.target = std::min(made_for, kMostPlanned);
    lengths.target_from = " (the model's length)";
  } else {
    lengths.target = std::min(4 * lengths.trained, kMostPlanned);
    lengths.target_from = " (the default: see --target)";
  }
  return lengths;
}

std::string base_text(const ContextPlan& plan, const Rotary& spec) {
  if (plan.smallest_base) return fmt::format("{:.{}f}", *plan.smallest_base, *plan.smallest_base < 1000.0 ? 2 : 0);
  const bool searched = spec.inv_freq.empty() && spec.frequency_scale == 1.0;
  return searched ? "none up to 1e18: there are too few pairs"
                  : "unknown: the spec gives its own frequencies or a frequency_scale";
}

std::string plan_text(const ContextPlan& plan, const Rotary& spec, const PlanLengths& lengths) {
  const std::size_t pairs = plan.turns.size();
  std::string text = fmt::format("{}\ntrained on {} positions{}, to be used on {}{}\n\n", to_text(Spec(spec)),
                                 plan.trained, lengths.trained_from, plan.target, lengths.target_from);
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<44}{}\n", name, value);
  };
  const auto some = [&](const std::vector<std::int64_t>& list) {
    return fmt::format("{} of {}: {}", list.size(), pairs, pairs_text(list));
  };
  row("pairs that complete a turn in training", some(plan.complete));
  row("pairs with untrained angles at the target", some(plan.new_angles));
  row("slowest pair",
      fmt::format("{:.4g} turns in training, {:.4g} at the target", plan.turns.back(), plan.turns_at_target.back()));
  row("score of equal vectors, sum cos(m theta_i)",
      plan.first_negative
          ? fmt::format("first below 0 at distance {}, down to {:.4f} per pair: unlike keys are preferred there",
                        *plan.first_negative, plan.smallest_sum)
          : fmt::format("never below 0, at least {:.4f} per pair", plan.smallest_sum));
  row("smallest base that keeps it above 0", base_text(plan, spec));
  return text;
}

const Rotary& rotary_of(const Spec& spec) {
  if (const auto* rotary = std::get_if<Rotary>(&spec)) return *rotary;
  fail(ErrorKind::usage, fmt::format("plan is for rotary encodings, not for {}", kind_of(spec)));
}

int run(const PlanCommand& options) {
  // A wrong kind, before anything is said of its fields.
  const std::string word = options.spec.substr(0, options.spec.find(':'));
  if (kind_called(word)) rotary_of(complete_spec(word, {.example = ExampleSize::picture}).spec);
  const Encoding encoding = find_with_remarks(options.spec, options.encoding);
  const Spec& spec = encoding.spec();
  const Rotary& rotary = rotary_of(spec);
  if (axes_of(spec) > 1) {
    Rotary text = rotary;
    text.axes = 1;
    text.sections.clear();
    text.section_order = {};
    text.axis_frequencies = {};
    text.axis_of_pair.clear();
    fail(ErrorKind::usage,
         fmt::format("plan needs an encoding with one axis, but '{}' has {}; for text, whose tokens have equal "
                     "coordinates on all axes, use {}",
                     options.spec, axes_of(spec), to_text(Spec(text))));
  }
  const PlanLengths lengths = lengths_of(options, encoding);
  Progress progress("bases", 1000);
  const ContextPlan plan = plan_context(rotary, lengths.trained, lengths.target, [&](double share) {
    progress.update(static_cast<std::int64_t>(1000.0 * share));
  });
  if (choose_format(options.output, {"text", "json"}) != "json") {
    write_text(options.output, plan_text(plan, rotary, lengths));
    return 0;
  }
  const auto optional = [](const auto& value) { return value ? Json(*value) : Json(); };
  const auto integers = [](const std::vector<std::int64_t>& list) {
    return Json(Json::Array(list.begin(), list.end()));
  };
  write_json(options.output, {{"spec", to_json(spec)},
                              {"trained", Json(plan.trained)},
                              {"target", Json(plan.target)},
                              {"turns", Json(plan.turns)},
                              {"turns_at_target", Json(plan.turns_at_target)},
                              {"complete", integers(plan.complete)},
                              {"new_angles", integers(plan.new_angles)},
                              {"first_negative", optional(plan.first_negative)},
                              {"smallest_sum", Json(plan.smallest_sum)},
                              {"smallest_base", optional(plan.smallest_base)}});
  return 0;
}

}  // namespace

void add_plan(Command& app) {
  const auto options = std::make_shared<PlanCommand>();
  Command command = app.command("plan", "Show what happens to a rotary encoding beyond its trained length",
                                "  posenc plan llama-3.1-8b\n"
                                "  posenc plan rotary:head_dim=128 --trained 4096 --target 32768\n"
                                "  posenc plan rotary:head_dim=128,scaling=yarn,factor=8,original_positions=4096 "
                                "--target 32768");
  command.add("SPEC", options->spec, kSpecHelp).required();
  add_spec_choice(command, options->encoding);
  options->encoding.example = ExampleSize::picture;
  command
      .add("--trained", options->trained,
           "length that the model was trained on (default: original_positions of a scaling, else\n"
           "the model's length, else 2048)")
      .within(1, kMostPlanned)
      .formerly("--train");
  command.add("--target", options->target, "length to use it at (default: the model's length, else 4 times --trained)")
      .within(1, kMostPlanned)
      .formerly("--infer");
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
