// What is looked at: an encoding with its learned numbers, and how commands name it.
//
//     posenc::Subject subject{.spec = posenc::Alibi{.heads = 8}};
//     posenc::Subject gpt2{.spec = learned, .table = wpe, .data_text = "--file wpe.npy"};
//     for (const posenc::Property& property : posenc::check(gpt2, {})) ...         // posenc/insight/check.h
//     posenc::Figure figure = posenc::make_figure("heatmap", gpt2, {});            // posenc/insight/figure.h
//
// Learned numbers that are left out are drawn: normal, mean 0 and standard deviation 0.02 for tables and 1 / sqrt(D)
// for what meets queries, as a model begins; whatever is said of them says so.
#pragma once

#include <string>
#include <vector>

#include "posenc/export.h"
#include "posenc/models/encoding.h"
#include "posenc/parameters.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

// Views: what they point to must outlive it.
struct Subject {
  Spec spec;
  std::string spec_text = {};          // as in commands; empty: to_text(spec)
  std::string data_text = {};          // the options that give the learned numbers in commands: "--file wpe.npy"
  ConstView table = {};                // of learned and hybrid, [R, M]
  std::vector<ConstView> tables = {};  // of concat: one per learned part, in their order
  Parameters parameters = {};          // of what acts inside attention, by the names of posenc/parameters.h
};

// What people ask first about a kind, in words: the same sentences in `posenc check`, in figures and in reports.
struct KindFacts {
  std::string formula;         // plain text: "PE(p, 2i) = sin(p / 10000^(2i/M)), ..."
  std::string formula_mathml;  // the same as a <math> element
  std::string users;           // who uses it: "the original Transformer (2017), ..."
  std::string represents;      // "absolute places", "distances", ...
  std::string prefers;         // what attention favours before anything is learned
  std::string past_length;     // what it does at positions past those that were trained
  std::string order_of_terms;  // the layout or convention that people get wrong, in a sentence; may be empty
};
// The numbers of the spec (base, width, heads, ...) stand in the formula.
POSENC_API KindFacts kind_facts(const Spec& spec);

}  // namespace posenc
