#include "posenc/score_term.h"

#include <algorithm>
#include <string>

#include "core/attention/term_values.h"
#include "core/base/check_view.h"
#include "core/base/float_types.h"
#include "posenc/position.h"

namespace posenc {

ScoreTerm::ScoreTerm(const Spec& spec, const Parameters& parameters)
    : values_(std::make_shared<const attention::TermValues>(spec, parameters)) {}

const Spec& ScoreTerm::spec() const noexcept { return values_->spec(); }
std::int64_t ScoreTerm::heads() const noexcept { return values_->heads(); }
std::int64_t ScoreTerm::head_dim() const noexcept { return values_->head_dim(); }
std::int64_t ScoreTerm::value_width() const noexcept { return values_->value_width(); }

std::int64_t shaw_row(const Shaw& spec, std::int64_t query, std::int64_t key) {
  validate(spec);
  for (const std::int64_t position : {query, key}) {
    if (position >= -kMaxPosition && position <= kMaxPosition) continue;
    base::refuse("shaw_row", "positions must be from -2147483647 to 2147483647 but one is ", position);
  }
  const std::int64_t offset = spec.offset == Offset::key_minus_query ? key - query : query - key;
  if (offset >= -spec.left && offset <= spec.right) return offset + spec.left;
  if (spec.past == PastTable::zero) return -1;
  if (spec.past == PastTable::clip) return offset < 0 ? 0 : spec.left + spec.right;
  base::refuse("shaw_row", "offset must be ", -spec.left, " to ", spec.right, " (past=error) but got ", offset);
}

namespace {

template <class Real>
void shift(const ConstView& from, std::int64_t first_distance, const View& to) {
  if (to.rank > 2) {
    for (std::int64_t i = 0; i < to.shape[0]; ++i) shift<Real>(from[i], first_distance, to[i]);
    return;
  }
  const std::int64_t offset = to.shape[1] - to.shape[0];
  for (std::int64_t n = 0; n < to.shape[0]; ++n) {
    for (std::int64_t s = 0; s < to.shape[1]; ++s) {
      const std::int64_t column = first_distance - (n + offset - s);
      const bool exists = column >= 0 && column < from.shape[1];
      to[n].as<Real>()[s] = exists ? from[n].as<Real>()[column] : Real(0);
    }
  }
}

}  // namespace

void relative_shift(const ConstView& by_distance, std::int64_t first_distance, const View& out) {
  constexpr std::string_view kWhere = "relative_shift";
  base::check_view(by_distance, {.dtypes = base::kReals}, kWhere, "by_distance");
  if (by_distance.rank < 2) base::refuse(kWhere, "by_distance must be [.., N, R] but is ", shape_text(by_distance));
  base::require(first_distance >= -kMaxPosition && first_distance <= kMaxPosition, kWhere,
                "first_distance must be from -2147483647 to 2147483647 but got ", first_distance);
  base::check_view(out,
                   {.dtypes = by_distance.dtype,
                    .shape = base::shape_of(by_distance).with_last("S"),
                    .use = base::Use::write,
                    .reason = "the rows of by_distance"},
                   kWhere, "out");
  base::check_apart({"out", out}, {"by_distance", by_distance}, kWhere);
  base::with_real_type(out.dtype, [&](auto real) { shift<decltype(real)>(by_distance, first_distance, out); });
}

}  // namespace posenc
