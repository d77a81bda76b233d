// A layer learns positions: one transformer layer with a learned encoding is trained to output the position of every
// token, whatever the token is. Forward, backward, and plain gradient descent on all weights.
//
// Build it against an installed posenc:  g++ -std=c++20 layer.cc $(pkg-config --cflags --libs posenc)
#include <posenc/posenc.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr std::int64_t B = 8, N = 6, M = 16, F = 32, kHeads = 4;

// A weight and its gradient.
struct Weight {
  Weight(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed)
      : shape{rows, columns},
        values(static_cast<std::size_t>(rows * columns)),
        gradient(static_cast<std::size_t>(rows * columns)) {
    posenc::fill_random(posenc::make_view(values.data(), {rows, columns}), {.std = std, .seed = seed});
  }
  posenc::ConstView view() const { return posenc::make_view(values.data(), {shape[0], shape[1]}); }
  posenc::View grad() { return posenc::make_view(gradient.data(), {shape[0], shape[1]}); }
  void step(float rate) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] -= rate * gradient[i];
      gradient[i] = 0.0f;
    }
  }
  std::int64_t shape[2];
  std::vector<float> values, gradient;
};

// Half the mean squared distance between channel 0 and the token's position, in fractions of N; and its gradient.
double loss_of(const std::vector<float>& out, std::vector<float>& grad) {
  double loss = 0.0;
  for (std::int64_t token = 0; token < B * N; ++token) {
    const auto wanted = static_cast<float>(token % N) / static_cast<float>(N);
    const float error = out[static_cast<std::size_t>(token * M)] - wanted;
    grad[static_cast<std::size_t>(token * M)] = error / static_cast<float>(B * N);
    loss += 0.5 * static_cast<double>(error) * static_cast<double>(error) / static_cast<double>(B * N);
  }
  return loss;
}

}  // namespace

int main() {
  Weight table(N, M, 0.1, 1), in(3 * M, M, 0.2, 2), back(M, M, 0.2, 3), up(F, M, 0.2, 4), down(M, F, 0.2, 5);
  std::vector<float> x(B * N * M), out(x.size()), grad(x.size(), 0.0f);
  posenc::fill_random(posenc::make_view(x.data(), {B * N, M}), {.std = 1.0, .seed = 6});
  const posenc::ConstView tokens = posenc::make_view(static_cast<const float*>(x.data()), {B, N, M});
  const posenc::View out_view = posenc::make_view(out.data(), {B, N, M});
  const posenc::Workers workers(2);

  const auto train = [&](int steps, float rate) {
    double loss = 0.0;
    for (int step = 0; step < steps; ++step) {
      const posenc::TransformerLayer layer{
          .attention = {.heads = kHeads, .in_proj_weight = in.view(), .out_proj_weight = back.view()},
          .feed_forward = {.linear1_weight = up.view(), .linear2_weight = down.view()},
          .norm = posenc::NormPlace::pre,
          .activation = posenc::Activation::gelu};
      const posenc::LayerOptions options{
          .rows = posenc::LearnedRows{{.past_end = posenc::PastEnd::error}, table.view()},
          .attention = {.attend = {.workers = &workers}},
          .dropout = {.activation = 0.1, .seed = 7, .step = static_cast<std::uint64_t>(step)}};
      posenc::apply_layer(tokens, layer, out_view, options);
      loss = loss_of(out, grad);
      posenc::apply_layer_backward({tokens, posenc::make_view(grad.data(), {B, N, M})}, layer,
                                   {.attention = {.in_proj_weight = in.grad(), .out_proj_weight = back.grad()},
                                    .linear1_weight = up.grad(),
                                    .linear2_weight = down.grad(),
                                    .learned = table.grad()},
                                   options);
      for (Weight* weight : {&table, &in, &back, &up, &down}) weight->step(rate);
    }
    return loss;
  };
  const double before = train(1, 0.0f);
  const double after = train(400, 0.1f);
  std::printf("loss before %.4f, after 400 steps %.4f\n", before, after);
  return after < 0.2 * before ? 0 : 1;
}
