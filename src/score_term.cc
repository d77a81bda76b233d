#include "posenc/score_term.h"

#include <algorithm>
#include <string>

#include "detail/term_values.h"
#include "posenc/error.h"

namespace posenc {

ScoreTerm::ScoreTerm(const Spec& spec, const Parameters& parameters)
    : values_(std::make_shared<const detail::TermValues>(spec, parameters)) {}

const Spec& ScoreTerm::spec() const noexcept { return values_->spec(); }
std::int64_t ScoreTerm::heads() const noexcept { return values_->heads(); }
std::int64_t ScoreTerm::head_dim() const noexcept { return values_->head_dim(); }
std::int64_t ScoreTerm::value_width() const noexcept { return values_->value_width(); }

std::int64_t shaw_row(const Shaw& spec, std::int64_t query, std::int64_t key) {
  const std::int64_t offset = spec.offset == Offset::key_minus_query ? key - query : query - key;
  if (offset >= -spec.left && offset <= spec.right) return offset + spec.left;
  if (spec.past == PastTable::zero) return -1;
  if (spec.past == PastTable::clip) return offset < 0 ? 0 : spec.left + spec.right;
  fail(ErrorKind::usage, "[shaw_row] offset must lie within " + std::to_string(-spec.left) + " to " +
                             std::to_string(spec.right) + " (past=error) but got " + std::to_string(offset));
}

}  // namespace posenc
