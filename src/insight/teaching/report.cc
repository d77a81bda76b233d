#include "posenc/insight/report.h"

#include <algorithm>

#include "core/spec/rotary_window.h"
#include "insight/properties/kind_page.h"
#include "insight/teaching/assets.h"
#include "insight/teaching/compare_tables.h"
#include "insight/teaching/html.h"
#include "insight/teaching/page_limit.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"
#include "posenc/insight/check.h"
#include "posenc/insight/explain.h"
#include "posenc/insight/figure.h"
#include "posenc/insight/svg.h"
#include "posenc/parameters.h"

namespace posenc {
namespace {

using namespace teaching;  // NOLINT: this file is made of its parts

class ReportWriter {
 public:
  ReportWriter(const std::vector<Encoding>& subjects, const ReportOptions& options)
      : subjects_(subjects), options_(options) {
    for (const Encoding& subject : subjects) parts_ += static_cast<std::int64_t>(figures_of(subject).size()) + 1;
  }

  std::string write() {
    std::string body;
    for (std::size_t i = 0; i < subjects_.size(); ++i) body += section(subjects_[i], i);
    if (subjects_.size() > 1) body = comparison() + body;
    if (options_.advice) body += advice();
    return page({.title = title(),
                 .lead =
                     "For each encoding: its formula, which properties it has, a worked example and figures. posenc "
                     "computed every number on this page.",
                 .body = body,
                 .command = options_.command});
  }

 private:
  std::string title() const {
    if (subjects_.empty()) return "Which positional encoding?";
    std::string text = "Positional encodings: ";
    for (std::size_t i = 0; i < subjects_.size(); ++i) text += (i > 0 ? ", " : "") + name_of(subjects_[i]);
    return text;
  }

  static std::vector<std::string_view> figures_of(const Encoding& subject) {
    std::vector<std::string_view> names;
    for (const std::string_view name : properties::figures_of(subject.spec())) {
      if (figure_fits(name, subject.spec())) names.push_back(name);
    }
    return names;
  }

  // Whether an encoding has learned numbers that nobody gave, or that were made at random.
  static bool is_untrained(const Encoding& subject) {
    const std::vector<ParameterInfo> learned = parameters_of(subject.spec());
    const bool needs =
        learned_part(subject.spec()) != nullptr ||
        std::any_of(learned.begin(), learned.end(), [](const ParameterInfo& one) { return !one.optional; });
    const bool given = subject.table().rank != 0 || !subject.tables().empty() || !subject.parameters().empty();
    return needs && (!given || subject.drawn() || subject.made_by_init());
  }

  static std::string name_of(const Encoding& subject) {
    return subject.text() + (is_untrained(subject) ? " (untrained)" : "");
  }

  void tell(const std::string& what) {
    if (options_.progress) options_.progress(what, done_, parts_);
    ++done_;
  }

  std::string section(const Encoding& subject, std::size_t index) {
    const std::string id = "e" + std::to_string(index + 1);
    const std::string name = name_of(subject);
    const KindFacts facts = kind_facts(subject.spec());
    std::string text = heading(2, name, id);
    if (is_untrained(subject)) {
      text += paragraph(
          "The learned numbers here are untrained: random, as before training. Give trained ones with "
          "`--file`, `--parameter` or `--values`.");
    }
    text += formula(facts.formula_mathml);
    if (!facts.order_of_terms.empty()) text += paragraph("Note: " + facts.order_of_terms);
    text += list({"Used by: " + facts.users, "Past its training length: " + facts.past_length});
    text += details("The spec, every field", preformatted(to_text(to_json(subject.spec()))));
    text += heading(3, "Properties", id + "-properties");
    tell(name + ": properties");
    properties_.push_back(check(
        subject,
        {.train_length = options_.train_length.value_or(trained_length_of(subject).positions), .seed = options_.seed}));
    text += property_table(properties_.back(), "Properties of " + name);
    const std::vector<Step> steps = example(subject);
    if (!steps.empty()) text += heading(3, "Worked example", id + "-example") + steps_list(steps);
    text += heading(3, "Figures", id + "-figures");
    for (const std::string_view figure : figures_of(subject)) text += drawn(subject, figure, id);
    return text;
  }

  std::string drawn(const Encoding& subject, std::string_view name, const std::string& id) {
    tell(subject.text() + ": " + std::string(name));
    FigureOptions chosen{.seed = options_.seed, .caption = false};
    for (const FigureInfo& info : figures()) {
      const bool uses_length = info.options.find("train_length") != std::string_view::npos;
      if (info.name == name && uses_length) chosen.train_length = options_.train_length;
    }
    const Figure figure = make_figure(name, subject, chosen);
    return figure_block(figure, id + "-" + std::string(name));
  }

  // A worked example at a small position, or for four queries and keys.
  static std::vector<Step> example(const Encoding& subject) {
    const Place place = place_of(subject.spec());
    if (place == Place::input || place == Place::rotation || place == Place::query) {
      const auto* rotary = std::get_if<Rotary>(&subject.spec());
      if (rotary != nullptr && !is_rotation(rotary->layout)) return {};
      const Learned* learned = learned_part(subject.spec());
      const bool one_row =
          learned != nullptr && (subject.table().rank != 0 ? subject.table().shape[0] : learned->rows) == 1;
      const std::vector<double> position(static_cast<std::size_t>(axes_of(subject.spec())), one_row ? 0.0 : 1.0);
      ExplainOptions explained{.spec_text = subject.text(),
                               .table_text = subject.data_text(),
                               .table = subject.table(),
                               .tables = subject.tables()};
      return explain(subject.spec(), position, explained);
    }
    return explain_pairs(subject.spec(), {.queries = PositionView::range(0, 4),
                                          .keys = PositionView::range(0, 4),
                                          .parameters = subject.parameters(),
                                          .spec_text = subject.text(),
                                          .parameter_text = subject.data_text()});
  }

  std::string comparison() const {
    return heading(2, "Side by side", "compare") +
           table(glance_table(subjects_, options_.train_length.value_or(CheckOptions{}.train_length))) +
           table(absolute_table(subjects_)) + table(verdict_table(subjects_, properties_)) +
           table(learned_table(512, 768)) + std::string(asset("goals.html"));
  }

  std::string advice() {
    const teaching::Advice advice = teaching::advise(subjects_, *options_.advice);
    std::string text = heading(2, "Which one to choose", "advice");
    text += table(advice_table(advice, *options_.advice));
    text += box("Recommendation", paragraph(advice.recommendation));
    text += heading(3, "What this is based on") + advice_basis();
    text += figure_block(make_figure("perplexity", FigureOptions{.caption = false}), "advice-perplexity");
    return text + (subjects_.size() > 1 ? "" : std::string(asset("goals.html")));
  }

  const std::vector<Encoding>& subjects_;
  const ReportOptions& options_;
  std::vector<std::vector<Property>> properties_;
  std::int64_t done_ = 0;
  std::int64_t parts_ = 0;
};

}  // namespace

std::string make_report(const std::vector<Encoding>& subjects, const ReportOptions& options) {
  if (subjects.empty() && !options.advice) {
    fail(ErrorKind::usage, "[make_report] a report needs an encoding, or advice must be set");
  }
  if (options.train_length && *options.train_length < 1) {
    fail(ErrorKind::usage,
         "[make_report] train_length must be at least 1 but got " + std::to_string(*options.train_length));
  }
  return checked_page(ReportWriter(subjects, options).write(), "[make_report]");
}

std::string exercises_page(const std::vector<Question>& questions, const WorksheetOptions& options) {
  WorksheetOptions inside = options;
  inside.title = "Questions";
  inside.heading_level = 2;
  return checked_page(page({.title = options.title,
                            .lead = std::string(options.answers ? "Click a hint or a solution to read it."
                                                                : "Click a hint to read it."),
                            .body = exercises_html(questions, inside),
                            .command = "posenc exercises"}),
                      "[exercises_page]");
}

}  // namespace posenc
