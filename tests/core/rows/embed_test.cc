#include "posenc/embed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "posenc/position_ids.h"
#include "posenc/reference.h"
#include "support/expect_error.h"
#include "support/plain_philox.h"
#include "support/row_cases.h"

namespace posenc::embed_test {
namespace {

constexpr std::int64_t kBatch = 3, kTokens = 5, kWidth = 10;
constexpr std::int64_t kIds[] = {3, 0, 9, 9, 6, 1, 2, 3, 4, 5, 8, 7, 0, 0, 6};  // [B, N]

PositionView batch_ids() { return position_view(make_view(kIds, {kBatch, kTokens})); }

enum class Join { add, concat };

void run(Join join, const ConstView& x, const PositionView& positions, const InputRows& rows, const View& out,
         const EmbedOptions& options) {
  join == Join::add ? add_positions(x, positions, rows, out, options)
                    : concat_positions(x, positions, rows, out, options);
}

std::int64_t out_width(Join join, std::int64_t x_width, std::int64_t width) {
  return join == Join::add ? width : x_width + width;
}

// What one element must be: rounded step by step in Real, then to the dtype. The rows come from fill_rows.
template <class Real>
double element(Join join, const TypedBlock& x, const TypedBlock& rows, const EmbedOptions& options, std::int64_t b,
               std::int64_t n, std::int64_t m) {
  const std::int64_t x_width = x.view().shape[2];
  const auto scaled = [&] {
    const volatile Real product = static_cast<Real>(options.scale) * static_cast<Real>(x.at(b, n, m));
    return product;
  };
  volatile Real value = 0;
  if (join == Join::add) {
    value = scaled() + static_cast<Real>(rows.at(b, n, m));
  } else {
    value = m < x_width ? scaled() : static_cast<Real>(rows.at(b, n, m - x_width));
  }
  const Dropout& drop = options.dropout;
  if (drop.p > 0.0) {
    const bool dropped = plain::dropped(drop.p, drop.seed, drop.step, drop.first_row + b, drop.first_token + n, m);
    value = dropped ? Real(0) : static_cast<Real>(value * static_cast<Real>(1.0 / (1.0 - drop.p)));
  }
  return rounded_to(x.view().dtype, static_cast<double>(value));
}

std::vector<double> expected(Join join, const TypedBlock& x, const PositionView& positions, const InputRows& rows,
                             const EmbedOptions& options) {
  const std::int64_t batch = x.view().shape[0], count = x.view().shape[1];
  const DType real = x.view().dtype == DType::f64 ? DType::f64 : DType::f32;
  const std::int64_t rows_width = width_of(rows), width = out_width(join, x.view().shape[2], rows_width);
  TypedBlock filled(real, batch, count, rows_width);
  fill_rows(rows, positions, filled.view());
  std::vector<double> result;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t n = 0; n < count; ++n)
      for (std::int64_t m = 0; m < width; ++m)
        result.push_back(real == DType::f64 ? element<double>(join, x, filled, options, b, n, m)
                                            : element<float>(join, x, filled, options, b, n, m));
  return result;
}

const EmbedOptions kOptions[] = {
    {},
    {.scale = std::sqrt(10.0)},
    {.scale = -0.7, .dropout = {.p = 0.3, .seed = 0x123456789abcdef0, .step = 5}},
    {.dropout = {.p = 0.1, .seed = 7, .step = 4294967295u, .first_row = 4294967290, .first_token = 77}},
};

TEST(PlainPhilox, GivesThePublishedVectors) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(plain::philox({0, 0, 0, 0}, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(plain::philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(plain::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Embed, IsItsFormulaRoundedStepByStep) {
  for (const DType dtype : float_types()) {
    for (const DType table : {DType::f32, DType::f64, DType::bf16}) {
      const RowCases cases(kWidth, table);
      for (const auto& row_case : cases.all()) {
        const auto& name = row_case.first;
        const auto& rows = row_case.second;  // clang 14 cannot capture a structured binding
        for (const Join join : {Join::add, Join::concat}) {
          for (const EmbedOptions& options : kOptions) {
            SCOPED_TRACE(name + " " + std::string(to_text(table)) + " " + std::string(to_text(dtype)));
            const std::int64_t x_width = join == Join::add ? kWidth : 7;
            TypedBlock x(dtype, kBatch, kTokens, x_width, {.gap = 3}),
                out(dtype, kBatch, kTokens, out_width(join, x_width, kWidth), {.gap = 2});
            x.set_values(random_numbers(kBatch * kTokens * x_width, 5));
            run(join, x.view(), batch_ids(), rows, out.view(), options);
            ASSERT_EQ(out.values(), expected(join, x, batch_ids(), rows, options));
            ASSERT_TRUE(out.gaps_are_whole());
          }
        }
      }
    }
  }
}

// The plain definitions, which share no step with the above.
TEST(Embed, AgreesWithTheReference) {
  const RowCases cases(kWidth, DType::f64);
  const Learned spec{.past_end = PastEnd::interpolate, .length = 10, .normalize = Normalize::l2};
  const EmbedOptions options{.scale = 2.5, .dropout = {.p = 0.25, .seed = 3}};
  TypedBlock x(DType::f64, kBatch, kTokens, kWidth), sum(DType::f64, kBatch, kTokens, kWidth),
      joined(DType::f64, kBatch, kTokens, 2 * kWidth);
  x.set_values(random_numbers(kBatch * kTokens * kWidth, 5));
  add_positions(x.view(), batch_ids(), cases.learned(spec), sum.view(), options);
  concat_positions(x.view(), batch_ids(), cases.learned(spec), joined.view(), options);
  std::vector<double> row(kWidth), out(2 * kWidth);
  for (std::int64_t b = 0; b < kBatch; ++b) {
    for (std::int64_t n = 0; n < kTokens; ++n) {
      std::vector<std::uint8_t> keep;
      for (std::int64_t m = 0; m < 2 * kWidth; ++m) keep.push_back(!plain::dropped(0.25, 3, 0, b, n, m));
      const auto id = static_cast<double>(kIds[b * kTokens + n]);
      reference::learned_row(spec, cases.table().values(), kWidth, id, row.data());
      const std::span<const double> tokens(x.view()[b][n].as<double>(), kWidth);
      reference::add_row(tokens, row, 2.5, {keep, 0.25}, out.data());
      for (std::int64_t m = 0; m < kWidth; ++m) ASSERT_NEAR(sum.at(b, n, m), out[static_cast<std::size_t>(m)], 1e-13);
      reference::concat_row(tokens, row, 2.5, {keep, 0.25}, out.data());
      for (std::int64_t m = 0; m < 2 * kWidth; ++m)
        ASSERT_NEAR(joined.at(b, n, m), out[static_cast<std::size_t>(m)], 1e-13);
    }
  }
}

TEST(Embed, InPlaceIsTheSame) {
  const RowCases cases(kWidth);
  for (const DType dtype : float_types()) {
    for (const auto& row_case : cases.all()) {
      const auto& name = row_case.first;
      const auto& rows = row_case.second;  // clang 14 cannot capture a structured binding
      for (const EmbedOptions& options : kOptions) {
        for (const Join join : {Join::add, Join::concat}) {
          SCOPED_TRACE(name + " " + std::string(to_text(dtype)));
          const std::int64_t x_width = join == Join::add ? kWidth : 6;
          TypedBlock x(dtype, kBatch, kTokens, x_width),
              out(dtype, kBatch, kTokens, out_width(join, x_width, kWidth), {.gap = 4});
          x.set_values(random_numbers(kBatch * kTokens * x_width, 5));
          const std::vector<double> wanted = expected(join, x, batch_ids(), rows, options);
          View head = out.view();
          head.shape[2] = x_width;
          for (std::int64_t b = 0; b < kBatch; ++b)
            for (std::int64_t n = 0; n < kTokens; ++n)
              for (std::int64_t m = 0; m < x_width; ++m) out.set(b, n, m, x.at(b, n, m));
          run(join, head, batch_ids(), rows, out.view(), options);
          ASSERT_EQ(out.values(), wanted);
          ASSERT_TRUE(out.gaps_are_whole());
        }
      }
    }
  }
}

TEST(Embed, LayoutsAndWorkersChangeNoBit) {
  const RowCases cases(kWidth);
  PositionView shared_ids = batch_ids();
  shared_ids.batch_stride = 0;
  const PositionView all_positions[] = {PositionView::range(2, kTokens), PositionView::of(kIds + 3, kTokens),
                                        batch_ids(), shared_ids};
  const BlockLayout layouts[] = {{}, {.gap = 7}, {.tokens_first = true}, {.gap = 1, .backwards = true}};
  const EmbedOptions plain{.scale = 1.1, .dropout = {.p = 0.4, .seed = 9}};
  for (const auto& row_case : cases.all()) {
    const auto& name = row_case.first;
    const auto& rows = row_case.second;  // clang 14 cannot capture a structured binding
    for (const PositionView& positions : all_positions) {
      TypedBlock x(DType::f32, kBatch, kTokens, kWidth);
      x.set_values(random_numbers(kBatch * kTokens * kWidth, 5));
      const std::vector<double> wanted = expected(Join::add, x, positions, rows, plain);
      for (int threads = 1; threads <= 7; ++threads) {
        const Workers workers(threads);
        EmbedOptions options = plain;
        options.workers = &workers;
        for (const BlockLayout& layout : layouts) {
          SCOPED_TRACE(name + ", " + std::to_string(threads) + " workers");
          TypedBlock strided(DType::f32, kBatch, kTokens, kWidth, layout),
              out(DType::f32, kBatch, kTokens, kWidth, {.gap = layout.gap / 2, .tokens_first = layout.tokens_first});
          strided.set_values(x.values());
          add_positions(strided.view(), positions, rows, out.view(), options);
          ASSERT_EQ(out.values(), wanted);
          add_positions(strided.view(), positions, rows, strided.view(), options);
          ASSERT_EQ(strided.values(), wanted);
          ASSERT_TRUE(out.gaps_are_whole());
          ASSERT_TRUE(strided.gaps_are_whole());
        }
      }
    }
  }
}

// More rows than a block holds: rows of 4096 floats, 8 to a block, in a batch that shares them.
TEST(Embed, SharesRowsOverBlocks) {
  const SinusoidalSchedule schedule = make_schedule({.width = 4096});
  const std::int64_t count = 37;
  TypedBlock x(DType::f32, 2, count, 4096), out(DType::f32, 2, count, 4096);
  x.set_values(random_numbers(2 * count * 4096, 5));
  const PositionView positions = PositionView::range(100, count);
  for (int threads : {1, 3}) {
    const Workers workers(threads);
    add_positions(x.view(), positions, StreamedRows{&schedule}, out.view(), {.workers = &workers});
    EXPECT_EQ(out.values(), expected(Join::add, x, positions, StreamedRows{&schedule}, {}));
  }
}

// A batch that is split over calls gets the mask of the whole.
TEST(Embed, SplitsGiveTheMaskOfTheWhole) {
  const RowCases cases(kWidth);
  const InputRows rows = cases.learned({.past_end = PastEnd::clamp});
  TypedBlock x(DType::f32, kBatch, kTokens, kWidth), whole(DType::f32, kBatch, kTokens, kWidth),
      parts(DType::f32, kBatch, kTokens, kWidth);
  x.set_values(random_numbers(kBatch * kTokens * kWidth, 5));
  EmbedOptions options{.dropout = {.p = 0.5, .seed = 1, .step = 2}};
  const PositionView positions = PositionView::range(0, kTokens);
  add_positions(x.view(), positions, rows, whole.view(), options);
  const auto part = [&](const TypedBlock& block, std::int64_t b, std::int64_t batch, std::int64_t n,
                        std::int64_t count) {
    View view = block.view();
    view.data = view[b][n].data;
    view.shape[0] = batch;
    view.shape[1] = count;
    return view;
  };
  for (const auto& [b, batch] : {std::pair{0, 1}, std::pair{1, 2}}) {
    for (const auto& [n, count] : {std::pair{0, 2}, std::pair{2, 3}}) {
      options.dropout.first_row = b;
      options.dropout.first_token = n;
      add_positions(part(x, b, batch, n, count), positions.slice(n, count), rows, part(parts, b, batch, n, count),
                    options);
    }
  }
  EXPECT_EQ(parts.values(), whole.values());
}

TEST(Embed, DropsAboutAsManyAsAsked) {
  TypedBlock x(DType::f32, 4, 64, 64), table(DType::f32, 1, 1, 64);
  x.set_values(std::vector<double>(4 * 64 * 64, 1.0));
  table.set_values(std::vector<double>(64, 0.0));
  const std::vector<std::int64_t> ids(64, 0);
  add_positions(x.view(), PositionView::of(ids.data(), 64), FixedRows{table.flat()}, x.view(),
                {.dropout = {.p = 0.2, .seed = 12}});
  std::int64_t dropped = 0;
  for (const double value : x.values()) {
    dropped += value == 0.0;
    ASSERT_TRUE(value == 0.0 || value == 1.25) << value;
  }
  EXPECT_NEAR(static_cast<double>(dropped) / 16384.0, 0.2, 0.02);
}

// What is dropped is 0 whatever it was.
TEST(Embed, DropsWhatIsNotFiniteToo) {
  std::vector<float> x(64, std::numeric_limits<float>::infinity());
  const std::vector<float> table(64, 1.0f);
  const View view = make_view(x.data(), {1, 64});
  add_positions(view, PositionView::range(0, 1), FixedRows{make_view(table.data(), {1, 64})}, view,
                {.dropout = {.p = 0.5, .seed = 12}});
  for (std::int64_t m = 0; m < 64; ++m) {
    EXPECT_EQ(x[static_cast<std::size_t>(m)], plain::dropped(0.5, 12, 0, 0, 0, m) ? 0.0f : INFINITY);
  }
}

TEST(Embed, TakesEmptyBatches) {
  const RowCases cases(kWidth);
  for (const auto& row_case : cases.all()) {
    const auto& rows = row_case.second;
    add_positions(make_view<float>(nullptr, {0, kWidth}), PositionView::range(0, 0), rows,
                  make_view<float>(nullptr, {0, kWidth}));
    add_positions(make_view<float>(nullptr, {0, 4, kWidth}), PositionView::range(0, 4), rows,
                  make_view<float>(nullptr, {0, 4, kWidth}));
  }
  // x without channels: the rows alone.
  std::vector<float> out(kWidth);
  concat_positions(make_view<float>(nullptr, {1, 0}), PositionView::range(2, 1),
                   cases.learned({.past_end = PastEnd::clamp}), make_view(out.data(), {1, kWidth}));
  for (std::int64_t m = 0; m < kWidth; ++m)
    EXPECT_EQ(static_cast<double>(out[static_cast<std::size_t>(m)]), cases.table().at(0, 2, m));
}

}  // namespace
}  // namespace posenc::embed_test
