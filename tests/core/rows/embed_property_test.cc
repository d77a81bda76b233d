// Random shapes, layouts, splits and numbers of workers: always the same bits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "posenc/embed.h"
#include "support/parts.h"
#include "support/row_cases.h"

namespace posenc::embed_property_test {
namespace {

std::int64_t in_range(std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high + 1); }

struct Shape {
  std::int64_t batch = in_range(1, 4);
  std::int64_t count = in_range(1, 12);
  std::int64_t width = in_range(1, 40);
  std::int64_t x_width = in_range(0, 20);
  DType dtype = *rc::gen::elementOf(float_types());
  DType table = *rc::gen::elementOf(float_types());
};

BlockLayout any_layout() { return {in_range(0, 5), in_range(0, 1) == 1, in_range(0, 1) == 1}; }

EmbedOptions any_options() {
  EmbedOptions options{.scale = *rc::gen::element(1.0, -2.5, 22.627417)};
  options.dropout = {.p = *rc::gen::element(0.0, 0.1, 0.9),
                     .seed = *rc::gen::arbitrary<std::uint64_t>(),
                     .step = static_cast<std::uint64_t>(in_range(0, 1000)),
                     .first_row = in_range(0, 1000),
                     .first_token = in_range(0, 1000)};
  return options;
}

// Ids [B, N] below the positions that every source of RowCases has.
struct Ids {
  explicit Ids(const Shape& shape) {
    for (std::int64_t i = 0; i < shape.batch * shape.count; ++i) {
      ids.push_back(static_cast<std::int32_t>(in_range(0, RowCases::kPositions - 1)));
    }
    view = PositionView::of(ids.data(), shape.count);
    view.batch = in_range(0, 2) == 0 ? 1 : shape.batch;
    view.batch_stride = view.batch == 1 ? 0 : shape.count;
  }
  std::vector<std::int32_t> ids;
  PositionView view;
};

RC_GTEST_PROP(EmbedProperty, LayoutsSplitsAndWorkersChangeNoBit, ()) {
  const Shape shape;
  const bool concat = in_range(0, 1) == 1;
  const RowCases cases(shape.width, shape.table);
  const auto all = cases.all();
  const InputRows rows = all[static_cast<std::size_t>(in_range(0, static_cast<std::int64_t>(all.size()) - 1))].second;
  const Ids ids(shape);
  const std::int64_t x_width = concat ? shape.x_width : shape.width;
  const std::int64_t out_width = concat ? x_width + shape.width : shape.width;
  const auto join = concat ? concat_positions : add_positions;

  EmbedOptions options = any_options();
  TypedBlock x(shape.dtype, shape.batch, shape.count, x_width), whole(shape.dtype, shape.batch, shape.count, out_width);
  x.set_values(random_numbers(shape.batch * shape.count * x_width, 1));
  join(x.view(), ids.view, rows, whole.view(), options);

  // In place, in another layout, in four parts, by several workers.
  TypedBlock out(shape.dtype, shape.batch, shape.count, out_width, any_layout());
  View head = out.view();
  head.shape[2] = x_width;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t n = 0; n < shape.count; ++n)
      for (std::int64_t m = 0; m < x_width; ++m) out.set(b, n, m, x.at(b, n, m));
  const Workers workers(static_cast<int>(in_range(1, 5)));
  options.workers = &workers;
  const Dropout dropout = options.dropout;
  const std::int64_t rows_cut = in_range(0, shape.batch), tokens_cut = in_range(0, shape.count);
  for (const auto& [b, batch] : {std::pair{std::int64_t{0}, rows_cut}, std::pair{rows_cut, shape.batch - rows_cut}}) {
    for (const auto& [n, count] :
         {std::pair{std::int64_t{0}, tokens_cut}, std::pair{tokens_cut, shape.count - tokens_cut}}) {
      if (batch * count == 0) continue;
      options.dropout.first_row = dropout.first_row + b;
      options.dropout.first_token = dropout.first_token + n;
      join(part(head, b, batch, n, count), part(ids.view, b, batch, n, count), rows,
           part(out.view(), b, batch, n, count), options);
    }
  }
  RC_ASSERT(out.values() == whole.values());
  RC_ASSERT(out.gaps_are_whole());
}

RC_GTEST_PROP(EmbedProperty, GradientsAreTheSameBits, ()) {
  const Shape shape;
  const bool concat = in_range(0, 1) == 1;
  const RowCases cases(shape.width, shape.table);
  const auto specs = RowCases::learned_specs();
  const LearnedRows learned = cases.learned(*rc::gen::elementOf(specs));
  const HybridRows rows{StreamedRows{&cases.schedule()}, learned};
  const Ids ids(shape);
  const std::int64_t x_width = concat ? shape.x_width : shape.width;
  const std::int64_t out_width = concat ? x_width + shape.width : shape.width;
  EmbedOptions options = any_options();
  const std::vector<double> numbers = random_numbers(shape.batch * shape.count * out_width, 2);

  const auto gradients = [&](const BlockLayout& layout, bool in_place) {
    TypedBlock grad(shape.dtype, shape.batch, shape.count, out_width, layout),
        input(shape.dtype, shape.batch, shape.count, x_width), table(DType::f32, 1, RowCases::kRows, shape.width);
    grad.set_values(numbers);
    table.set_values(random_numbers(RowCases::kRows * shape.width, 3));
    std::vector<double> inv_freq(cases.schedule().inv_freq.size(), 0.5);
    View head = grad.view();
    head.shape[2] = x_width;
    const EmbedGradients wanted{.input = in_place ? head : input.view(), .learned = table.flat(), .inv_freq = inv_freq};
    concat ? concat_positions_backward(grad.view(), ids.view, rows, wanted, options)
           : add_positions_backward(grad.view(), ids.view, rows, wanted, options);
    std::vector<double> result = table.values();
    result.insert(result.end(), inv_freq.begin(), inv_freq.end());
    for (std::int64_t b = 0; b < shape.batch; ++b)
      for (std::int64_t n = 0; n < shape.count; ++n)
        for (std::int64_t m = 0; m < x_width; ++m) result.push_back((in_place ? grad : input).at(b, n, m));
    RC_ASSERT(grad.gaps_are_whole());
    return result;
  };
  const std::vector<double> plain = gradients({}, false);
  const Workers workers(static_cast<int>(in_range(1, 5)));
  options.workers = &workers;
  RC_ASSERT(gradients(any_layout(), true) == plain);
}

}  // namespace
}  // namespace posenc::embed_property_test
