#include "insight/teaching/advise.h"

#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "insight/properties/property.h"
#include "insight/properties/published.h"
#include "posenc/error.h"
#include "posenc/insight/analysis.h"
#include "posenc/models/encoding.h"
#include "posenc/position.h"

namespace posenc::teaching {
namespace {

using text::general_text;

// Whether the published numbers are about this form of the kind: the usual base, and all channels rotated.
bool is_published_form(const Spec& spec) {
  if (const auto* sinusoidal = std::get_if<Sinusoidal>(&spec)) {
    return sinusoidal->base == 10000.0 && sinusoidal->inv_freq.empty() && sinusoidal->frequency_scale == 1.0;
  }
  if (const auto* rotary = std::get_if<Rotary>(&spec)) {
    const RotarySchedule schedule = make_schedule(*rotary);
    return rotary->base == 10000.0 && rotary->inv_freq.empty() && rotary->frequency_scale == 1.0 &&
           schedule.axes == 1 && schedule.rotary_dim == schedule.head_dim;
  }
  return true;
}

// Adds the published point whose ratio of tested to trained length is nearest to the one asked for.
void add_published(AdviceRow& row, const Spec& spec, double ratio) {
  if (!is_published_form(spec)) return;
  double best = 1e300;
  for (const properties::PublishedCurve& curve : properties::published_perplexity()) {
    if (curve.kind != row.kind) continue;
    for (std::size_t i = 0; i < curve.lengths.size(); ++i) {
      const double step = curve.lengths[i] / curve.train_length;
      const double distance = std::fabs(std::log(step / ratio));
      if (std::isnan(curve.values[i]) || distance >= best) continue;
      best = distance;
      row.published_rise = curve.values[i] / curve.values[0];
      row.published_step = step;
      row.published = "perplexity " + general_text(curve.values[i], 5) + " at " + general_text(step, 3) +
                      " times the training length, " + general_text(curve.values[0], 5) + " within it";
    }
  }
}

void look_at_turns(AdviceRow& row, const std::vector<double>& inv_freq, const AdviceOptions& options) {
  const TurnsWithin turns = turns_within(inv_freq, options.train_length);
  row.pairs = static_cast<std::int64_t>(inv_freq.size());
  for (const PairTurns& pair : turns.pairs) {
    row.unseen_pairs += pair.first_unseen && *pair.first_unseen < options.infer_length ? 1 : 0;
  }
  row.unseen = std::to_string(row.unseen_pairs) + " of " + properties::several(row.pairs, "pair") +
               " reach angles that did not occur in training";
  if (row.unseen_pairs == 0) row.unseen = "no pair reaches a new angle";
}

// Needs only the number of rows, so no random table is made, however long it would be.
void look_at_rows(AdviceRow& row, const Learned& learned, const ConstView& table, const AdviceOptions& options) {
  const std::int64_t rows = table.rank != 0 ? table.shape[0] - learned.first : learned.rows;
  const std::int64_t trained = rows > 0 ? std::min(rows, options.train_length) : options.train_length;
  row.without_row = std::max<std::int64_t>(options.infer_length - trained, 0);
  row.unseen = row.without_row == 0 ? "every position has a trained row"
                                    : properties::several(row.without_row, "position") + " have no trained row";
}

double largest_bias(const Encoding& numbers, std::int64_t length) {
  double largest = 0.0;
  // Every distance up to 4096, then a few per power of two: far away a bias changes slowly.
  for (std::int64_t head = 0; head < numbers.heads(); ++head) {
    for (std::int64_t k = 0; k < length; k += std::max<std::int64_t>(k / 4096, 1)) {
      const double query = static_cast<double>(length - 1);
      std::vector<double> score = {0.0};
      const double key = query - static_cast<double>(k);
      add_bias(*numbers.bias(), {.head = head, .queries = 1, .keys = 1}, PositionView::range(length - 1, 1),
               PositionView::range(static_cast<std::int64_t>(key), 1), make_view(score.data(), {1, 1}));
      if (std::isfinite(score[0])) largest = std::max(largest, std::fabs(score[0]));
    }
  }
  return largest;
}

void look_at_bias(AdviceRow& row, const Encoding& numbers, const AdviceOptions& options) {
  row.trained_bias = largest_bias(numbers, options.train_length);
  row.used_bias = largest_bias(numbers, options.infer_length);
  const bool grows = row.used_bias > row.trained_bias * 1.001;
  row.unseen = grows ? "biases grow from " + general_text(row.trained_bias, 4) + " to " +
                           general_text(row.used_bias, 4) + " in size, by the same rule"
               : numbers.drawn()
                   ? "no bias that did not occur in training"
                   : "no bias that did not occur in training: at most " + general_text(row.used_bias, 4) + " in size";
}

// The lengths apply to each axis.
void look_at_parts(AdviceRow& row, const Concat& spec, const std::vector<ConstView>& tables,
                   const AdviceOptions& options) {
  std::vector<double> inv_freq;
  for (const auto& part : make_concat_schedule(spec)) {
    if (part) inv_freq.insert(inv_freq.end(), part->inv_freq.begin(), part->inv_freq.end());
  }
  for (const ConcatPart& part : spec.parts) {
    const auto* learned = std::get_if<Learned>(&part.encoding);
    if (learned != nullptr) return look_at_rows(row, *learned, tables.empty() ? ConstView{} : tables[0], options);
  }
  look_at_turns(row, inv_freq, options);
}

void look_at_attention(AdviceRow& row, const Encoding& subject, const AdviceOptions& options) {
  const Encoding numbers = with_drawn(subject);
  if (numbers.sinusoidal() || numbers.rotary()) {
    look_at_turns(row, numbers.rotary() ? numbers.rotary()->inv_freq : numbers.sinusoidal()->inv_freq, options);
  } else if (numbers.bias() && !properties::limit_of(numbers)) {
    look_at_bias(row, numbers, options);
  } else {
    row.unseen = kind_facts(subject.spec()).past_length;
  }
}

AdviceRow look_at(const Encoding& subject, const AdviceOptions& options) {
  validate(subject.spec());
  AdviceRow row;
  row.name = subject.text();
  row.kind = std::string(kind_of(subject.spec()));
  const Cost cost = cost_of(subject.spec(), options.infer_length, DType::f32);
  row.parameters = cost.parameters;
  row.table_bytes = static_cast<double>(cost.table_bytes);
  if (const auto* concat = std::get_if<Concat>(&subject.spec())) {
    look_at_parts(row, *concat, subject.tables(), options);
  } else if (const auto* fourier = std::get_if<Fourier>(&subject.spec())) {
    look_at_turns(row, fourier->inv_freq, options);
  } else if (const Learned* learned = learned_part(subject.spec())) {
    look_at_rows(row, *learned, subject.table(), options);
  } else {
    look_at_attention(row, subject, options);
  }
  if (options.infer_length > options.train_length) {
    add_published(row, subject.spec(),
                  static_cast<double>(options.infer_length) / static_cast<double>(options.train_length));
  }
  return row;
}

std::vector<Encoding> usual_subjects(const AdviceOptions& options) {
  return {{Learned{.width = 768, .rows = options.train_length, .past_end = PastEnd::error}},
          {Sinusoidal{.width = 768}},
          {Rotary{.head_dim = 64}},
          {T5{.heads = 12}},
          {Alibi{.heads = 12}},
          {NoPosition{}}};
}

const AdviceRow* best_published(const std::vector<AdviceRow>& rows) {
  const AdviceRow* best = nullptr;
  for (const AdviceRow& row : rows) {
    if (row.published_rise > 0.0 && (best == nullptr || row.published_rise < best->published_rise)) best = &row;
  }
  return best;
}

std::string recommendation_of(const std::vector<AdviceRow>& rows, const AdviceOptions& options) {
  const std::string lengths = "Trained on " + std::to_string(options.train_length) + " and used at " +
                              std::to_string(options.infer_length) + ": ";
  if (options.infer_length <= options.train_length) {
    return lengths +
           "no position is new, so each of them can be used. A learned table is simplest if the length is fixed and "
           "there "
           "is much data; rotary is the usual default, because scores depend on distances and nothing has to be "
           "learned.";
  }
  const AdviceRow* best = best_published(rows);
  std::string text = lengths;
  constexpr double kTolerable = 1.1;
  if (best != nullptr && best->published_rise > kTolerable) {
    text += "none of these is safe without further training; the smallest published rise is that of `" + best->name +
            "`, by " + general_text(100.0 * (best->published_rise - 1.0), 3) + " % at " +
            general_text(best->published_step, 3) + " times the training length. ";
  } else if (best != nullptr) {
    text += "without further training, `" + best->name + "` is the safest of these: its published perplexity " +
            (best->published_rise < 1.0 ? "falls" : "rises") + " by " +
            general_text(100.0 * std::fabs(best->published_rise - 1.0), 3) + " % at " +
            general_text(best->published_step, 3) +
            " times the training length, the published ratio nearest to yours. ";
  } else {
    text += "no results are published for these encodings at such a length, so test before you rely on one. ";
  }
  for (const AdviceRow& row : rows) {
    if (row.kind == "learned" && row.without_row > 0) {
      text += "A learned table is the worst: " + properties::several(row.without_row, "position") +
              " have no trained row. ";
    }
    if (row.kind == "sinusoidal" && row.unseen_pairs > 0) {
      text += "Sinusoidal is defined at every position, but the model never saw those angles. ";
    }
    if (row.kind == "rotary" && row.unseen_pairs > 0) {
      text += "Rotary needs its frequencies scaled and some training at the new length; then it is the usual choice. ";
    }
  }
  return text;
}

}  // namespace

Advice advise(const std::vector<Encoding>& subjects, const AdviceOptions& options) {
  for (const auto& [name, length] :
       {std::pair{"train_length", options.train_length}, std::pair{"infer_length", options.infer_length}}) {
    if (length >= 1 && length <= kMaxPosition) continue;
    fail(ErrorKind::usage,
         std::string("[advise] ") + name + " must be 1 to 2^31 - 1 but got " + std::to_string(length));
  }
  Advice advice;
  for (const Encoding& subject : subjects.empty() ? usual_subjects(options) : subjects) {
    advice.rows.push_back(look_at(subject, options));
  }
  advice.recommendation = recommendation_of(advice.rows, options);
  return advice;
}

}  // namespace posenc::teaching
