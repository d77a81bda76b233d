// Tables that compare encodings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "insight/teaching/advise.h"
#include "insight/teaching/html.h"
#include "posenc/insight/kind_facts.h"

namespace posenc::teaching {

// For each: where it enters, learned numbers, size, behaviour past the training length, and users.
HtmlTable glance_table(const std::vector<Encoding>& subjects, std::int64_t train_length);
// A row per property, a column per encoding.
HtmlTable verdict_table(const std::vector<Encoding>& subjects, const std::vector<std::vector<Property>>& properties);
// For each: what it represents, where it enters, its preference before training, and long texts.
HtmlTable absolute_table(const std::vector<Encoding>& subjects);
// Compares a learned table with the sinusoidal one of the same size.
HtmlTable learned_table(std::int64_t rows, std::int64_t width);
HtmlTable advice_table(const teaching::Advice& advice, const AdviceOptions& options);
// A list of the facts that the advice is based on, and of those that it does not know.
std::string advice_basis();

// "6.29 MB"
std::string bytes_in_words(double bytes);

}  // namespace posenc::teaching
