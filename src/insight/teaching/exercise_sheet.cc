#include "insight/teaching/exercise_sheet.h"

#include <algorithm>
#include <utility>

#include "core/spec/scaling_fields.h"
#include "core/text/joined.h"
#include "insight/teaching/assets.h"
#include "posenc/files/json.h"
#include "posenc/parameters.h"
#include "posenc/random.h"

namespace posenc::teaching {

std::int64_t Draw::between(std::int64_t low, std::int64_t high) {
  const PhiloxKey key = {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)};
  const std::uint64_t bits = philox4x32({count_++, stream_, 0, 0}, key)[0];
  return low + static_cast<std::int64_t>(bits * static_cast<std::uint64_t>(high - low + 1) >> 32);
}

Question stored_question(std::string_view name, const Places& places, std::vector<double> answer) {
  const std::size_t slash = name.find('/');
  const std::string file = "questions/" + std::string(name.substr(0, slash)) + ".json";
  const Json all = parse_json(asset(file), file);
  const Json& stored = *all.find(name.substr(slash + 1));
  const auto word = [&](std::string_view key) { return stored.find(key) ? stored.find(key)->string() : std::string(); };
  Question question{.values = std::move(answer)};
  for (const Level level : {Level::easy, Level::medium, Level::hard}) {
    if (level_name(level) == word("level")) question.level = level;
  }
  for (const AnswerKind kind : {AnswerKind::symbolic, AnswerKind::choice, AnswerKind::reasoned}) {
    if (answer_kind_name(kind) == word("kind")) question.kind = kind;
  }
  if (const Json* decimals = stored.find("decimals")) question.decimals = static_cast<int>(decimals->integer());
  Values values = {{"answer", list_text(question.values, question.decimals)}};
  for (const auto& [place, text] : places) values[place] = text.text;
  const auto lines = [&](std::string_view key) {
    std::vector<std::string> list;
    if (const Json* texts = stored.find(key)) {
      for (const Json& text : texts->array()) list.push_back(fill(text.string(), values));
    }
    return list;
  };
  question.text = fill(word("text"), values);
  question.hint = fill(word("hint"), values);
  question.choices = lines("choices");
  question.solution = lines("solution");
  if (const Json* points = stored.find("points")) {
    for (const Json& point : points->array()) {
      KeyPoint& found = question.points.emplace_back(KeyPoint{point.array()[0].string(), {}});
      for (const Json& keyword : point.array()[1].array()) found.keywords.push_back(keyword.string());
    }
  }
  return question;
}

Draw Sheet::draw(std::string_view name) const {
  std::uint32_t stream = 2166136261u;  // FNV-1a
  for (const char c : name) stream = (stream ^ static_cast<unsigned char>(c)) * 16777619u;
  return Draw(seed_, stream);
}

void Sheet::add(Question question) {
  if (question.kind == AnswerKind::numeric) question.answer = list_text(question.values, question.decimals);
  questions_.push_back(std::move(question));
}

void Sheet::add_choice(Question question, Draw& draw) {
  question.kind = AnswerKind::choice;
  const auto last = static_cast<std::int64_t>(question.choices.size()) - 1;
  std::size_t right = 0;
  for (std::int64_t i = last; i > 0; --i) {
    const auto from = static_cast<std::size_t>(draw.between(0, i));
    const auto to = static_cast<std::size_t>(i);
    std::swap(question.choices[from], question.choices[to]);
    right = right == from ? to : right == to ? from : right;
  }
  question.answer = std::string(1, static_cast<char>('a' + static_cast<int>(right)));
  questions_.push_back(std::move(question));
}

std::vector<Question> Sheet::questions() const {
  std::vector<Question> sorted = questions_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Question& a, const Question& b) { return a.level < b.level; });
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i].id = "q" + std::to_string(i + 1);
  return sorted;
}

std::string decimals_text(double value, int decimals) {
  std::string text = text::fixed_text(value, decimals);
  return text.find_first_not_of("-0.") == std::string::npos && text.starts_with('-') ? text.substr(1) : text;
}

std::string list_text(const std::vector<double>& values, int decimals) {
  return text::joined(values, ", ", [&](double value) { return decimals_text(value, decimals); });
}

std::string in_formula(double value) {
  return value < 0.0 ? "(" + text::number_text(value) + ")" : text::number_text(value);
}

std::string clipped_text(std::int64_t offset, std::int64_t clipped) {
  return text_of(offset) + (clipped == offset ? "" : ", clipped to " + text_of(clipped));
}

std::string plain_list(const std::vector<double>& values) { return text::joined(values, ", "); }

namespace {

// The fields in the text of a spec, which leaves out defaults: "first=1".
std::vector<std::string> given_fields(const std::string& text) {
  std::vector<std::string> fields;
  for (std::size_t at = text.find(':'); at != std::string::npos;) {
    const std::size_t end = text.find(',', at + 1);
    fields.push_back(text.substr(at + 1, end == std::string::npos ? end : end - at - 1));
    at = end;
  }
  return fields;
}

std::string name_of(const std::string& field) { return field.substr(0, field.find('=')); }

}  // namespace

void Sheet::leave_out(const Spec& spec, std::initializer_list<std::string_view> respected) {
  std::vector<std::string> fields = given_fields(to_text(spec));
  std::erase_if(fields, [&](const std::string& field) {
    return std::find(respected.begin(), respected.end(), name_of(field)) != respected.end();
  });
  if (const auto* rotary = std::get_if<Rotary>(&spec)) {  // the fields of a scaling belong to "scaling"
    Scaling scaling = rotary->scaling;
    for (const spec::Field& part : spec::scaling_fields(scaling)) {
      std::erase_if(fields, [&](const std::string& field) { return name_of(field) == part.name; });
    }
  }
  for (const std::string& field : fields) {
    if (std::find(left_out_.begin(), left_out_.end(), field) == left_out_.end()) left_out_.push_back(field);
  }
}

std::string Sheet::remarks() const {
  std::string text;
  for (std::size_t i = 0; i < left_out_.size(); ++i) {
    text += (i == 0 ? "These questions leave out " : i + 1 == left_out_.size() ? " and " : ", ") + left_out_[i];
  }
  if (!text.empty()) text += ".";
  for (const std::string& sentence : sentences_) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

double parameter_count(const Spec& spec) {
  double total = 0.0;
  for (const ParameterInfo& parameter : parameters_of(spec)) {
    double count = 1.0;
    for (const std::int64_t length : parameter.shape) count *= static_cast<double>(length);
    if (!parameter.optional) total += count;
  }
  return total;
}

}  // namespace posenc::teaching
