// The questions that several kinds share.
#include <cmath>

#include "insight/explanation/explain_pairs.h"
#include "insight/explanation/sinusoidal_symbols.h"
#include "insight/teaching/exercise_kinds.h"
#include "posenc/reference.h"

namespace posenc::teaching {

void add_permutation_question(Sheet& sheet) {
  Draw draw = sheet.draw("permutation");
  const std::string tokens = text_of(draw.between(3, 9));
  sheet.add_choice(
      {.level = Level::easy,
       .text = "Self-attention without positions and without a mask reads " + tokens +
               " tokens. The tokens are put into another order. What happens to the " + tokens + " outputs?",
       .hint = "A score compares two tokens. Does it know where they stand?",
       .choices = {"They are the same vectors, in the new order: attention is permutation equivariant.",
                   "They stay as they are, in the old order: attention is permutation invariant.",
                   "They become other vectors: attention sees the order through its softmax.",
                   "They become other vectors unless all tokens are equal."},
       .solution =
           {"The output of a token is a sum over all tokens, weighted by scores of its own content with theirs.",
            "A sum does not see the order of its terms, so a token gets the same output wherever it stands.",
            "The outputs move with their tokens: equivariant. A common mistake says invariant: only what is",
            "pooled over all outputs, their mean say, is that."}},
      draw);
}

void add_long_context_question(Sheet& sheet) {
  if (!sheet.options().long_context) return;
  sheet.add(
      {.level = Level::hard,
       .kind = AnswerKind::reasoned,
       .text = "A model is trained on texts of 2k tokens and must then read texts of 16k tokens. Which positional "
               "encoding do you choose, and why? Say what goes wrong with the others.",
       .hint = "Ask of each encoding: what does it give at position 10000, and has the model ever seen that?",
       .solution =
           {"A learned table has no rows past its end: position 2048 cannot be read, or its row was never trained.",
            "Sinusoidal rows are defined at every position, but those past 2k are untrained: the model never saw them.",
            "Relative encodings and rotary ones are favoured: a score depends on the distance, and the distances below "
            "2k",
            "were all trained, wherever the pair stands. A bias such as ALiBi also makes what is far away count less.",
            "Published (Press et al. 2022, trained on 512 tokens, perplexity at 3512): sinusoidal 178.97, rotary "
            "35.54,",
            "T5 bias 22.91, ALiBi 18.40. So rotary alone degrades too: it needs its frequencies scaled (position",
            "interpolation, YaRN) or some training at the new length, and low perplexity is no proof of use of far "
            "text."},
       .points = {
           {"a learned table has no rows past its end",
            {"no row", "no rows", "past its end", "past the end", "end of the table", "out of range", "table ends"}},
           {"sinusoidal is defined everywhere but untrained there",
            {"untrained", "not trained", "never trained", "never saw", "unseen", "not seen"}},
           {"relative encodings and rotary are favoured, for scores depend on distance",
            {"relative", "distance", "rotary", "rope", "alibi"}},
           {"numbers: perplexities published for longer texts", {"perplexity", "178.97", "35.54", "22.91", "18.40"}},
           {"rotary needs scaling or further training",
            {"yarn", "interpolation", "scaled", "scaling", "fine-tun", "finetun", "training at the new"}}}});
}

void add_distance_zero_question(Sheet& sheet) {
  sheet.add(
      {.level = Level::hard,
       .kind = AnswerKind::reasoned,
       .text = "A bias on the scores is largest at distance 0 and falls with the distance. What does it do to "
               "attention? Name a place where it helps and one where it hurts.",
       .hint = "Let all content scores be equal. Who gets the most weight? And when the answer stands far away?",
       .solution = {"With equal scores every token gives most weight to itself and its neighbours: attention is local.",
                    "It helps where neighbours matter: local syntax, phrases, speech, images; and in texts longer",
                    "than those of training, for far keys are damped as before.",
                    "It hurts where what is needed stands far away: long-range agreement, a fact at the start of a",
                    "document, copying. There the content score must make up for the bias."},
       .points = {
           {"attention becomes local: near tokens get more weight",
            {"local", "near", "neighbour", "neighbor", "itself", "close"}},
           {"it helps where neighbours matter", {"syntax", "phrase", "speech", "image", "longer", "extrapol"}},
           {"it hurts where the answer is far away", {"far", "long-range", "long range", "distant", "copy", "retriev"}},
           {"the content score must make up for it", {"make up", "content", "overcome", "outweigh", "larger score"}}}});
}

void add_softmax_question(Sheet& sheet, const std::string& origin, const std::vector<double>& scores,
                          const std::vector<double>& biases) {
  std::vector<double> sums, exponentials;
  double total = 0.0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    sums.push_back(scores[k] + biases[k]);
    exponentials.push_back(std::exp(sums.back()));
    total += exponentials.back();
  }
  const std::vector<double> weights = explanation::softmax(sums);
  sheet.add({.level = Level::medium,
             .text = "The scaled scores of a query with " + text_of(static_cast<std::int64_t>(scores.size())) +
                     " keys are " + plain_list(scores) + ". " + origin + " Their biases are " + list_text(biases, 5) +
                     ". Which weights does the softmax give, to three decimals?",
             .hint = "Add, take the exponential of each sum, divide by the total.",
             .values = weights,
             .decimals = 3,
             .solution = {"sums: " + list_text(sums, 5), "exponentials: " + list_text(exponentials, 5),
                          "total: " + decimals_text(total, 5), "weights: " + list_text(weights, 3),
                          "without the biases: " + list_text(explanation::softmax(scores), 3)}});
}

Sinusoidal plain_sinusoidal(std::int64_t width, double base) {
  return {.width = width, .base = base >= 2.0 && base <= 1e9 ? base : 10000.0};
}

void add_row_question(Sheet& sheet, Level level, const Sinusoidal& spec) {
  const double p = sheet.draw("row " + text_of(spec.width)).real(1, 9);
  std::vector<double> row(static_cast<std::size_t>(spec.width));
  reference::sinusoidal_row(spec, p, row.data());
  const explanation::SinusoidalSymbols symbols(spec);
  std::vector<std::string> solution = {"the denominators are " + text::number_text(spec.base) + "^(2i/" +
                                       text_of(spec.width) + "), i = 0 .. " + text_of(spec.width / 2 - 1) +
                                       ": i stops at d/2 - 1, not at d/2"};
  for (std::int64_t i = 0; i < spec.width / 2; ++i) {
    const std::string angle = symbols.angle(text::number_text(p), i);
    const auto at = static_cast<std::size_t>(2 * i);
    const std::string equals = i == 0 ? "" : angle + " = ";
    solution.push_back("i = " + text_of(i) + ": angle " + equals +
                       text::general_text(p * reference::sinusoidal_inv_freq(spec, i), 7) + ", sine " +
                       decimals_text(row[at], 5) + ", cosine " + decimals_text(row[at + 1], 5));
  }
  sheet.add({.level = level,
             .text = "Compute PE(" + text::number_text(p) + ") of the sinusoidal encoding of width " +
                     text_of(spec.width) + " and base " + text::number_text(spec.base) + ": all " +
                     text_of(spec.width) +
                     " numbers, sine and cosine in turn, to five decimals. Positions count from 0.",
             .hint = "Angles are in radians. Each pair divides the position by another denominator.",
             .values = row,
             .decimals = 5,
             .solution = solution});
}

}  // namespace posenc::teaching
