// What adding and concatenating positions refuse, always before anything is written.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "posenc/embed.h"
#include "support/expect_error.h"
#include "support/row_cases.h"

namespace posenc::embed_errors_test {
namespace {

constexpr std::int64_t kWidth = 4;

class EmbedErrors : public ::testing::Test {
 protected:
  EmbedErrors() {
    x_.set_values(random_numbers(24, 1));
    out_.set_values(random_numbers(24, 2));
    joined_.set_values(random_numbers(48, 3));
  }

  struct Call {
    ConstView x;
    PositionView positions = PositionView::range(0, 3);
    InputRows rows;
    View out;
    EmbedOptions options = {};
  };
  Call good() const {
    return {.x = x_.view(), .rows = cases_.learned({.past_end = PastEnd::clamp}), .out = out_.view()};
  }

  void refused(const Call& call, const std::string& part, ErrorKind kind = ErrorKind::usage) {
    refused_by(call, "add_positions", part, kind);
    Call concat = call;
    if (same(call.out, out_.view())) concat.out = joined_.view();
    refused_by(concat, "concat_positions", part, kind);
  }
  void refused_by(const Call& call, const std::string& name, const std::string& part,
                  ErrorKind kind = ErrorKind::usage) {
    SCOPED_TRACE(name);
    const auto before = bytes();
    expect_error(kind, "[" + name + "] " + part, [&] {
      name == "add_positions" ? add_positions(call.x, call.positions, call.rows, call.out, call.options)
                              : concat_positions(call.x, call.positions, call.rows, call.out, call.options);
    });
    EXPECT_EQ(bytes(), before) << "something was written";
  }
  static bool same(const View& a, const View& b) { return a.data == b.data && a.shape == b.shape; }

  std::vector<std::vector<std::byte>> bytes() const {
    return {x_.bytes(), out_.bytes(), joined_.bytes(), cases_.table().bytes(), cases_.fixed_table().bytes()};
  }

  RowCases cases_{kWidth};
  TypedBlock x_{DType::f32, 2, 3, kWidth};
  TypedBlock out_{DType::f32, 2, 3, kWidth};
  TypedBlock joined_{DType::f32, 2, 3, 2 * kWidth};
};

TEST_F(EmbedErrors, Positions) {
  Call call = good();
  call.rows = cases_.learned({.past_end = PastEnd::error, .first = 2});
  const std::int64_t pad[] = {1, 0, -1};
  call.positions = PositionView::of(pad, 3);
  refused(call, "position -1 of token [2] must not be negative", ErrorKind::bad_input);
  call.positions = PositionView::range(3, 3);
  refused(call, "position 5 of token [2] is past the end of the table, which has 5 positions", ErrorKind::bad_input);
  call.positions.axes = 2;
  refused(call, "");
  call = good();
  call.positions = PositionView::range(0, 4);
  refused_by(call, "add_positions", "out must be [4, 4] or [B, 4, 4] but is [2, 3, 4]");
  const std::int64_t ids[9] = {};
  call.positions = PositionView::of(ids, 3);
  call.positions.batch = 3;
  call.positions.batch_stride = 3;
  refused_by(call, "add_positions", "out must be [3, 3, 4] but is [2, 3, 4]");
}

TEST_F(EmbedErrors, Inputs) {
  Call call = good();
  call.x = x_.view()[0][0];
  refused(call, "x must be [N, M] or [B, N, M] but is [4]");
  call = good();
  call.x.dtype = DType::i32;
  refused(call, "x must be f32, f64, f16 or bf16 but is i32");
  call = good();
  call.x.data = nullptr;
  refused(call, "x must not be null but has shape [2, 3, 4]");
  call = good();
  call.x.strides[2] = 2;
  refused(call, "x must have contiguous channels but the stride of its last axis is 2");
  call = good();
  call.x.shape[1] = -1;
  refused(call, "x must not have a negative length but has shape [2, -1, 4]");
  call = good();
  call.x.shape[1] = 2;
  refused(call, "x must be [2, 3, 4] like out but is [2, 2, 4]");
  call = good();
  call.x = x_.view()[0];
  refused(call, "x must be [2, 3, 4] like out but is [3, 4]");
  call = good();
  call.x.shape[2] = 3;
  refused_by(call, "add_positions", "x must have the width of the rows, 4, but is [2, 3, 3]");
  call.out = joined_.view();
  refused_by(call, "concat_positions", "out must be [3, 7] or [B, 3, 7] but is [2, 3, 8]");
  call = good();
  call.x = make_view(x_.view().as<double>(), {1, 3, 4});
  call.out = out_.view();
  call.out.shape[0] = 1;
  refused_by(call, "add_positions", "x must be f32 like out but is f64");
}

TEST_F(EmbedErrors, Outputs) {
  Call call = good();
  call.out.dtype = DType::u8;
  refused_by(call, "add_positions", "out must be f32, f64, f16 or bf16 but is u8");
  call = good();
  call.out.data = nullptr;
  refused_by(call, "add_positions", "out must not be null");
  call = good();
  call.out.strides[0] = 0;
  refused_by(call, "add_positions", "out");
}

TEST_F(EmbedErrors, Options) {
  Call call = good();
  for (const double scale : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    call.options.scale = scale;
    refused(call, "scale must be finite but got ");
  }
  call.options.scale = -1e300;
  refused(call, "scale must be finite in float32 for f32 data but got -1e+300");
  call.options.scale = 1.0;
  for (const double p : {-0.1, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    call.options.dropout = {.p = p};
    refused(call, "dropout p must be at least 0 and below 1 but got ");
  }
  call.options.dropout = {.p = 0.5, .step = std::uint64_t{1} << 32};
  refused(call, "dropout step must be below 2^32 but got 4294967296");
  call.options.dropout = {.p = 0.5, .first_row = -1};
  refused(call, "dropout first_row must be 0 to 4294967294 but got -1");
  call.options.dropout = {.p = 0.5, .first_row = 4294967295};
  refused(call, "dropout first_row must be 0 to 4294967294 but got 4294967295");
  call.options.dropout = {.p = 0.5, .first_token = 4294967294};
  refused(call, "dropout first_token must be 0 to 4294967293 but got 4294967294");
  call.options.dropout = {.p = 0.5, .first_row = 4294967294, .first_token = 4294967293};
  add_positions(call.x, call.positions, call.rows, call.out, call.options);
}

TEST_F(EmbedErrors, Memory) {
  std::vector<float> memory(80, 1.0f);
  Call call = good();
  call.x = make_view(memory.data(), {3, kWidth});
  call.out = make_view(memory.data() + 1, {3, kWidth});
  refused_by(call, "add_positions", "out must be the same memory as x or not overlap it");
  call.out = make_view(memory.data(), {3, 2 * kWidth});
  refused_by(call, "concat_positions", "out must be the same memory as x or not overlap it");
  call.x = make_view(memory.data() + 40, {3, kWidth});
  call.out = make_view(memory.data(), {3, kWidth});
  const LearnedRows learned{{.past_end = PastEnd::clamp}, make_view(memory.data() + 8, {5, kWidth})};
  call.rows = learned;
  refused_by(call, "add_positions", "out must not overlap the learned table");
  call.rows = FixedRows{learned.table};
  refused_by(call, "add_positions", "out must not overlap the table");
  call.rows = HybridRows{FixedRows{learned.table}, cases_.learned({.past_end = PastEnd::clamp})};
  refused_by(call, "add_positions", "out must not overlap the table");
  call.rows = HybridRows{StreamedRows{&cases_.schedule()}, learned};
  refused_by(call, "add_positions", "out must not overlap the learned table");
  std::vector<double> numbers(40, 1.0);
  call = good();
  call.x = make_view(numbers.data(), {3, kWidth});
  call.out = make_view(numbers.data(), {3, kWidth});
  call.positions = PositionView::of(numbers.data() + 4, 3);
  refused_by(call, "add_positions", "out must not overlap the positions");
  EXPECT_EQ(memory, std::vector<float>(80, 1.0f));
  EXPECT_EQ(numbers, std::vector<double>(40, 1.0));
}

// One x for every batch row, with stride 0: read only, so it may.
TEST_F(EmbedErrors, ButXMayBeBroadcast) {
  Call call = good();
  call.x.strides[0] = 0;
  add_positions(call.x, call.positions, call.rows, call.out);
  for (std::int64_t n = 0; n < 3; ++n)
    for (std::int64_t m = 0; m < kWidth; ++m) EXPECT_EQ(out_.at(1, n, m), out_.at(0, n, m));
}

class GradientErrors : public EmbedErrors {
 protected:
  void refused_backward(const EmbedGradients& gradients, const std::string& part, const std::string& name = "add") {
    refused_backward(good(), gradients, part, name);
  }
  void refused_backward(const Call& call, const EmbedGradients& gradients, const std::string& part,
                        const std::string& name = "add", ErrorKind kind = ErrorKind::usage) {
    SCOPED_TRACE(name);
    const auto before = bytes();
    const std::vector<double> old = numbers_;
    expect_error(kind, "[" + name + "_positions_backward] " + part, [&] {
      name == "add" ? add_positions_backward(call.x, call.positions, call.rows, gradients, call.options)
                    : concat_positions_backward(call.x, call.positions, call.rows, gradients, call.options);
    });
    EXPECT_EQ(bytes(), before) << "something was written";
    EXPECT_EQ(numbers_, old) << "something was written";
  }
  View table(double* data) const { return make_view(data, {RowCases::kRows, kWidth}); }

  std::vector<double> numbers_ = std::vector<double>(80, 3.0);
};

TEST_F(GradientErrors, GradOut) {
  const EmbedGradients gradients{.input = out_.view(), .learned = table(numbers_.data())};
  Call call = good();
  call.x.shape[2] = 3;
  refused_backward(call, gradients, "grad_out must have the width of the rows, 4, but is [2, 3, 3]");
  refused_backward(call, gradients, "grad_out must have at least the width of the rows, 4, but is [2, 3, 3]", "concat");
  call = good();
  call.x.data = nullptr;
  refused_backward(call, gradients, "grad_out must not be null");
  call = good();
  call.positions = PositionView::range(0, 2);
  refused_backward(call, gradients, "grad_out must have a row per position, [1, 2], but is [2, 3, 4]");
  const std::int64_t ids[9] = {};
  call.positions = PositionView::of(ids, 3);
  call.positions.batch = 3;
  refused_backward(call, gradients, "grad_out must have a row per position, [3, 3], but is [2, 3, 4]");
  call = good();
  call.positions = PositionView::range(-1, 3);
  refused_backward(call, gradients, "position -1 of token [0] must not be negative", "add", ErrorKind::bad_input);
  call = good();
  call.options.dropout.p = 1.0;
  refused_backward(call, gradients, "dropout p must be");
  call = good();
  call.options.scale = NAN;
  refused_backward(call, gradients, "scale must be finite");
}

TEST_F(GradientErrors, Shapes) {
  View wrong = out_.view();
  wrong.shape[1] = 2;
  refused_backward({.input = wrong}, "the gradient of the input must be [2, 3, 4] like grad_out but is [2, 2, 4]");
  refused_backward({.input = make_view(numbers_.data(), {2, 3, 4})},
                   "the gradient of the input must be f32 like grad_out but is f64");
  refused_backward({.input = out_.view()}, "the gradient of the input must be [2, 3, 0] like grad_out but", "concat");
  refused_backward({.learned = make_view(numbers_.data(), {6, 4})},
                   "the gradient of the learned table must be [7, 4] but is [6, 4]");
  refused_backward({.learned = make_view(numbers_.data(), {7, 3})}, "the gradient of the learned table must be [7, 4]");
  refused_backward({.learned = make_view(static_cast<void*>(numbers_.data()), DType::f16, {7, 4})},
                   "the gradient of the learned table must be f32 or f64 but is f16");
  Call call = good();
  call.rows = StreamedRows{&cases_.schedule()};
  refused_backward(call, {.learned = table(numbers_.data())}, "a gradient of the learned table needs learned rows");
  refused_backward(call, {.inv_freq = {numbers_.data(), 3}},
                   "the gradient of inv_freq must have one number per pair, 2, but has 3");
  call.rows = HybridRows{FixedRows{cases_.fixed_table().flat()}, cases_.learned({.past_end = PastEnd::clamp})};
  refused_backward(call, {.inv_freq = {numbers_.data(), 2}}, "a gradient of inv_freq needs streamed rows");
  refused_backward({.inv_freq = {numbers_.data(), 2}}, "a gradient of inv_freq needs streamed rows");
}

TEST_F(GradientErrors, Memory) {
  Call call = good();
  View shifted = x_.view();
  shifted.shape[0] = call.x.shape[0] = 1;
  shifted.data = shifted.as<float>() + 1;
  refused_backward(call, {.input = shifted},
                   "the gradient of the input must be the same memory as grad_out or not overlap it");
  // The table's memory, as a view of its shape.
  const View gradient{const_cast<void*>(ConstView(cases_.table().flat()).data), DType::f32, 2, {7, 4}, {7, 1}};
  refused_backward({.learned = gradient}, "the gradient of the learned table must not overlap the learned table");
  TypedBlock own(DType::f32, 1, RowCases::kRows, kWidth);
  call = good();
  call.x = make_view(own.view().as<float>(), {2, 3, 4});
  refused_backward(call, {.learned = own.flat()}, "the gradient of the learned table must not overlap grad_out");
  call = good();
  refused_backward(call, {.input = make_view(own.view().as<float>(), {2, 3, 4}), .learned = own.flat()},
                   "the gradient of the learned table must not overlap the gradient of the input");
  call.positions = PositionView::of(numbers_.data() + 5, 3);
  refused_backward(call, {.learned = table(numbers_.data())},
                   "the gradient of the learned table must not overlap the positions");
  refused_backward(call, {.input = make_view(static_cast<void*>(numbers_.data()), DType::f32, {2, 3, 4})},
                   "the gradient of the input must not overlap the positions");
  call.rows = HybridRows{StreamedRows{&cases_.schedule()}, cases_.learned({.past_end = PastEnd::clamp})};
  refused_backward(call, {.inv_freq = {numbers_.data() + 6, 2}},
                   "the gradient of inv_freq must not overlap the positions");
  call.positions = PositionView::range(0, 3);
  refused_backward(call, {.learned = table(numbers_.data()), .inv_freq = {numbers_.data(), 2}},
                   "the gradient of inv_freq must not overlap the gradient of the learned table");
  refused_backward(call, {.inv_freq = {const_cast<double*>(cases_.schedule().inv_freq.data()), 2}},
                   "the gradient of inv_freq must not overlap the frequencies");
}

}  // namespace
}  // namespace posenc::embed_errors_test
