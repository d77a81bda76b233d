// Packed documents: ids from bounds and segments, and documents recovered from ids.
#include <algorithm>

#include "core/base/id_view.h"
#include "posenc/error.h"
#include "posenc/position_ids.h"

namespace posenc {
namespace {

using base::id_at;
using base::set_id;

// The longest document determines the largest id.
void check_documents(std::int64_t first, std::int64_t longest, std::string_view where) {
  base::check_id(first, where, "first");
  const std::int64_t room = kMaxPosition - first;
  if (longest - 1 <= room) return;
  base::refuse_input(where, "ids must be from -2147483647 to 2147483647 but a document of ", longest, " tokens from ",
                     first, " exceeds this range");
}

// Checks the bounds and that they divide all tokens of `out`. Returns the length of the longest document.
std::int64_t check_bounds(const ConstView& bounds, const View& out, std::string_view name, std::string_view where) {
  const base::Refusal refuse{where, ErrorKind::bad_input, "bounds must "};
  base::check_view(bounds, base::ids_to_read({"K"}), where, "bounds");
  base::check_view(out, base::ids_to_write({"N"}), where, name);
  base::check_apart({name, out}, {"bounds", bounds}, where);
  const std::int64_t count = bounds.shape[0];
  if (count == 0 || id_at(bounds, 0) != 0) {
    refuse("start at 0 but ", (count == 0 ? "is empty" : "starts at " + std::to_string(id_at(bounds, 0))));
  }
  std::int64_t longest = 0;
  for (std::int64_t i = 1; i < count; ++i) {
    const std::int64_t before = id_at(bounds, i - 1), bound = id_at(bounds, i);
    refuse.unless(bound >= before, "not decrease but bound ", i, " is ", bound, " after ", before);
    longest = std::max(longest, bound - before);  // both are at least 0: no overflow
  }
  const std::int64_t end = id_at(bounds, count - 1);
  if (end != out.shape[0]) {
    refuse("end at ", out.shape[0], ", the number of tokens, but ends at ", end);
  }
  return longest;
}

// Calls use(document, index in the document, token) for every token.
template <class Use>
void for_each_token(const ConstView& bounds, const Use& use) {
  for (std::int64_t i = 0; i + 1 < bounds.shape[0]; ++i) {
    const std::int64_t begin = id_at(bounds, i), end = id_at(bounds, i + 1);
    for (std::int64_t n = begin; n < end; ++n) use(i, n - begin, n);
  }
}

// Calls use(b, n, place) for every token; `place` restarts at 0 in every segment.
template <class Use>
void for_each_place(const ConstView& segments, const Use& use) {
  for (std::int64_t b = 0; b < segments.shape[0]; ++b) {
    std::int64_t place = 0;
    for (std::int64_t n = 0; n < segments.shape[1]; ++n, ++place) {
      if (n > 0 && id_at(segments, b, n) != id_at(segments, b, n - 1)) place = 0;
      use(b, n, place);
    }
  }
}

void check_packed(const ConstView& ids, PackedBy rule, const base::ViewRule& view_rule, std::string_view where) {
  base::require(rule == PackedBy::step || rule == PackedBy::minimum, where,
                "rule must be step or minimum but is number ", static_cast<int>(rule));
  base::check_view(ids, view_rule, where, "ids");
  const ConstView rows = base::with_axes(ids, 2);
  for (std::int64_t b = 0; b < rows.shape[0]; ++b) {
    for (std::int64_t n = 0; n < rows.shape[1]; ++n) base::check_id(id_at(rows, b, n), where, "ids");
  }
}

// Calls use(n, starts) for every token of row b; `starts` is true if a document starts at token n.
template <class Use>
void for_each_start(const ConstView& rows, std::int64_t b, PackedBy rule, const Use& use) {
  std::int64_t smallest = kMaxPosition;
  for (std::int64_t n = 0; n < rows.shape[1]; ++n) smallest = std::min(smallest, id_at(rows, b, n));
  for (std::int64_t n = 0; n < rows.shape[1]; ++n) {
    const std::int64_t id = id_at(rows, b, n);
    const bool starts = rule == PackedBy::minimum ? id == smallest : n > 0 && id != id_at(rows, b, n - 1) + 1;
    use(n, n == 0 || starts);
  }
}

}  // namespace

void positions_from_bounds(const ConstView& bounds, std::int64_t first, const View& ids) {
  constexpr std::string_view kWhere = "positions_from_bounds";
  check_documents(first, check_bounds(bounds, ids, "ids", kWhere), kWhere);
  for_each_token(bounds, [&](std::int64_t, std::int64_t place, std::int64_t n) { set_id(ids, n, first + place); });
}

void positions_from_segments(const ConstView& segments, std::int64_t first, const View& ids) {
  constexpr std::string_view kWhere = "positions_from_segments";
  base::check_view(segments, base::rows_to_read(), kWhere, "segments");
  base::check_view(ids, base::ids_to_write(base::shape_of(segments), "the shape of segments"), kWhere, "ids");
  base::check_apart({"ids", ids}, {"segments", segments}, kWhere);
  const ConstView rows = base::with_axes(segments, 2);
  const View out = base::with_axes(ids, 2);
  std::int64_t longest = 0;
  for_each_place(rows, [&](auto, auto, std::int64_t place) { longest = std::max(longest, place + 1); });
  check_documents(first, longest, kWhere);
  for_each_place(rows, [&](std::int64_t b, std::int64_t n, std::int64_t place) { set_id(out, b, n, first + place); });
}

std::vector<std::int64_t> bounds_of(std::span<const std::int64_t> lengths) {
  std::vector<std::int64_t> bounds = {0};
  bounds.reserve(lengths.size() + 1);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) {
      base::refuse_input("bounds_of", "lengths must not be negative but length ", i, " is ", lengths[i]);
    }
    if (lengths[i] > kMaxPosition - bounds.back()) {
      base::refuse_input("bounds_of", "the sum of all lengths must be at most 2147483647 but length ", i, " is ",
                         lengths[i], " after a sum of ", bounds.back());
    }
    bounds.push_back(bounds.back() + lengths[i]);
  }
  return bounds;
}

std::vector<std::int64_t> bounds_from_positions(const ConstView& ids, PackedBy rule) {
  check_packed(ids, rule, base::ids_to_read({"N"}), "bounds_from_positions");
  std::vector<std::int64_t> bounds;
  for_each_start(base::with_axes(ids, 2), 0, rule, [&](std::int64_t n, bool starts) {
    if (starts) bounds.push_back(n);
  });
  bounds.push_back(ids.shape[0]);
  return bounds;
}

void segments_from_positions(const ConstView& ids, PackedBy rule, const View& segments) {
  constexpr std::string_view kWhere = "segments_from_positions";
  check_packed(ids, rule, base::ids_to_read({"B", "N"}, base::Batch::optional), kWhere);
  base::check_view(segments, base::ids_to_write(base::shape_of(ids), "the shape of ids"), kWhere, "segments");
  base::check_apart({"segments", segments}, {"ids", ids}, kWhere);
  const ConstView rows = base::with_axes(ids, 2);
  const View out = base::with_axes(segments, 2);
  for (std::int64_t b = 0; b < rows.shape[0]; ++b) {
    std::int64_t document = -1;
    for_each_start(rows, b, rule, [&](std::int64_t n, bool starts) {
      document += starts ? 1 : 0;
      set_id(out, b, n, document);
    });
  }
}

void segments_from_bounds(const ConstView& bounds, const View& segments) {
  check_bounds(bounds, segments, "segments", "segments_from_bounds");
  for_each_token(bounds, [&](std::int64_t document, auto, std::int64_t n) { set_id(segments, n, document); });
}

}  // namespace posenc
