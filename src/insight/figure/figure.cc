#include "posenc/insight/figure.h"

#include <algorithm>
#include <cmath>

#include "core/spec/fields.h"
#include "core/text/joined.h"
#include "core/text/nearest.h"
#include "core/text/number_text.h"
#include "core/text/quotable.h"
#include "insight/figure/figure_call.h"
#include "insight/properties/kind_page.h"
#include "posenc/error.h"

namespace posenc {
namespace {

const std::vector<figure::FigureEntry>& entries() {
  static const std::vector<figure::FigureEntry> all = [] {
    std::vector<figure::FigureEntry> list;
    for (const auto& some :
         {figure::table_figures(), figure::map_figures(), figure::wave_figures(), figure::distance_figures(),
          figure::shift_figures(), figure::mixing_figures(), figure::rotary_figures(), figure::layout_figures(),
          figure::scaling_figures(), figure::bias_figures(), figure::attention_figures(), figure::precision_figures(),
          figure::published_figures(), figure::base_figures(), figure::pipeline_figures()}) {
      list.insert(list.end(), some.begin(), some.end());
    }
    return list;
  }();
  return all;
}

const figure::FigureEntry& entry_of(std::string_view name) {
  const figure::FigureEntry* beginning = nullptr;  // the first that begins with the name
  for (const figure::FigureEntry& entry : entries()) {
    if (entry.info.name == name) return entry;
    if (beginning == nullptr && name.size() > 1 && entry.info.name.starts_with(name)) beginning = &entry;
  }
  const std::string hint =
      beginning != nullptr
          ? "; did you mean '" + std::string(beginning->info.name) + "'?"
          : text::hint(name, entries(), [](const figure::FigureEntry& entry) { return entry.info.name; });
  fail(ErrorKind::usage, "there is no figure '" + text::quotable(name) + "'" +
                             (hint.empty() ? "; posenc list figures shows all of them" : hint));
}

std::string kinds_that_fit(std::string_view name) {
  std::vector<std::string> fitting;
  for (const KindInfo& kind : kinds()) {
    const std::vector<std::string_view> shown = properties::figures_of(*spec::default_spec(kind.name));
    if (std::find(shown.begin(), shown.end(), name) != shown.end()) fitting.push_back(kind.name);
  }
  return text::joined(fitting, ", ");
}

void refuse(const FigureInfo& info, std::string_view option, bool given) {
  if (!given) return;
  const std::string words = " " + std::string(info.options) + " ";
  if (words.find(" " + std::string(option) + " ") != std::string::npos) return;
  fail(ErrorKind::usage, "[make_figure] the figure '" + std::string(info.name) + "' does not use " +
                             std::string(option) +
                             (info.options.empty() ? "" : "; it uses " + std::string(info.options)));
}

void check_options(const FigureInfo& info, const FigureOptions& options) {
  refuse(info, "positions", options.positions.count > 0);
  refuse(info, "channels", !options.channels.empty());
  refuse(info, "position", options.position.has_value());
  refuse(info, "shift", options.shift.has_value());
  refuse(info, "train_length", options.train_length.has_value());
  refuse(info, "head", options.head.has_value());
  refuse(info, "bases", !options.bases.empty());
  refuse(info, "exponents", !options.exponents.empty());
  refuse(info, "input_std", options.input_std.has_value());
  refuse(info, "content", options.content.rank != 0);
  refuse(info, "tokens", !options.tokens.empty());
  // Check before any work: the layout would refuse the width only after all numbers are computed.
  if (options.width > 0.0) drawing::check_page_size("width", drawing::kLeastPageWidth, options.width);
  if (options.train_length && *options.train_length < 1) {
    fail(ErrorKind::usage,
         "[make_figure] train_length must be at least 1 but got " + std::to_string(*options.train_length));
  }
  if (options.input_std && !(*options.input_std >= 1e-9 && *options.input_std <= 1e9)) {
    fail(ErrorKind::usage,
         "[make_figure] input_std must be from 1e-9 to 1e9 but got " + text::number_text(*options.input_std));
  }
  for (const auto& [name, value] : {std::pair{"position", options.position}, std::pair{"shift", options.shift}}) {
    if (value && !(std::fabs(*value) <= static_cast<double>(kMaxPosition))) {
      fail(ErrorKind::usage, std::string("[make_figure] ") + name + " must be from -(2^31 - 1) to 2^31 - 1 but got " +
                                 text::number_text(*value));
    }
  }
}

// Whether `none` means a figure without a spec: of figures that show any kind it is an encoding like others.
bool none_means_no_spec(const figure::FigureEntry& entry) {
  return entry.info.default_spec.empty() && !entry.of_any_kind;
}

bool shows_kind(const figure::FigureEntry& entry, const Spec& spec) {
  if (entry.of_any_kind) return true;
  if (none_means_no_spec(entry) && std::holds_alternative<NoPosition>(spec)) return true;
  const std::vector<std::string_view> shown = properties::figures_of(spec);
  return std::find(shown.begin(), shown.end(), entry.info.name) != shown.end();
}

bool fits(const figure::FigureEntry& entry, const Spec& spec) {
  return shows_kind(entry, spec) && (entry.suits == nullptr || entry.suits(spec));
}

// The width that the spec gives; 0 if it gives none.
double given_width(const Spec& spec) {
  Spec copy = spec;
  for (const spec::Field& field : spec::fields_of(copy)) {
    if (field.name == "width") return text::parse_number(spec::field_text(field)).value_or(0.0);
  }
  return 0.0;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of("\",\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string cell_text(const DataColumn& column, std::size_t row) {
  if (const auto* words = std::get_if<std::vector<std::string>>(&column.values)) return csv_cell((*words)[row]);
  const double value = std::get<std::vector<double>>(column.values)[row];
  return std::isnan(value) ? "" : text::number_text(value);
}

std::size_t length_of(const DataColumn& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

}  // namespace

const std::vector<FigureInfo>& figures() {
  static const std::vector<FigureInfo> infos = [] {
    std::vector<FigureInfo> list;
    for (const figure::FigureEntry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

const FigureInfo& figure_named(std::string_view name) { return entry_of(name).info; }

std::vector<std::string_view> figures_of(const Spec& spec) {
  std::vector<std::string_view> names;
  for (const figure::FigureEntry& entry : entries()) {
    if (fits(entry, spec)) names.push_back(entry.info.name);
  }
  return names;
}

Figure make_figure(std::string_view name, const FigureOptions& options) {
  const figure::FigureEntry& entry = entry_of(name);
  if (!entry.info.default_spec.empty()) {
    fail(ErrorKind::usage,
         "the figure '" + std::string(name) + "' needs a SPEC, such as " + std::string(entry.info.default_spec));
  }
  check_options(entry.info, options);
  FigureOptions settled = options;
  if (settled.command.empty()) settled.command = "posenc plot " + std::string(name);
  return entry.make({entry.info, nullptr, settled});
}

bool figure_fits(std::string_view name, const Spec& spec) { return fits(entry_of(name), spec); }

void check_figure(std::string_view name, const Spec& spec, const FigureOptions& options) {
  const figure::FigureEntry& entry = entry_of(name);
  if (!shows_kind(entry, spec)) {
    const std::string kinds = kinds_that_fit(name), figure = "the figure '" + std::string(name) + "'";
    if (kinds.empty()) fail(ErrorKind::usage, figure + " takes no SPEC");
    fail(ErrorKind::usage, figure + " cannot show " + std::string(kind_of(spec)) + "; it shows " + kinds);
  }
  check_options(entry.info, options);
  if (entry.check != nullptr) entry.check({entry.info, options, given_width(spec)});
}

Figure make_figure(std::string_view name, const Encoding& subject, const FigureOptions& options) {
  const figure::FigureEntry& entry = entry_of(name);
  check_figure(name, subject.spec(), options);
  if (none_means_no_spec(entry) && std::holds_alternative<NoPosition>(subject.spec())) {
    return make_figure(name, options);
  }
  FigureOptions settled = options;
  const Encoding numbers = with_drawn(subject, options.seed);
  if (settled.command.empty()) {
    settled.command = "posenc plot " + std::string(name) + " " + numbers.command_text() +
                      (options.seed == 0 || numbers.made_by_init() ? "" : " --seed " + std::to_string(options.seed));
  }
  if (settled.head && (*settled.head < 0 || *settled.head >= numbers.heads())) {
    fail(ErrorKind::usage, "[make_figure] head must be 0 to " + std::to_string(numbers.heads() - 1) + " but got " +
                               std::to_string(*settled.head));
  }
  // The width may be known from a table only.
  if (entry.check != nullptr && numbers.place() == Place::input) {
    entry.check({entry.info, settled, static_cast<double>(numbers.width())});
  }
  return entry.make({entry.info, &numbers, settled});
}

std::string to_csv(const DataTable& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += (c > 0 ? "," : "") + csv_cell(table.columns[c].name);
  text += "\n";
  const std::size_t rows = table.columns.empty() ? 0 : length_of(table.columns.front());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) text += (c > 0 ? "," : "") + cell_text(table.columns[c], r);
    text += "\n";
  }
  return text;
}

Json to_json(const DataTable& table) {
  Json columns{Json::Object{}};
  for (const DataColumn& column : table.columns) {
    Json::Array values;
    if (const auto* words = std::get_if<std::vector<std::string>>(&column.values)) {
      for (const std::string& word : *words) values.emplace_back(word);
    } else {
      for (const double value : std::get<std::vector<double>>(column.values)) {
        values.push_back(std::isnan(value) ? Json() : Json(value));
      }
    }
    columns.set(column.name, std::move(values));
  }
  Json result;
  return result.set("name", table.name).set("columns", std::move(columns));
}

}  // namespace posenc
