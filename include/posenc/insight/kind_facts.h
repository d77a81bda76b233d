// What there is to say about a kind of encoding.
//
//     posenc::KindFacts facts = posenc::kind_facts(posenc::Alibi{.heads = 8});
//     for (const posenc::Property& property : posenc::check({posenc::Alibi{.heads = 8}}, {})) ...   // insight/check.h
//     posenc::Figure figure = posenc::make_figure("heatmap", gpt2, {});                             // insight/figure.h
//
// What is looked at is an Encoding (posenc/models/encoding.h). Learned numbers that it goes without are drawn: normal,
// mean 0 and standard deviation 0.02 for tables and 1 / sqrt(D) for what meets queries, as a model begins; whatever is
// said of them says so.
#pragma once

#include <string>

#include "posenc/export.h"
#include "posenc/models/encoding.h"
#include "posenc/spec.h"

namespace posenc {

// What people ask first about a kind, in words: the same sentences in `posenc check`, in figures and in reports.
struct KindFacts {
  std::string formula = {};         // plain text: "PE(p, 2i) = sin(p / 10000^(2i/M)), ..."
  std::string formula_mathml = {};  // the same as a <math> element
  std::string users = {};           // who uses it: "the original Transformer (2017), ..."
  std::string represents = {};      // "absolute places", "distances", ...
  std::string prefers = {};         // what attention favours before anything is learned
  std::string past_length = {};     // what it does at positions past those that were trained
  std::string order_of_terms = {};  // the layout or convention that people get wrong, in a sentence; may be empty
};
// The numbers of the spec (base, width, heads, ...) stand in the formula.
POSENC_API KindFacts kind_facts(const Spec& spec);

}  // namespace posenc
