// The parts of a layer that are functions of their own: its norm, and its scores in four parts.
#include "posenc/layer_norm.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "posenc/reference.h"
#include "posenc/score_parts.h"
#include "support/expect_error.h"
#include "support/finite_difference.h"
#include "support/numbers.h"

namespace posenc::layer_norm_test {
namespace {

using Numbers = std::vector<double>;

Numbers random_numbers(std::int64_t count, unsigned seed) { return ::random_numbers(count, seed, 1.0); }

TEST(Norm, IsThePlainDefinitionInPlaceAndInFloat) {
  const Numbers x = random_numbers(150 * 7, 1), weight = random_numbers(7, 2), bias = random_numbers(7, 3);
  Numbers wanted(x.size());
  for (std::size_t i = 0; i < 150; ++i) {
    reference::layer_norm({x.data() + i * 7, 7}, {weight, bias, 1e-5}, wanted.data() + i * 7);
  }
  const LayerNorm norm{make_view(weight.data(), {7}), make_view(bias.data(), {7})};
  const Workers workers(2);
  Numbers out = x;
  layer_norm(make_view(out.data(), {3, 50, 7}), norm, make_view(out.data(), {3, 50, 7}), &workers);
  expect_near(out, wanted, 1e-14);
  std::vector<float> narrow(x.begin(), x.end());
  layer_norm(make_view(narrow.data(), {150, 7}), norm, make_view(narrow.data(), {150, 7}));
  expect_near(Numbers(narrow.begin(), narrow.end()), wanted, 3e-7);
  // Rows of equal numbers have no variance: eps keeps them finite; without parameters the rest is 0.
  Numbers flat(7, 3.0);
  layer_norm(make_view(flat.data(), {1, 7}), {}, make_view(flat.data(), {1, 7}));
  EXPECT_EQ(flat, Numbers(7, 0.0));
}

TEST(Norm, GradientsAreDerivatives) {
  Numbers x = random_numbers(70 * 3, 1), weight = random_numbers(3, 2), bias = random_numbers(3, 3);
  const Numbers grad = random_numbers(70 * 3, 4);
  const LayerNorm norm{make_view(static_cast<const double*>(weight.data()), {3}),
                       make_view(static_cast<const double*>(bias.data()), {3}), 0.1};
  Numbers grad_x = grad, grad_weight(3, 0.0), grad_bias(3, 0.0);
  const View in_place = make_view(grad_x.data(), {70, 3});
  const Workers workers(2);
  layer_norm_backward({make_view(x.data(), {70, 3}), in_place}, norm,
                      {in_place, make_view(grad_weight.data(), {3}), make_view(grad_bias.data(), {3})}, &workers);
  const auto loss = [&] {
    Numbers out(x.size());
    layer_norm(make_view(x.data(), {70, 3}), norm, make_view(out.data(), {70, 3}));
    return std::inner_product(out.begin(), out.end(), grad.begin(), 0.0);
  };
  expect_gradient("x", x, grad_x, loss);
  expect_gradient("weight", weight, grad_weight, loss);
  expect_gradient("bias", bias, grad_bias, loss);
}

TEST(ScoreParts, SumToTheScoreOfTheSum) {
  constexpr std::int64_t n = 5, width = 6, heads = 4, key_heads = 2, dim = 3;
  const Numbers x = random_numbers(n * width, 1), p = random_numbers(n * width, 2);
  const Numbers query = random_numbers(heads * dim * width, 3), key = random_numbers(key_heads * dim * width, 4);
  Numbers out(4 * heads * n * n);
  score_parts(make_view(x.data(), {n, width}), make_view(p.data(), {n, width}),
              {heads, key_heads, make_view(query.data(), {heads * dim, width}),
               make_view(key.data(), {key_heads * dim, width}), 0.5},
              make_view(out.data(), {4, heads, n, n}));
  const auto score = [&](const double* a, const double* b, std::int64_t h) {
    double sum = 0.0;
    for (std::int64_t d = 0; d < dim; ++d) {
      double q = 0.0, k = 0.0;
      for (std::int64_t m = 0; m < width; ++m) {
        q += query[static_cast<std::size_t>((h * dim + d) * width + m)] * a[m];
        k += key[static_cast<std::size_t>((h / 2 * dim + d) * width + m)] * b[m];
      }
      sum += 0.5 * q * k;
    }
    return sum;
  };
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const double* const first[] = {x.data() + i * width, p.data() + i * width};
        const double* const second[] = {x.data() + j * width, p.data() + j * width};
        for (std::int64_t part = 0; part < 4; ++part) {
          ASSERT_NEAR(out[static_cast<std::size_t>(((part * heads + h) * n + i) * n + j)],
                      score(first[part / 2], second[part % 2], h), 1e-14);
        }
      }
    }
  }
  const ScoreProjections bad{heads, 3, make_view(query.data(), {heads * dim, width}),
                             make_view(key.data(), {key_heads * dim, width})};
  expect_error(ErrorKind::usage, "[score_parts] key_heads must divide heads, 4, but got 3", [&] {
    score_parts(make_view(x.data(), {n, width}), make_view(p.data(), {n, width}), bad,
                make_view(out.data(), {4, heads, n, n}));
  });
}

TEST(Norm, RefusesWhatDoesNotFit) {
  Numbers out(60, 4.0);
  const Numbers x = random_numbers(60, 1);
  const LayerNorm norm{};
  expect_error(ErrorKind::usage, "[layer_norm] out must be the same memory as x or not overlap it", [&] {
    layer_norm(make_view(out.data(), {4, 6}), norm, make_view(out.data() + 6, {4, 6}));
  });
  expect_error(ErrorKind::usage, "[layer_norm_backward] grad_out must be [4, 6] like x but is [6, 4]", [&] {
    layer_norm_backward({make_view(x.data(), {4, 6}), make_view(x.data(), {6, 4})}, norm, {});
  });
  EXPECT_EQ(out, Numbers(60, 4.0));
}

}  // namespace
}  // namespace posenc::layer_norm_test
