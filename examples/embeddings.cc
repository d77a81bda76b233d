// The input of a model, forward and backward: a padded batch is embedded, sinusoidal positions and a learned table are
// added, and dropout is applied to the sum. Then the gradient is computed and the learned table takes one step.
//
// Build it against an installed posenc:  g++ -std=c++20 embeddings.cc $(pkg-config --cflags --libs posenc)
#include <posenc/posenc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr std::int64_t B = 2, N = 5, M = 16;
constexpr std::int64_t kVocabulary = 30, kPad = 0, kRows = 8;

// Half the squared distance to a target of ones over the real tokens, and its gradient; pads have none.
double loss_of(const std::vector<float>& out, const std::vector<std::int64_t>& tokens, std::vector<float>& grad) {
  double loss = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool real = tokens[i / static_cast<std::size_t>(M)] != kPad;
    grad[i] = real ? out[i] - 1.0f : 0.0f;
    loss += 0.5 * static_cast<double>(grad[i]) * static_cast<double>(grad[i]);
  }
  return loss;
}

}  // namespace

int main() {
  // Two sentences, the second shorter: padded on the right with token 0.
  const std::vector<std::int64_t> tokens = {12, 7, 25, 3, 9, 14, 21, 5, kPad, kPad};
  std::vector<float> vocabulary(kVocabulary * M);
  posenc::fill_random(posenc::make_view(vocabulary.data(), {kVocabulary, M}), {.std = 0.25, .seed = 1});

  // Position ids 0 1 2 3 4 / 0 1 2 0 0: the id of pads is chosen explicitly.
  std::vector<std::int64_t> ids(B * N);
  posenc::positions_from_tokens(posenc::make_view(tokens.data(), {B, N}), kPad, {.pads = posenc::Pads::id(0)},
                                posenc::make_view(ids.data(), {B, N}));
  const posenc::PositionView positions = posenc::position_view(posenc::make_view(ids.data(), {B, N}));

  // The encoding: sinusoidal rows, streamed without a table, plus a learned table, which training changes.
  const posenc::SinusoidalSchedule schedule = posenc::make_schedule(posenc::Sinusoidal{.width = M});
  std::vector<float> learned(kRows * M), gradient(kRows * M, 0.0f);
  const posenc::View table = posenc::make_view(learned.data(), {kRows, M});
  posenc::fill_random(table, {.distribution = posenc::Distribution::normal, .std = 0.02, .seed = 2});
  const posenc::HybridRows rows{posenc::StreamedRows{&schedule}, {{.past_end = posenc::PastEnd::error}, table}};

  // One training step: seed and step identify the dropout mask, so that the backward pass computes the same mask.
  const posenc::Workers workers(2);
  const posenc::EmbedOptions options{
      .scale = std::sqrt(static_cast<double>(M)), .dropout = {.p = 0.1, .seed = 3, .step = 0}, .workers = &workers};
  std::vector<float> x(B * N * M), grad(B * N * M);
  const posenc::View embeddings = posenc::make_view(x.data(), {B, N, M});
  const auto forward = [&] {
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      std::copy_n(vocabulary.data() + tokens[t] * M, M, x.data() + static_cast<std::int64_t>(t) * M);
    }
    posenc::add_positions(embeddings, positions, rows, embeddings, options);  // in place
    return loss_of(x, tokens, grad);
  };
  const double before = forward();
  const posenc::View grad_out = posenc::make_view(grad.data(), {B, N, M});
  posenc::add_positions_backward(grad_out, positions, rows,
                                 {.input = grad_out, .learned = posenc::make_view(gradient.data(), {kRows, M})},
                                 options);
  for (std::size_t i = 0; i < learned.size(); ++i) learned[i] -= 0.1f * gradient[i];
  const double after = forward();

  // Row 0 was read by both sentences (pads give it no gradient), rows 5 to 7 by neither.
  const bool untouched = std::all_of(gradient.begin() + 5 * M, gradient.end(), [](float g) { return g == 0.0f; });
  std::printf("loss %.4f, after one step %.4f\n", before, after);
  std::printf("rows that no token read got no gradient: %s\n", untouched ? "yes" : "no");
  return after < before && untouched ? 0 : 1;
}
