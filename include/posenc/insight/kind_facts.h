// Facts about a kind of encoding, in words.
//
//     posenc::KindFacts facts = posenc::kind_facts(posenc::Alibi{.heads = 8});
//     for (const posenc::Property& property : posenc::check({posenc::Alibi{.heads = 8}}, {})) ...   // insight/check.h
//     posenc::Figure figure = posenc::make_figure("heatmap", gpt2, {});                             // insight/figure.h
//
// Checks and figures take an Encoding (posenc/models/encoding.h). Missing learned numbers are drawn as at the start of
// training: normal, mean 0, standard deviation 0.02 for tables and 1 / sqrt(D) for vectors that are multiplied with
// queries. The results say so.
#pragma once

#include <string>

#include "posenc/export.h"
#include "posenc/models/encoding.h"
#include "posenc/spec.h"

namespace posenc {

// The first questions about a kind, answered: checks, figures and reports use the same sentences.
struct KindFacts {
  std::string formula = {};         // plain text: "PE(p, 2i) = sin(p / 10000^(2i/M)), ..."
  std::string formula_mathml = {};  // the same as a <math> element
  std::string users = {};           // models that use it: "the original Transformer (2017), ..."
  std::string represents = {};      // "absolute positions", "distances", ...
  std::string prefers = {};         // what attention favours before anything is learned
  std::string past_length = {};     // what happens past the trained length
  std::string order_of_terms = {};  // the convention that is easy to get wrong; may be empty
};
// The formula contains the numbers of the spec (base, width, heads, ...).
POSENC_API KindFacts kind_facts(const Spec& spec);

}  // namespace posenc
