#include "insight/diagnosis/answer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/text/joined.h"
#include "core/text/number_text.h"
#include "core/text/shell.h"

namespace posenc::diagnosis {
namespace {

constexpr double kVisible = 1.0 / 64.0;  // float32 angles, common in published code, count as a fault from here on
constexpr std::size_t kListed = 3;

std::string number(double x) { return text::general_text(x, 3); }

// A fault with its value, so that the command reproduces the numbers.
std::string injected(const Blame& blame) {
  return std::string(blame.fault->name) + (blame.value ? "=" + text::general_text(*blame.value, 9) : "");
}

Explanation explanation_of(const Inquiry& question, const Candidate& candidate) {
  Explanation result;
  std::vector<std::string> sentences, fixes, words;
  for (const Blame& blame : candidate.engine.blames) {
    result.faults.emplace_back(blame.fault->name);
    result.values.push_back(blame.value);
    sentences.push_back(sentence_of(blame));
    fixes.emplace_back(blame.fault->fix);
    words.push_back(injected(blame));
  }
  result.residual = candidate.residual;
  result.largest_difference = candidate.fit.largest;
  result.sentence = text::joined(sentences, " ");
  result.fix = text::joined(fixes, "; ");
  result.command = "posenc diagnose " + text::shell_word(question.spec_text) + " --inject " +
                   text::shell_word(text::joined(words, " + "));
  return result;
}

// The largest position that was given.
double reach_of(const Evidence& evidence) {
  double reach = 0.0;
  for (const double p : evidence.ids().values) reach = std::max(reach, std::abs(p));
  return reach;
}

std::string send(std::int64_t position) {
  return "send positions up to at least " + std::to_string(position + position / 4 + 8);
}

// Lists what numbers of this kind can never show.
void say_blind_spots(const Inquiry& question, std::vector<std::string>& lines) {
  const bool rotary = std::holds_alternative<Rotary>(question.right.spec);
  if (!rotary) return;
  const HeadPlan& plan = plan_of(question.right, question.evidence->head_dim());
  if (question.seen == Seen::frequencies) {
    lines.push_back(
        "frequencies alone do not show the layout, the sign, positions or an attention factor: send --input and "
        "--rotated");
  } else if (question.seen == Seen::tables) {
    lines.push_back(
        "tables alone do not show which channels are rotated or how they are paired (layout): send --input and "
        "--rotated");
  }
  if (question.seen == Seen::scores) {
    lines.push_back(
        "scores depend on distances only and do not show an offset that queries and keys share: send --input and "
        "--rotated");
  }
  if (plan.columns == 1 && question.seen != Seen::frequencies) {
    lines.push_back(
        "one pair of channels does not show the layout: half and interleaved are the same; send heads with several "
        "pairs");
  }
  if (question.evidence->ids().repeated) {
    lines.push_back(
        "equal coordinates on all axes do not show which pair follows which axis: send positions with different "
        "coordinates, such as 3/4/5");
  }
}

// Lists faults that would give the same numbers, grouped by the first position that would show them.
void say_hidden(const Inquiry& question, const Engine& best, const std::vector<Engine>& others, const std::string& from,
                std::vector<std::string>& lines) {
  const double reach = reach_of(*question.evidence);
  std::map<std::int64_t, std::vector<std::string>> later;
  std::vector<std::string> unknown;
  for (const Engine& other : others) {
    const std::string name(other.blames.back().fault->name);
    const std::optional<std::int64_t> first = first_difference(best, other, *question.evidence);
    if (first && static_cast<double>(*first) > reach) {
      later[*first].push_back(name);
    } else {
      unknown.push_back(name);
    }
  }
  for (const auto& [position, names] : later) {
    lines.push_back(text::joined(names, ", ") + " would give the same numbers as " + from + " up to position " +
                    std::to_string(position - 1) + ": " + send(position));
  }
  if (!unknown.empty())
    lines.push_back(text::joined(unknown, ", ") + " would give the same numbers as " + from +
                    " here: send other positions" +
                    (question.seen == Seen::rows ? "" : ", several heads, or keys instead of queries"));
}

void say_cannot_tell(const Inquiry& question, const Searcher& searcher, const Engine& best, const std::string& from,
                     std::vector<std::string>& lines) {
  const bool turned = std::holds_alternative<Rotary>(question.right.spec) && question.right.turn.turns > 0;
  const bool nowhere = turned && question.evidence->ids().count > 0 && reach_of(*question.evidence) == 0.0;
  if (nowhere) {
    lines.push_back(
        "position 0 proves nothing: every rotation is the identity there, whatever the base, scaling, layout and sign; "
        "send positions from 1 to a few thousand, such as 0,1,2,3,500,4000");
  }
  say_blind_spots(question, lines);
  if (nowhere) return;
  std::vector<Engine> hidden = searcher.hidden(best);
  if (question.seen == Seen::frequencies || question.seen == Seen::tables) {
    // The blind spots above cover channels, positions and factors.
    std::erase_if(hidden, [&](const Engine& engine) {
      const std::string_view about = engine.blames.back().fault->about;
      return about == "channels" || (question.seen == Seen::frequencies && (about == "positions" || about == "factor"));
    });
  }
  if (question.seen != Seen::scores) {
    std::erase_if(hidden, [](const Engine& engine) {
      const std::string_view name = engine.blames.back().fault->name;
      return name == "keys_not_rotated" || name == "queries_not_rotated" || name == "attention_factor_one_side" ||
             name == "softmax_scale" || name == "query_scale_missing";
    });
  }
  const bool one_head = question.evidence->width() == question.evidence->head_dim();
  std::erase_if(hidden, [&](const Engine& engine) {
    const Fault& fault = *engine.blames.back().fault;
    // Positions may start to be wrong anywhere, so these faults can never be excluded.
    const bool anywhere = fault.about == "positions" && fault.name != "positions_rounded";
    return fault.about == "precision" || anywhere || (one_head && fault.name == "heads_tokens_transposed");
  });
  say_hidden(question, best, hidden, from, lines);
}

void say_match(const Inquiry& question, const Searcher& searcher, const Candidate& right, Diagnosis& answer) {
  answer.verdict = DiagnosisVerdict::matches;
  answer.sentence = "Matches: the largest difference is " + number(answer.largest_difference) + ".";
  if (right.float32) {
    answer.notes.push_back("angles were computed in float32, as in published code: off by up to " +
                           number(answer.largest_difference));
  } else if (!right.fit.exact()) {
    answer.notes.push_back("differences are spread evenly (relative error " + number(right.fit.rms) +
                           "): noise or rounding to a short type, not a difference of the encoding");
  }
  say_cannot_tell(question, searcher, right.engine, "the spec", answer.cannot_tell);
}

void say_fault(const Inquiry& question, const std::vector<Candidate>& ranked, Diagnosis& answer) {
  answer.verdict = DiagnosisVerdict::fault;
  std::vector<Engine> ties;
  for (const Candidate& candidate : ranked) {
    const Candidate& best = ranked.front();
    const bool tie = &candidate != &best && candidate.explains && candidate.residual <= 1.3 * best.residual;
    if (tie) ties.push_back(candidate.engine);
    // Skip an explanation if a simpler one fits as well.
    const bool worse = std::any_of(ranked.begin(), ranked.end(), [&](const Candidate& other) {
      return other.engine.blames.size() < candidate.engine.blames.size() && other.residual <= 1.01 * candidate.residual;
    });
    if (!worse && answer.explanations.size() < kListed)
      answer.explanations.push_back(explanation_of(question, candidate));
  }
  answer.sentence = answer.explanations.front().sentence;
  answer.separation =
      question.evidence->separation(ranked.front().engine, ranked.size() > 1 ? ranked[1].engine : question.right);
  if (ranked.front().float32) answer.notes.push_back("in addition, angles were computed in float32");
  for (const Engine& tie : ties) {
    // Arbitrary positions always fit as well.
    if (std::any_of(tie.blames.begin(), tie.blames.end(),
                    [](const Blame& b) { return b.fault->name == "positions_other"; }))
      continue;
    const std::optional<std::int64_t> first = first_difference(ranked.front().engine, tie, *question.evidence);
    const std::string names = text::joined(tie.blames, " + ", [](const Blame& blame) { return blame.fault->name; });
    answer.ties.push_back(
        names + ": " + text::joined(tie.blames, " ", sentence_of) + " It gives the same numbers here" +
        (first && static_cast<double>(*first) > reach_of(*question.evidence) ? ": " + send(*first) : std::string()) +
        ".");
  }
  say_blind_spots(question, answer.cannot_tell);
}

void say_nothing_fits(const Inquiry& question, const std::vector<Candidate>& ranked, Diagnosis& answer) {
  answer.verdict = DiagnosisVerdict::not_explained;
  const std::string how = std::isfinite(answer.residual) ? "largest difference " + number(answer.largest_difference)
                                                         : std::string("their shape is another");
  answer.sentence = "Not explained: the numbers differ from those of the spec (" + how +
                    "), and no known mistake, nor any two together, explains them.";
  for (const Candidate& candidate : ranked) {
    if (answer.nearest.size() < kListed && candidate.residual < answer.residual)
      answer.nearest.push_back(explanation_of(question, candidate));
  }
  say_blind_spots(question, answer.cannot_tell);
}

// Whether a candidate differs only in ways that are not mistakes: tables as coarse as the type of the numbers, or
// float32 angles, common in published code, while their error is small.
bool of_course(const Candidate& candidate, const Fit& plain, const Evidence& evidence) {
  const bool coarse = half_unit(evidence.type()) >= half_unit(Rounding::f16);
  const bool shows = plain.worst * evidence.tolerance().rounding >= kVisible;
  const std::vector<Blame>& blames = candidate.engine.blames;
  return std::any_of(blames.begin(), blames.end(), [&](const Blame& blame) {
    const std::string_view name = blame.fault->name;
    return (coarse && (name == "table_bfloat16" || name == "table_float16")) || (!shows && name == "angle_float32");
  });
}

// Whether a candidate fits hardly better than the spec, so that it explains nothing.
bool useless(const Candidate& candidate, const Fit& plain) { return candidate.residual > 0.9 * plain.rms; }

bool suffices(const std::vector<Candidate>& list) { return !list.empty() && list.front().explains; }

// Whether the spec explains the numbers and no mistake fits much better.
bool is_right(const Evidence& evidence, const Candidate& right, const Fit& plain,
              const std::vector<Candidate>& singles) {
  const bool published =
      right.float32 && right.fit.within_f32() && plain.worst * evidence.tolerance().rounding < kVisible;
  const bool quiet = !right.float32 && right.explains;
  if (!plain.exact() && !published && !quiet) return false;
  // Two engines may both be within the tolerance of the type: half the residual means another engine.
  const double limit = (plain.exact() ? 0.55 : 0.25) * right.residual;
  return std::none_of(singles.begin(), singles.end(),
                      [&](const Candidate& c) { return c.explains && c.residual < limit; });
}

// The candidates, best first, with combinations of two mistakes if no single one suffices. If a single mistake explains
// all but some noise, two must fit much better to be preferred.
std::vector<Candidate> with_pairs(const Inquiry& question, const Searcher& searcher, const Fit& plain,
                                  std::vector<Candidate> singles) {
  const Evidence& evidence = *question.evidence;
  double limit = std::numeric_limits<double>::infinity();
  if (suffices(singles)) {
    const Candidate& best = singles.front();
    if (best.float32 || (best.fit.exact() && best.residual <= std::max(2.5 * evidence.floor(), 3e-6))) return singles;
    limit = best.residual / 2.0;
  }
  std::vector<Candidate> ranked = searcher.pairs(question.right);
  std::erase_if(ranked, [&](const Candidate& c) { return useless(c, plain) || of_course(c, plain, evidence); });
  const bool found = suffices(ranked) && ranked.front().residual < limit &&
                     (ranked.front().fit.exact() || ranked.front().fit.within_f32() ||
                      half_unit(evidence.type()) >= half_unit(Rounding::f16));
  if (!found && suffices(singles)) return singles;
  if (!found) {
    for (Candidate& candidate : ranked) candidate.explains = false;
  }
  ranked.insert(ranked.end(), singles.begin(), singles.end());
  std::stable_sort(ranked.begin() + (found ? 1 : 0), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.residual < b.residual; });
  return ranked;
}

}  // namespace

std::string sentence_of(const Blame& blame) {
  std::string text = std::string(blame.fault->sentence) + (blame.words.empty() ? "" : ": " + blame.words);
  return text.ends_with('.') ? text : text + ".";
}

Diagnosis answered(const Inquiry& question) {
  Diagnosis answer;
  const Evidence& evidence = *question.evidence;
  const Searcher searcher(evidence, *question.options);
  const Fit plain = evidence.fit(question.right);
  answer.residual = plain.rms;
  answer.largest_difference = plain.largest;
  const Candidate right = searcher.tried(question.right);
  if (plain.exact() && plain.rms <= evidence.floor()) {
    say_match(question, searcher, right, answer);
    return answer;
  }
  std::vector<Candidate> singles = searcher.singles(question.right);
  std::erase_if(singles, [&](const Candidate& c) { return of_course(c, plain, evidence); });
  if (is_right(evidence, right, plain, singles)) {
    say_match(question, searcher, right, answer);
    return answer;
  }
  std::erase_if(singles, [&](const Candidate& c) { return useless(c, plain); });
  const std::vector<Candidate> ranked = with_pairs(question, searcher, plain, std::move(singles));
  if (suffices(ranked)) {
    say_fault(question, ranked, answer);
  } else {
    say_nothing_fits(question, ranked, answer);
  }
  return answer;
}

}  // namespace posenc::diagnosis
