#include "core/base/check_view.h"

#include <span>

#include "core/base/memory_overlap.h"
#include "core/text/joined.h"

namespace posenc::base {
namespace {

using Axis = std::size_t;

// A fault of a view, and its message.
struct Fault {
  const ConstView& view;
  const ViewRule& rule;
  std::string_view where;
  std::string_view name;

  [[noreturn, gnu::cold]] void say(const std::string& message) const { refuse(where, name, " must ", message); }
  [[noreturn, gnu::cold]] void shape() const {
    if (rule.shape.rank == 0) say("have 1 to 4 axes but has " + std::to_string(view.rank));
    std::string wanted = "be ";
    if (rule.batch == Batch::optional) wanted += text_of(1) + " or ";
    wanted += text_of(0) + like();
    if (!rule.reason.empty()) wanted += ", " + std::string(rule.reason) + ",";
    say(wanted + " but is " + shape_text(view));
  }
  [[noreturn, gnu::cold]] void dtype() const {
    constexpr DType kInOrder[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::u8, DType::i32, DType::i64};
    std::string wanted;
    std::string last;
    for (const DType dtype : kInOrder) {
      if (!rule.dtypes.has(dtype)) continue;
      if (!last.empty()) wanted += (wanted.empty() ? "" : ", ") + last;
      last = to_text(dtype);
    }
    say("be " + wanted + (wanted.empty() ? "" : " or ") + last + like() + " but is " +
        std::string(to_text(view.dtype)));
  }
  [[noreturn, gnu::cold]] void negative() const { say("not have a negative length but has shape " + shape_text(view)); }
  [[noreturn, gnu::cold]] void null() const { say("not be null but has shape " + shape_text(view)); }
  [[noreturn, gnu::cold]] void too_far() const {
    say("fit in the address space but its strides reach past the end of it");
  }
  [[noreturn, gnu::cold]] void channels() const {
    say("have contiguous channels but the stride of its last axis is " +
        std::to_string(view.strides[static_cast<Axis>(view.rank) - 1]));
  }
  [[noreturn, gnu::cold]] void overlap() const {
    say("not overlap itself but two indices of " + shape_text(view) + " share an address: check its strides");
  }

  std::string like() const { return rule.like.empty() ? "" : " like " + std::string(rule.like); }
  // The required shape from axis `first` on.
  std::string text_of(int first) const {
    const auto lengths =
        std::span(rule.shape.lengths).first(static_cast<Axis>(rule.shape.rank)).subspan(static_cast<Axis>(first));
    return "[" +
           text::joined(lengths, ", ",
                        [](const Length& length) {
                          return length.letter ? std::string(length.letter) : std::to_string(length.count);
                        }) +
           "]";
  }
};

bool has_rank(const ConstView& view, const ViewRule& rule) {
  if (rule.shape.rank == 0) return view.rank >= 1 && view.rank <= kMaxRank;
  return view.rank == rule.shape.rank || (rule.batch == Batch::optional && view.rank == rule.shape.rank - 1);
}

}  // namespace

Shape shape_of(const ConstView& view) {
  Shape shape;
  shape.rank = view.rank;
  for (Axis axis = 0; axis < static_cast<Axis>(view.rank); ++axis) shape.lengths[axis] = view.shape[axis];
  return shape;
}

void check_view(const ConstView& view, const ViewRule& rule, std::string_view where, std::string_view name) {
  const Fault fault{view, rule, where, name};
  if (!has_rank(view, rule)) fault.shape();
  // The part of the rule's lengths that applies to the axes of the view.
  const Length* wanted = rule.shape.rank == 0 ? nullptr : rule.shape.lengths.data() + (rule.shape.rank - view.rank);
  const auto rank = static_cast<Axis>(view.rank);
  bool empty = rank == 0, fits = true;
  for (Axis axis = 0; axis < rank; ++axis) {
    if (view.shape[axis] < 0) fault.negative();
    if (view.shape[axis] == 0) empty = true;
    if (wanted && !wanted[axis].letter && wanted[axis].count != view.shape[axis]) fits = false;
  }
  if (!fits) fault.shape();
  if (!rule.dtypes.has(view.dtype)) fault.dtype();
  if (empty) return;
  if (view.data == nullptr) fault.null();
  if (rule.channels == Channels::contiguous && view.shape[rank - 1] > 1 && view.strides[rank - 1] != 1)
    fault.channels();
  if (reaches_too_far(view)) fault.too_far();
  if (rule.use == Use::write && overlaps_itself(view)) fault.overlap();
}

void check_apart(const NamedView& written, const NamedView& read, std::string_view where) {
  if (!share_memory(written.view, read.view)) return;
  refuse(where, written.name, " must not overlap ", read.name);
}

void check_apart(const NamedView& written, const PositionView& positions, std::string_view where) {
  if (!share_memory(positions, written.view)) return;
  refuse(where, written.name, " must not overlap the positions");
}

void check_apart(std::span<const NamedView> written, std::string_view where) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (std::size_t j = i + 1; j < written.size(); ++j) check_apart(written[i], written[j], where);
  }
}

void check_in_place_or_apart(const NamedView& written, const NamedView& read, std::string_view where) {
  if (same_memory(written.view, read.view) || !share_memory(written.view, read.view)) return;
  refuse(where, written.name, " must be the same memory as ", read.name, " or not overlap it");
}

}  // namespace posenc::base
