#include "posenc/score_term.h"

#include <algorithm>
#include <string>

#include "core/attention/term_values.h"
#include "core/base/memory_overlap.h"
#include "posenc/error.h"
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
    fail(ErrorKind::usage, "[shaw_row] positions must lie within +-(2^31 - 1) but one is " + std::to_string(position));
  }
  const std::int64_t offset = spec.offset == Offset::key_minus_query ? key - query : query - key;
  if (offset >= -spec.left && offset <= spec.right) return offset + spec.left;
  if (spec.past == PastTable::zero) return -1;
  if (spec.past == PastTable::clip) return offset < 0 ? 0 : spec.left + spec.right;
  fail(ErrorKind::usage, "[shaw_row] offset must lie within " + std::to_string(-spec.left) + " to " +
                             std::to_string(spec.right) + " (past=error) but got " + std::to_string(offset));
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
  const auto refuse = [](const std::string& message) { fail(ErrorKind::usage, "[relative_shift] " + message); };
  const int rank = by_distance.rank;
  bool fits = rank >= 2 && out.rank == rank && out.dtype == by_distance.dtype &&
              (out.dtype == DType::f32 || out.dtype == DType::f64);
  for (int axis = 0; fits && axis + 1 < rank; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    fits = out.shape[a] == by_distance.shape[a];
  }
  if (!fits) {
    refuse("by_distance and out must be f32 or f64, [.., N, R] and [.., N, S], but are " + shape_text(by_distance) +
           " " + std::string(to_text(by_distance.dtype)) + " and " + shape_text(out) + " " +
           std::string(to_text(out.dtype)));
  }
  const auto last = static_cast<std::size_t>(rank - 1);
  if (by_distance.shape[last] > 1 && by_distance.strides[last] != 1) refuse("by_distance must have contiguous rows");
  if (by_distance.size() > 0 && by_distance.data == nullptr) refuse("by_distance must not be null");
  if (first_distance < -kMaxPosition || first_distance > kMaxPosition) {
    refuse("first_distance must lie within +-(2^31 - 1) but got " + std::to_string(first_distance));
  }
  check_output(out, "relative_shift");
  if (base::share_memory(by_distance, out)) refuse("out must be apart from by_distance but shares memory");
  if (out.dtype == DType::f64) {
    shift<double>(by_distance, first_distance, out);
  } else {
    shift<float>(by_distance, first_distance, out);
  }
}

}  // namespace posenc
