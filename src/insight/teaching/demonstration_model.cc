#include "insight/teaching/demonstration_model.h"

#include <cmath>

#include "core/base/refuse.h"
#include "posenc/embed.h"
#include "posenc/models/encoding.h"
#include "posenc/multi_head.h"
#include "posenc/random.h"

namespace posenc::teaching {
namespace {

constexpr base::Refusal refuse{"demonstrate_permutation"};

// The encoding with random learned numbers, as before training. A table without a size is as wide as the model and as
// long as the sentence.
Encoding begun(Spec spec, const DemonstrationModel& model, std::int64_t tokens) {
  if (place_of(spec) == Place::input && axes_of(spec) != 1) {
    refuse("words have positions on one axis but ", kind_of(spec), " takes ", axes_of(spec));
  }
  auto* hybrid = std::get_if<Hybrid>(&spec);
  if (Learned* learned = hybrid != nullptr ? &hybrid->learned : std::get_if<Learned>(&spec)) {
    if (learned->rows == 0) learned->rows = learned->first + tokens;
    if (learned->width == 0) learned->width = model.width;
  }
  return with_drawn(spec, model.seed, tokens);
}

// out += W x for one token.
void add_product(const Matrix& weights, std::int64_t first_row, const float* x, std::vector<double>& out) {
  for (std::size_t m = 0; m < out.size(); ++m) {
    const float* row = weights.row(first_row + static_cast<std::int64_t>(m));
    for (std::int64_t c = 0; c < weights.columns; ++c)
      out[m] += static_cast<double>(row[c]) * static_cast<double>(x[c]);
  }
}

}  // namespace

Matrix::Matrix(std::int64_t row_count, std::int64_t column_count)
    : rows(row_count), columns(column_count), numbers(static_cast<std::size_t>(row_count * column_count)) {}

View Matrix::view() { return make_view(numbers.data(), {rows, columns}); }
ConstView Matrix::view() const { return make_view(numbers.data(), {rows, columns}); }

Matrix random_matrix(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed, ModelMatrix which) {
  Matrix result(rows, columns);
  fill_random(result.view(), {.std = std, .seed = 64 * seed + static_cast<std::uint64_t>(which)});
  return result;
}

Matrix DemonstrationModel::weights(std::int64_t rows, ModelMatrix which) const {
  return random_matrix(rows, width, 1.0 / std::sqrt(static_cast<double>(width)), seed, which);
}

void DemonstrationModel::check(const Spec& encoding, std::int64_t tokens) const {
  const Encoding numbers = begun(encoding, *this, tokens);
  const std::string text = to_text(encoding);
  if (numbers.place() == Place::input) {
    if (numbers.width() != width) {
      refuse("'", text, "' has width ", numbers.width(), " but the tokens have width ", width);
    }
    check_rows(numbers.rows(), PositionView::range(0, tokens), "demonstrate_permutation");
    return;
  }
  const std::int64_t head_dim = width / heads;
  if (numbers.bias() && numbers.heads() != 1 && numbers.heads() != heads) {
    refuse("'", text, "' has ", numbers.heads(), " heads but the layer has ", heads);
  }
  if (numbers.rotary() && numbers.rotary()->head_dim != head_dim) {
    refuse("'", text, "' is for heads of ", numbers.rotary()->head_dim, " channels but they have ", head_dim,
           ": width / heads");
  }
  attention(encoding, Matrix(1, width));  // throws for everything else that attention refuses
}

bool DemonstrationModel::keeps_every_bias(const Spec& encoding, const std::vector<std::int64_t>& order) const {
  const auto tokens = static_cast<std::int64_t>(order.size());
  const Encoding numbers = begun(encoding, *this, tokens);
  if (!numbers.bias()) return false;
  const PositionView all = PositionView::range(0, tokens);
  for (std::int64_t h = 0; h < numbers.heads(); ++h) {
    std::vector<double> bias(static_cast<std::size_t>(tokens * tokens));
    add_bias(*numbers.bias(), {.head = h, .queries = tokens, .keys = tokens}, all, all,
             make_view(bias.data(), {tokens, tokens}));
    for (std::int64_t i = 0; i < tokens; ++i) {
      for (std::int64_t j = 0; j < tokens; ++j) {
        const std::int64_t from = order[static_cast<std::size_t>(i)] * tokens + order[static_cast<std::size_t>(j)];
        if (bias[static_cast<std::size_t>(i * tokens + j)] != bias[static_cast<std::size_t>(from)]) return false;
      }
    }
  }
  return true;
}

Matrix DemonstrationModel::attention(const Spec& encoding, const Matrix& tokens, bool causal) const {
  const Encoding numbers = begun(encoding, *this, tokens.rows);
  Matrix x = tokens;
  if (numbers.place() == Place::input) {
    add_positions(x.view(), PositionView::range(0, x.rows), numbers.rows(), x.view());
  }
  MultiHeadOptions options;
  if (causal) options.attend.mask.causal = Causal::end;
  add_encoding(options.attend, numbers);
  const Matrix in = weights(3 * width, ModelMatrix::projection);
  const Matrix back = weights(width, ModelMatrix::output);
  const MultiHeadAttention layer{.heads = heads, .in_proj_weight = in.view(), .out_proj_weight = back.view()};
  multi_head_attend(x.view(), layer, x.view(), options);
  return x;
}

Matrix DemonstrationModel::recurrence(const Matrix& tokens) const {
  const Matrix recurrent = weights(width, ModelMatrix::recurrent);
  const Matrix input = weights(width, ModelMatrix::recurrent_input);
  Matrix out(tokens.rows, tokens.columns);
  for (std::int64_t n = 0; n < tokens.rows; ++n) {
    std::vector<double> sum(static_cast<std::size_t>(width));
    add_product(input, 0, tokens.row(n), sum);
    if (n > 0) add_product(recurrent, 0, out.row(n - 1), sum);
    for (std::size_t m = 0; m < sum.size(); ++m) out.row(n)[m] = static_cast<float>(std::tanh(sum[m]));
  }
  return out;
}

Matrix DemonstrationModel::filter(const Matrix& tokens) const {
  const Matrix taps = weights(3 * width, ModelMatrix::filter);
  Matrix out(tokens.rows, tokens.columns);
  for (std::int64_t n = 0; n < tokens.rows; ++n) {
    std::vector<double> sum(static_cast<std::size_t>(width));
    for (std::int64_t tap = 0; tap < 3; ++tap) {
      const std::int64_t at = n + tap - 1;
      if (at >= 0 && at < tokens.rows) add_product(taps, tap * width, tokens.row(at), sum);
    }
    for (std::size_t m = 0; m < sum.size(); ++m) out.row(n)[m] = static_cast<float>(sum[m]);
  }
  return out;
}

}  // namespace posenc::teaching
