// Into the model: adding, sizes, the four parts of a score, and the limits.
#include <cmath>
#include <vector>

#include "core/text/number_text.h"
#include "insight/properties/mixings.h"
#include "insight/teaching/lesson.h"
#include "posenc/insight/analysis.h"
#include "posenc/schedule.h"
#include "posenc/table.h"

namespace posenc::teaching {
namespace {

// The angle between token and sum at width 128 and position 0, for the sizes that embeddings begin with.
HtmlTable angle_table() {
  constexpr std::int64_t kWidth = 128;
  std::vector<double> row(kWidth);
  fill_table(make_schedule(Sinusoidal{.width = kWidth}), PositionView::range(0, 1), make_view(row.data(), {1, kWidth}));
  const double root = std::sqrt(static_cast<double>(kWidth));
  HtmlTable table{"Width 128: the angle between a token and its sum, over 100,000 tokens",
                  {"Embeddings", "Norm of the token", "Norm of the position", "Mean angle", "Middle 95 %"},
                  {}};
  const struct {
    const char* name;
    double std, scale;
  } sizes[] = {{"standard deviation 0.5", 0.5, 1.0},
               {"standard deviation 1", 1.0, 1.0},
               {"standard deviation 1, times sqrt(M)", 1.0, root},
               {"standard deviation 1/sqrt(M)", 1.0 / root, 1.0},
               {"standard deviation 1/sqrt(M), times sqrt(M)", 1.0 / root, root}};
  std::vector<MixingOptions> options;
  for (const auto& size : sizes) options.push_back({.std = size.std, .scale = size.scale, .tokens = 100000});
  const std::vector<Mixing> mixings = properties::mixings(row, options);
  for (std::size_t k = 0; k < mixings.size(); ++k) {
    const Mixing& mixed = mixings[k];
    table.rows.push_back({sizes[k].name, text::fixed_text(mixed.token_norm, 2),
                          text::fixed_text(mixed.position_norm, 2), text::fixed_text(mixed.angle, 1) + " degrees",
                          text::fixed_text(mixed.angle_low, 1) + " to " + text::fixed_text(mixed.angle_high, 1)});
  }
  return table;
}

}  // namespace

std::string lesson_model(Lesson& lesson) {
  lesson.tell("into the model");
  std::string text = heading(2, "Into the model: adding, and sqrt(d)", "model");
  text += paragraph(
      "The row of its position is added to the embedding of each token. Now both share the same channels. "
      "How much of each is left depends on how long they are: the position's row always has the norm "
      "sqrt(M/2), 8 at width 128.");
  text +=
      lesson.figure({.name = "mixing",
                     .spec = "sinusoidal:width=128",
                     .question = "At position 0 the row is 0, 1, 0, 1, ... Which channels of the sum differ from the "
                                 "token's?",
                     .answer = "Every other one: the sines of 0 add nothing, the cosines add 1. A model must learn to "
                               "read both from the sum."});
  text +=
      lesson.figure({.name = "angle",
                     .spec = "sinusoidal:width=128",
                     .question = "Embeddings that begin with standard deviation 1 and are multiplied by sqrt(M): what "
                                 "is left of the position?",
                     .answer = "Almost nothing: the token's norm is 128 and the position's 8, so the sum stands only "
                               "3.6 degrees from the token. With standard deviation 1/sqrt(M) the same factor brings "
                               "both to comparable size, 35 degrees."});
  text += table(angle_table());
  text +=
      box("A common mistake: why sqrt(d)?",
          paragraph("Texts give opposite reasons for multiplying embeddings by sqrt(d). The numbers above say when it "
                    "makes sense: for embeddings that begin with standard deviation 1/sqrt(d), so that they are not "
                    "drowned by the positions. For embeddings with standard deviation 1 it drowns the positions. "
                    "And a position adds variance 1/2 per channel, not 1."),
          "mistake");
  text +=
      lesson.figure({.name = "same_word",
                     .spec = "sinusoidal:width=128",
                     .question = "The same word at positions 2 and 7: will the two sums be equal, alike or unrelated?",
                     .answer = "Alike, but not equal: the word is the same and the positions differ. That difference "
                               "is all that a model has to tell the two places apart."});
  text +=
      box("A common mistake: positions of padding",
          paragraph("For the ids 101, 2054, 2003, 0, 0 the tokens should get 0, 1, 2 and the pads something harmless. "
                    "The formula `cumsum(mask) * mask - 1` gives -1 for pads, which reads the last row of a table in "
                    "Python. `posenc positions --tokens 101,2054,2003,0,0 --pad-token 0 --pads 0` gives what was "
                    "meant."),
          "mistake");
  text += paragraph(
      "In code: `posenc add sinusoidal:width=512 --input x.npy --scale sqrt --dropout 0.1 -o sum.npy`. A "
      "table of 2048 positions and 768 channels in float32 has 2048 x 768 x 4 = 6,291,456 bytes, 6.29 MB; "
      "rows that are made when they are needed take almost none.");
  return text;
}

std::string lesson_score(Lesson& lesson) {
  lesson.tell("the score's four parts");
  std::string text = heading(2, "What a score is made of", "score");
  text += paragraph(
      "A projection is linear: W(x + p) = Wx + Wp. So the score of two sums has four parts: content with "
      "content, content with position, position with content, position with position.");
  text += lesson.figure({.name = "parts",
                         .spec = "sinusoidal:width=64",
                         .question = "Which of the four parts is the same for every text?",
                         .answer = "The last, position with position: it knows nothing of the words. The first knows "
                                   "nothing of the places. The two between mix what one token is with where the other "
                                   "one stands.",
                         .options = {.tokens = lesson.words()}});
  text += paragraph("For [A, B] against [B, A] with numbers: `posenc demo order`.");
  text += lesson.figure({.name = "attention",
                         .spec = "sinusoidal:width=64",
                         .question = "Two equal words had equal rows in the first map. And now?",
                         .answer = "Their rows differ: each has its own position in it. The picture on the right shows "
                                   "where attention moved.",
                         .options = {.tokens = lesson.words()}});
  return text;
}

std::string lesson_limits(Lesson& lesson) {
  lesson.tell("limits");
  std::string text = heading(2, "Limits: length and precision", "limits");
  text += paragraph(
      "A table can also be *learned*: one row per position, trained with everything else. It fits what the "
      "data ask for, and it has no row past its last one. Before training it is noise:");
  text +=
      lesson.figure({.name = "learned",
                     .spec = "learned:rows=256,width=64,past_end=error",
                     .question = "Will a learned table that was never trained show the bands of the sinusoidal one?",
                     .answer = "No: its rows are unrelated, and only the diagonal is 1. Bands appear only if training "
                               "puts them there. Show a real one with --file model.safetensors:wpe.weight."});
  text += paragraph(
      "The sinusoidal formula has rows for every position, but a model that never saw them need not "
      "understand them. This was measured:");
  text += lesson.figure({.name = "perplexity",
                         .spec = "",
                         .question = "Trained on 512 tokens, tested on 3512: which of the four stays good?",
                         .answer =
                             "ALiBi, 18.40. T5's bias rises slowly (22.91), rotary more (35.54), and sinusoidal fails "
                             "(178.97), though its formula is defined everywhere."});
  text += box("A common mistake: \"excellent extrapolation\"",
              paragraph("That a formula can be evaluated does not mean that a model can use it. Sinusoidal and rotary "
                        "encodings are defined at every position, and both get worse past the training length unless "
                        "something is done about it."),
              "mistake");
  text += paragraph(
      "The other limit is arithmetic. An angle is position times frequency; in float32 it loses a digit with "
      "every tenfold position.");
  text +=
      lesson.figure({.name = "precision",
                     .spec = "sinusoidal:width=64",
                     .question = "Which type of number loses first, and how far does float32 carry?",
                     .answer = "bfloat16 cannot hold the positions themselves beyond 256: 257 collides with 256. "
                               "float16 holds them to 2048, float32 to 16,777,216, but its angles are off by "
                               "hundredths near a million. posenc keeps angles as fractions of a turn in 64 bits, and "
                               "stays within 3e-8."});
  return text;
}

}  // namespace posenc::teaching
