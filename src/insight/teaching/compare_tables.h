// Tables that put encodings side by side, from their specs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "insight/teaching/advise.h"
#include "insight/teaching/html.h"
#include "posenc/insight/kind_facts.h"

namespace posenc::teaching {

// Where each enters, what it learns, what it costs, what it does past the training length, who uses it.
HtmlTable glance_table(const std::vector<Encoding>& subjects, std::int64_t train_length);
// A row per property, a column per encoding.
HtmlTable verdict_table(const std::vector<Encoding>& subjects, const std::vector<std::vector<Property>>& properties);
// What each represents, where it enters, what it prefers from the start, and long texts.
HtmlTable absolute_table(const std::vector<Encoding>& subjects);
// A learned table of so many rows against the sinusoidal one of the same width.
HtmlTable learned_table(std::int64_t rows, std::int64_t width);
HtmlTable advice_table(const teaching::Advice& advice, const AdviceOptions& options);
// What advice rests on, and what it does not know: a list.
std::string advice_basis();

// "6.29 MB"
std::string bytes_in_words(double bytes);

}  // namespace posenc::teaching
