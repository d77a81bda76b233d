#include <fmt/format.h>

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
#include "posenc/insight/context_plan.h"

namespace posenc::cli {
namespace {

constexpr std::int64_t kMostPlanned = 1048576;

struct PlanCommand {
  std::string spec;
  EncodingOptions encoding;
  std::int64_t trained = 0;
  std::int64_t target = 0;
  OutputOptions output;
};

std::string pairs_text(const std::vector<std::int64_t>& pairs) {
  return pairs.empty() ? "none" : ranges_text(pairs, " .. ");
}

std::string plan_text(const ContextPlan& plan, const Rotary& spec) {
  const std::size_t pairs = plan.turns.size();
  std::string text = fmt::format("{}\ntrained on {} positions, to be used up to {}\n\n", to_text(Spec(spec)),
                                 plan.trained, plan.target);
  text += fmt::format("pairs that complete a turn in training      {} of {}: {}\n", plan.complete.size(), pairs,
                      pairs_text(plan.complete));
  text += fmt::format("pairs that meet new angles at the target    {} of {}: {}\n", plan.new_angles.size(), pairs,
                      pairs_text(plan.new_angles));
  text += fmt::format("slowest pair                                {:.4g} turns in training, {:.4g} at the target\n",
                      plan.turns.back(), plan.turns_at_target.back());
  text += plan.first_negative
              ? fmt::format(
                    "sum of cos(m theta_i)                       first below 0 at distance {}, down to {:.4f} per "
                    "pair: keys that are unlike are preferred there\n",
                    *plan.first_negative, plan.smallest_sum)
              : fmt::format("sum of cos(m theta_i)                       never below 0, at least {:.4f} per pair\n",
                            plan.smallest_sum);
  text += plan.smallest_base ? fmt::format("smallest plain base without that            {:.6g}\n", *plan.smallest_base)
          : spec.inv_freq.empty() && spec.frequency_scale == 1.0
              ? "smallest plain base without that            none up to 1e18: there are too few pairs\n"
              : "smallest plain base without that            not looked for: frequencies are given, or times a scale\n";
  return text;
}

int run(const PlanCommand& options) {
  const Spec spec = find_with_remarks(options.spec, options.encoding).spec();
  const auto* rotary = std::get_if<Rotary>(&spec);
  if (!rotary) {
    fail(ErrorKind::usage, fmt::format("contexts are planned for rotary encodings, not for {}", kind_of(spec)));
  }
  Progress progress("bases", 1000);
  const ContextPlan plan = plan_context(*rotary, options.trained, options.target, [&](double share) {
    progress.update(static_cast<std::int64_t>(1000.0 * share));
  });
  if (choose_format(options.output, {"text", "json"}) != "json") {
    write_text(options.output, plan_text(plan, *rotary));
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
  Command command = app.command("plan", "What becomes of a rotary encoding beyond its trained length.",
                                "  posenc plan rotary:head_dim=128 --trained 4096 --target 32768\n"
                                "  posenc plan rotary:head_dim=128,scaling=yarn,factor=8,original_positions=4096 "
                                "--trained 4096 --target 32768");
  command.add("SPEC", options->spec, kSpecHelp).required();
  add_spec_choice(command, options->encoding);
  command.add("--trained", options->trained, "how many positions it was trained on").required().within(1, kMostPlanned);
  command.add("--target", options->target, "how many it is to be used on").required().within(1, kMostPlanned);
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
