// One backward pass through embeddings, positions and attention, in double.
#include <algorithm>
#include <cmath>

#include "core/base/refuse.h"
#include "insight/properties/lists.h"
#include "insight/teaching/demonstration_model.h"
#include "posenc/embed.h"
#include "posenc/insight/demonstration.h"
#include "posenc/multi_head.h"
#include "posenc/parameters.h"
#include "posenc/random.h"
#include "posenc/schedule.h"

namespace posenc {
namespace {

using teaching::ModelMatrix;
using Numbers = std::vector<double>;

constexpr base::Refusal refuse_gradient{"demonstrate_gradient"};
constexpr std::size_t kMostGradientWords = 24;
constexpr std::int64_t kMostGradientWidth = 16;
constexpr std::int64_t kUnusedRows = 2;

void check_question(const GradientQuestion& question) {
  const std::size_t words = question.words.size();
  if (words < 2 || words > kMostGradientWords)
    refuse_gradient("words must be 2 to ", kMostGradientWords, " but are ", words);
  if (question.width < 2 || question.width > kMostGradientWidth) {
    refuse_gradient("width must be 2 to ", kMostGradientWidth, " but got ", question.width);
  }
  if (question.width % 2 != 0) refuse_gradient("width must be even but got ", question.width);
}

Numbers drawn(std::int64_t rows, std::int64_t width, double std, std::uint64_t seed, ModelMatrix which) {
  Numbers numbers(static_cast<std::size_t>(rows * width));
  fill_random(make_view(numbers.data(), {rows, width}),
              {.std = std, .seed = 64 * seed + static_cast<std::uint64_t>(which)});
  return numbers;
}

// Embeddings, positions, one head of attention and a loss, half the squared distance of the outputs from targets.
class GradientModel {
 public:
  GradientModel(const GradientQuestion& question, const std::vector<std::int64_t>& ids, bool learned)
      : width_(question.width),
        tokens_(static_cast<std::int64_t>(ids.size())),
        ids_(ids),
        learned_(learned),
        in_(drawn(3 * width_, width_, scale(), question.seed, ModelMatrix::projection)),
        back_(drawn(width_, width_, scale(), question.seed, ModelMatrix::output)),
        targets_(drawn(tokens_, width_, 1.0, question.seed, ModelMatrix::target)) {
    const std::int64_t vocabulary = *std::max_element(ids.begin(), ids.end()) + 1;
    embeddings_ = drawn(vocabulary, width_, 1.0, question.seed, ModelMatrix::embeddings);
    spec_ = {.width = width_, .rows = tokens_ + kUnusedRows, .past_end = PastEnd::error};
    if (learned) table_ = drawn(spec_.rows, width_, 0.02, question.seed, ModelMatrix::table);
  }

  double loss() const {
    const Numbers out = outputs();
    double sum = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += (out[i] - targets_[i]) * (out[i] - targets_[i]);
    return sum / 2.0;
  }

  GradientResult backward() {
    Numbers difference = outputs();
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= targets_[i];
    Numbers x = inputs(), arriving(x.size());
    multi_head_attend_backward({view(x), view(difference)}, weights(), {.x = view(arriving)});
    GradientResult result;
    result.spec = learned_ ? Spec(spec_) : Spec(Sinusoidal{.width = width_});
    for (const ParameterInfo& parameter : parameters_of(result.spec)) {
      std::int64_t count = 1;
      for (const std::int64_t length : parameter.shape) count *= length;
      result.learned_numbers += count;
    }
    result.loss = loss();
    result.arriving = rows_of(arriving);
    Numbers embedding_gradient(embeddings_.size()), table_gradient(table_.size());
    EmbedGradients gradients{.input = view(arriving)};
    if (learned_) gradients.learned = make_view(table_gradient.data(), {spec_.rows, width_});
    add_positions_backward(view(arriving), PositionView::range(0, tokens_), rows(), gradients);
    for (std::int64_t n = 0; n < tokens_; ++n) {
      double* row = embedding_gradient.data() + ids_[static_cast<std::size_t>(n)] * width_;
      for (std::int64_t m = 0; m < width_; ++m) row[m] += arriving[static_cast<std::size_t>(n * width_ + m)];
    }
    result.difference = std::max(properties::largest_gap(embedding_gradient, differences(embeddings_)),
                                 properties::largest_gap(table_gradient, differences(table_)));
    result.embeddings = rows_of(embedding_gradient);
    result.table = rows_of(table_gradient);
    return result;
  }

 private:
  double scale() const { return 1.0 / std::sqrt(static_cast<double>(width_)); }
  View view(Numbers& numbers) const { return make_view(numbers.data(), {tokens_, width_}); }
  ConstView view(const Numbers& numbers) const { return make_view(numbers.data(), {tokens_, width_}); }
  MultiHeadAttention weights() const {
    return {.heads = 1,
            .in_proj_weight = make_view(in_.data(), {3 * width_, width_}),
            .out_proj_weight = make_view(back_.data(), {width_, width_})};
  }
  InputRows rows() const {
    if (learned_) return LearnedRows{spec_, make_view(table_.data(), {spec_.rows, width_})};
    return StreamedRows{&schedule_};
  }

  Numbers inputs() const {
    Numbers x;
    for (const std::int64_t id : ids_) {
      const auto row = embeddings_.begin() + id * width_;
      x.insert(x.end(), row, row + width_);
    }
    add_positions(view(x), PositionView::range(0, tokens_), rows(), view(x));
    return x;
  }
  Numbers outputs() const {
    Numbers x = inputs();
    multi_head_attend(view(x), weights(), view(x));
    return x;
  }

  // The derivative of the loss with respect to each number, by central differences.
  Numbers differences(Numbers& numbers) const {
    constexpr double kStep = 1e-5;  // its square and the rounding of the loss both stay below 1e-9
    Numbers result;
    for (double& number : numbers) {
      const double before = number;
      number = before + kStep;
      const double above = loss();
      number = before - kStep;
      result.push_back((above - loss()) / (2.0 * kStep));
      number = before;
    }
    return result;
  }

  std::vector<Numbers> rows_of(const Numbers& numbers) const {
    std::vector<Numbers> result;
    for (auto row = numbers.begin(); row != numbers.end(); row += width_) result.emplace_back(row, row + width_);
    return result;
  }

  std::int64_t width_, tokens_;
  std::vector<std::int64_t> ids_;
  bool learned_;
  Numbers in_, back_, targets_, embeddings_, table_;
  Learned spec_;
  SinusoidalSchedule schedule_ = make_schedule(Sinusoidal{.width = width_});
};

}  // namespace

GradientDemonstration demonstrate_gradient(const GradientQuestion& question) {
  check_question(question);
  GradientDemonstration result;
  std::vector<std::int64_t> ids;
  for (const std::string& word : question.words) {
    const auto known = std::find(result.vocabulary.begin(), result.vocabulary.end(), word);
    ids.push_back(known - result.vocabulary.begin());
    if (known == result.vocabulary.end()) result.vocabulary.push_back(word);
  }
  result.fixed = GradientModel(question, ids, false).backward();
  result.learned = GradientModel(question, ids, true).backward();
  return result;
}

}  // namespace posenc
