#include "insight/teaching/compare_tables.h"

#include <algorithm>

#include "core/spec/fields.h"
#include "core/text/number_text.h"
#include "insight/properties/published.h"
#include "insight/teaching/assets.h"
#include "posenc/insight/analysis.h"

namespace posenc::teaching {
namespace {

std::string place_text(Place place) {
  switch (place) {
    case Place::input:
      return "at the input: added to embeddings";
    case Place::rotation:
      return "in attention: rotates queries and keys";
    case Place::query:
      return "in attention: multiplies queries";
    case Place::bias:
      return "in attention: added to scores";
    case Place::term:
      return "in attention: a vector that is multiplied with queries";
    case Place::nowhere:
      return "nowhere";
  }
  return "";
}

// A bias is a function of two positions, so its whole matrix need not be stored.
std::string table_text(const Spec& spec, double bytes) {
  if (bytes == 0.0) return "none";
  return place_of(spec) == Place::bias ? "none; the whole matrix would need " + bytes_in_words(bytes)
                                       : bytes_in_words(bytes);
}

const Property* find(const std::vector<Property>& properties, const std::string& name) {
  const auto found =
      std::find_if(properties.begin(), properties.end(), [&](const Property& p) { return p.name == name; });
  return found == properties.end() ? nullptr : &*found;
}

}  // namespace

std::string bytes_in_words(double bytes) {
  if (bytes >= 1e9) return text::general_text(bytes / 1e9, 3) + " GB";
  if (bytes >= 1e6) return text::general_text(bytes / 1e6, 3) + " MB";
  return bytes >= 1e3 ? text::general_text(bytes / 1e3, 3) + " kB" : text::general_text(bytes, 3) + " bytes";
}

HtmlTable glance_table(const std::vector<Encoding>& subjects, std::int64_t train_length) {
  HtmlTable table{
      "At a glance",
      {"Encoding", "Where it enters", "Learned numbers",
       "Table of " + std::to_string(train_length) + " positions, float32", "Past its training length", "Used by"},
      {}};
  for (const Encoding& subject : subjects) {
    const Cost cost = cost_of(subject.spec(), train_length, DType::f32);
    const KindFacts facts = kind_facts(subject.spec());
    table.rows.push_back(
        {"`" + subject.text() + "`", place_text(place_of(subject.spec())), std::to_string(cost.parameters),
         table_text(subject.spec(), static_cast<double>(cost.table_bytes)), facts.past_length, facts.users});
  }
  return table;
}

HtmlTable verdict_table(const std::vector<Encoding>& subjects, const std::vector<std::vector<Property>>& properties) {
  HtmlTable table{"Properties side by side", {"Property"}, {}};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    table.head.push_back("`" + subjects[i].text() + "`");
    for (const Property& property : properties[i]) {
      if (std::find(names.begin(), names.end(), property.name) == names.end()) names.push_back(property.name);
    }
  }
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    std::replace(row[0].begin(), row[0].end(), '_', ' ');
    for (const std::vector<Property>& each : properties) {
      const Property* property = find(each, name);
      row.push_back(property != nullptr ? verdict_text(*property) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable absolute_table(const std::vector<Encoding>& subjects) {
  HtmlTable table{"Absolute or relative",
                  {"Encoding", "Represents", "Where it enters", "Preference before training", "Long texts"},
                  {}};
  for (const Encoding& subject : subjects) {
    const KindFacts facts = kind_facts(subject.spec());
    table.rows.push_back({"`" + subject.text() + "`", facts.represents, place_text(place_of(subject.spec())),
                          facts.prefers, facts.past_length});
  }
  return table;
}

HtmlTable learned_table(std::int64_t rows, std::int64_t width) {
  const Spec learned = Learned{.width = width, .rows = rows, .past_end = PastEnd::error};
  const Spec fixed = Sinusoidal{.width = width};
  const auto parameters = [&](const Spec& spec) { return std::to_string(cost_of(spec, rows, DType::f32).parameters); };
  return {"Learned against sinusoidal, " + std::to_string(rows) + " positions, width " + std::to_string(width),
          {"", "Learned", "Sinusoidal"},
          {{"Learned numbers", parameters(learned) + " = " + std::to_string(rows) + " x " + std::to_string(width),
            parameters(fixed)},
           {"Past the last trained position", kind_facts(learned).past_length, kind_facts(fixed).past_length},
           {"Adapts to the data", "yes, row by row; rare positions get little training", "no, it is fixed"},
           {"Used by", kind_facts(learned).users, kind_facts(fixed).users}}};
}

HtmlTable advice_table(const teaching::Advice& advice, const AdviceOptions& options) {
  HtmlTable table{
      "Trained on " + std::to_string(options.train_length) + ", used at " + std::to_string(options.infer_length),
      {"Encoding", "Past the training length", "Learned numbers", "Table at the full length, float32", "Published"},
      {}};
  for (const teaching::AdviceRow& row : advice.rows) {
    table.rows.push_back({"`" + row.name + "`", row.unseen, std::to_string(row.parameters),
                          table_text(*spec::default_spec(row.kind), row.table_bytes),
                          row.published.empty() ? "no results" : row.published});
  }
  return table;
}

std::string advice_basis() {
  return filled("advice_basis.html", {{"source", inline_html(properties::published_perplexity_source())}});
}

}  // namespace posenc::teaching
