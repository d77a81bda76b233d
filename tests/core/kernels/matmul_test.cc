#include "core/kernels/matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/kernels/dot_rows.h"
#include "core/kernels/softmax_row.h"
#include "core/kernels/transpose_block.h"
#include "posenc/half.h"
#include "support/every_target.h"

namespace posenc::kernels::matmul_test {
namespace {

using Index = std::int64_t;
template <class Real>
constexpr Real kCanary = Real{-12345};

template <class Real>
std::vector<Real> random_numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Real> numbers(static_cast<std::size_t>(count));
  for (Real& number : numbers) number = static_cast<Real>(uniform(random));
  return numbers;
}

template <class Real>
class Matmul : public testing::Test {
 protected:
  struct Shape {
    Index rows, columns, depth;
    bool turned = false;  // a by its columns
    Into into = Into::overwrite;
  };

  // Against sums in long double; memory around c must not change, and memory after b, which holds NaN, must not be
  // read.
  void check(const Shape& s) {
    const Index a_row = s.turned ? 1 : s.depth + 3, a_column = s.turned ? s.rows + 2 : 1;
    const Index b_stride = s.columns + 5, c_stride = s.columns + 4;
    const std::vector<Real> a = random_numbers<Real>(s.rows * a_row + s.depth * a_column + 1, 1);
    std::vector<Real> b = random_numbers<Real>(s.depth * b_stride + 1, 2);
    for (Index k = 0; k < s.depth; ++k) std::fill_n(&b[at(k * b_stride + s.columns)], 5, std::nanf(""));
    std::vector<Real> before = random_numbers<Real>((s.rows + 2) * c_stride, 3), c = before;
    Real* const out = c.data() + c_stride;
    multiply_add(MatrixProduct<Real>{s.rows, s.columns, s.depth, a.data(), a_row, a_column, b.data(), b_stride, out,
                                     c_stride, s.into});
    for (Index i = -1; i <= s.rows; ++i) {
      for (Index j = 0; j < c_stride; ++j) {
        const Real old = before[at((i + 1) * c_stride + j)], got = c[at((i + 1) * c_stride + j)];
        if (i < 0 || i == s.rows || j >= s.columns) {
          ASSERT_EQ(got, old) << i << " " << j;
          continue;
        }
        long double sum = s.into == Into::add ? old : Real{0}, size = std::abs(sum);
        for (Index k = 0; k < s.depth; ++k) {
          const long double term = static_cast<long double>(a[at(i * a_row + k * a_column)]) * b[at(k * b_stride + j)];
          sum += term;
          size += std::abs(term);
        }
        const long double unit = std::numeric_limits<Real>::epsilon();
        ASSERT_NEAR(static_cast<double>(got), static_cast<double>(sum),
                    static_cast<double>(unit * std::sqrt(s.depth + 1.0L) * size))
            << s.rows << "x" << s.columns << "x" << s.depth << " at " << i << " " << j;
      }
    }
  }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Matmul, Reals);

TYPED_TEST(Matmul, IsThePlainSumForEverySmallSize) {
  on_every_target([&] {
    for (Index rows = 0; rows <= 14; ++rows) {
      for (const Index columns : {0, 1, 3, 7, 8, 15, 16, 17, 33, 64, 67}) {
        for (const Index depth : {0, 1, 2, 5}) {
          const bool odd = (rows + columns + depth) % 2 != 0;
          this->check({rows, columns, depth, odd, columns % 3 == 0 ? Into::add : Into::overwrite});
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  });
}

// Deeper than any panel, wider than several.
TYPED_TEST(Matmul, IsThePlainSumForLargeSizes) {
  on_every_target([&] {
    for (const Into into : {Into::overwrite, Into::add}) {
      this->check({5, 130, 700, false, into});
      this->check({37, 131, 601, true, into});
      this->check({64, 256, 64, false, into});
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

// A number of c depends on its row and its column only: not on where a block begins, nor on how many there are.
TYPED_TEST(Matmul, DotsOfRowsArePlainSums) {
  on_every_target([&] {
    for (const Index width : {1, 2, 3, 5, 8, 16, 31, 64, 67, 128}) {
      const Index stride = width + 3, count = 5;
      const std::vector<TypeParam> x = random_numbers<TypeParam>(width, 7);
      std::vector<TypeParam> rows = random_numbers<TypeParam>(count * stride, 8);
      for (Index r = 0; r < count; ++r) {
        std::fill_n(&rows[static_cast<std::size_t>(r * stride + width)], 3, std::nanf(""));
      }
      std::vector<TypeParam> out(static_cast<std::size_t>(count + 2), kCanary<TypeParam>);
      dot_rows(x.data(), rows.data(), stride, count, width, out.data() + 1);
      EXPECT_EQ(out.front(), kCanary<TypeParam>);
      EXPECT_EQ(out.back(), kCanary<TypeParam>);
      for (Index r = 0; r < count; ++r) {
        long double sum = 0.0L;
        for (Index c = 0; c < width; ++c) {
          sum += static_cast<long double>(x[static_cast<std::size_t>(c)]) *
                 static_cast<long double>(rows[static_cast<std::size_t>(r * stride + c)]);
        }
        const double error =
            std::abs(static_cast<double>(out[static_cast<std::size_t>(r + 1)]) - static_cast<double>(sum));
        ASSERT_LE(error, static_cast<double>(width) * std::numeric_limits<TypeParam>::epsilon()) << width << " " << r;
      }
    }
  });
}

TYPED_TEST(Matmul, GivesARowTheSameBitsInAnyBlock) {
  constexpr Index kRows = 20, kColumns = 70, kDepth = 530;
  const auto a = random_numbers<TypeParam>(kRows * kDepth, 4), b = random_numbers<TypeParam>(kDepth * kColumns, 5);
  on_every_target([&] {
    std::vector<TypeParam> whole(kRows * kColumns), part(kRows * kColumns);
    MatrixProduct<TypeParam> p{kRows, kColumns, kDepth,   a.data(),     kDepth,
                               1,     b.data(), kColumns, whole.data(), kColumns};
    multiply_add(p);
    for (Index row = 0; row < kRows; ++row) {
      for (Index first = 0; first < kColumns; first += 23) {
        MatrixProduct<TypeParam> one = p;
        one.rows = 1;
        one.columns = std::min<Index>(23, kColumns - first);
        one.a += row * kDepth;
        one.b += first;
        one.c = part.data() + row * kColumns + first;
        multiply_add(one);
      }
    }
    EXPECT_EQ(whole, part);
  });
}

template <class From, class To>
void check_transposed(const std::vector<From>& numbers, To (*widen)(From)) {
  on_every_target([&] {
    for (Index rows = 0; rows <= 9; ++rows) {
      for (Index columns = 0; columns <= 9; ++columns) {
        const Index from_stride = columns + 2, to_stride = rows + 3;
        std::vector<To> out(static_cast<std::size_t>(columns * to_stride + 3), kCanary<To>);
        transpose_block(TransposedBlock<From, To>{rows, columns, numbers.data(), from_stride, out.data(), to_stride});
        for (Index c = 0; c < columns; ++c) {
          for (Index r = 0; r < to_stride; ++r) {
            const To expected = r < rows ? widen(numbers[static_cast<std::size_t>(r * from_stride + c)]) : kCanary<To>;
            ASSERT_EQ(out[static_cast<std::size_t>(c * to_stride + r)], expected) << rows << " " << columns;
          }
        }
      }
    }
  });
}

TEST(TransposeBlock, WritesColumnsAsRows) {
  const auto reals = random_numbers<double>(200, 6);
  check_transposed<double, double>(reals, [](double x) { return x; });
  check_transposed<float, float>(random_numbers<float>(200, 7), [](float x) { return x; });
  std::vector<f16> halves;
  std::vector<bf16> brains;
  for (const double x : reals) halves.push_back(to_f16(x)), brains.push_back(to_bf16(x));
  check_transposed<f16, float>(halves, [](f16 x) { return static_cast<float>(to_double(x)); });
  check_transposed<bf16, float>(brains, [](bf16 x) { return static_cast<float>(to_double(x)); });
}

template <class Real>
double ulps(Real got, long double exact) {
  const auto near = std::abs(static_cast<Real>(exact));
  const Real unit = std::max(std::nextafter(near, std::numeric_limits<Real>::infinity()) - near,
                             std::numeric_limits<Real>::denorm_min());
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / unit);
}

template <class Real>
class SoftmaxRow : public testing::Test {};
TYPED_TEST_SUITE(SoftmaxRow, Reals);

TYPED_TEST(SoftmaxRow, ExpIsExactToTwoUlp) {
  const double lowest = sizeof(TypeParam) == 4 ? -104.5 : -750.0;
  std::vector<TypeParam> x;
  for (int i = 0; i <= 200000; ++i) x.push_back(static_cast<TypeParam>(lowest * i / 200000.0));
  for (int i = 0; i <= 20000; ++i) x.push_back(static_cast<TypeParam>(i / 500.0));
  for (const double tiny : {1e-3, 1e-8, 1e-20}) x.push_back(static_cast<TypeParam>(-tiny));
  on_every_target([&] {
    std::vector<TypeParam> got = x;
    exp_row(got.data(), static_cast<Index>(got.size()), TypeParam{0});
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      worst = std::max(worst, ulps(got[i], std::exp(static_cast<long double>(x[i]))));
    }
    EXPECT_LE(worst, 2.0);
  });
}

TYPED_TEST(SoftmaxRow, SumsAndTouchesNothingBehindTheLast) {
  on_every_target([&] {
    for (Index count = 0; count <= 40; ++count) {
      std::vector<TypeParam> row = random_numbers<TypeParam>(41, 8);
      row[static_cast<std::size_t>(count)] = TypeParam{5};
      const std::vector<TypeParam> x = row;
      const TypeParam most = max_of(row.data(), count);
      const auto end = x.begin() + count;
      EXPECT_EQ(most, count == 0 ? -std::numeric_limits<TypeParam>::infinity() : *std::max_element(x.begin(), end));
      const TypeParam top = count == 0 ? TypeParam{0} : most;
      const TypeParam sum = exp_row(row.data(), count, top);
      long double expected = 0.0;
      for (auto i = x.begin(); i != end; ++i) expected += std::exp(static_cast<long double>(*i) - top);
      EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(expected),
                  static_cast<double>(20 * std::numeric_limits<TypeParam>::epsilon() * expected));
      EXPECT_EQ(row[static_cast<std::size_t>(count)], TypeParam{5});
    }
  });
}

TYPED_TEST(SoftmaxRow, KeepsNanAndGivesWhatIsHiddenNothing) {
  const TypeParam inf = std::numeric_limits<TypeParam>::infinity(), nan = std::nanf("");
  on_every_target([&] {
    for (std::size_t place = 0; place < 19; ++place) {
      std::vector<TypeParam> row(19, -inf);
      EXPECT_EQ(max_of(row.data(), 19), -inf);
      EXPECT_EQ(exp_row(row.data(), 19, TypeParam{3}), TypeParam{0});
      EXPECT_EQ(row, std::vector<TypeParam>(19, TypeParam{0}));
      row[place] = nan;
      EXPECT_TRUE(std::isnan(exp_row(row.data(), 19, TypeParam{3})));
      for (std::size_t i = 0; i < 19; ++i) EXPECT_EQ(std::isnan(row[i]), i == place);
      row.assign(19, -inf);
      row[place] = TypeParam{2};
      EXPECT_EQ(max_of(row.data(), 19), TypeParam{2});
      EXPECT_EQ(exp_row(row.data(), 19, TypeParam{2}), TypeParam{1});
    }
  });
}

TYPED_TEST(SoftmaxRow, CapsScoresByTanh) {
  constexpr TypeParam kCap = 5;
  const TypeParam inf = std::numeric_limits<TypeParam>::infinity();
  std::vector<TypeParam> x = {inf, -inf, 1e30f, -1e30f, 0, -0.0f, 1e-6f, -1e-20f};
  for (int i = -20000; i <= 20000; ++i) x.push_back(static_cast<TypeParam>(i) / 100);
  const auto count = static_cast<Index>(x.size());
  on_every_target([&] {
    std::vector<TypeParam> capped = x;
    capped.push_back(kCanary<TypeParam>);
    tanh_row(capped.data(), count, kCap);
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      worst = std::max(worst, ulps(capped[i], kCap * std::tanh(static_cast<long double>(x[i]) / kCap)));
    }
    EXPECT_LE(worst, 4.0);
    EXPECT_EQ(capped.back(), kCanary<TypeParam>);
    std::vector<TypeParam> grad(x.size() + 1, TypeParam{2});
    tanh_backward_row(grad.data(), capped.data(), count, kCap);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double t = std::tanh(static_cast<long double>(x[i]) / kCap);
      ASSERT_NEAR(static_cast<double>(grad[i]), static_cast<double>(2 * (1 - t * t)),
                  static_cast<double>(20 * std::numeric_limits<TypeParam>::epsilon()))
          << i;
    }
    EXPECT_EQ(grad.back(), TypeParam{2});
    std::vector<TypeParam> nan(11, std::nanf(""));
    tanh_row(nan.data(), 11, kCap);
    for (const TypeParam value : nan) EXPECT_TRUE(std::isnan(value));
  });
}

}  // namespace
}  // namespace posenc::kernels::matmul_test
