// The field lists of the kinds that act inside attention, and what no field of theirs can tell alone.
#pragma once

#include <string_view>
#include <vector>

#include "core/spec/fields.h"
#include "posenc/attention_spec.h"

namespace posenc::spec {

std::vector<Field> fields_of(NoPosition& spec);
std::vector<Field> fields_of(Clipped& spec);
std::vector<Field> fields_of(T5& spec);
std::vector<Field> fields_of(Alibi& spec);
std::vector<Field> fields_of(Kerple& spec);
std::vector<Field> fields_of(Fire& spec);
std::vector<Field> fields_of(Sandwich& spec);
std::vector<Field> fields_of(MatrixBias& spec);
std::vector<Field> fields_of(Shaw& spec);
std::vector<Field> fields_of(TransformerXl& spec);
std::vector<Field> fields_of(Window& spec);
std::vector<Field> fields_of(Chunked& spec);

void check_together(const T5& spec, std::string_view where);
void check_together(const Alibi& spec, std::string_view where);
void check_together(const Kerple& spec, std::string_view where);
void check_together(const Sandwich& spec, std::string_view where);
void check_together(const TransformerXl& spec, std::string_view where);
// The fields of the others are independent.
template <class Spec>
void check_together(const Spec&, std::string_view) {}

}  // namespace posenc::spec
