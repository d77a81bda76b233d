// Checks views, with the same wording for the same fault everywhere. A rule is plain data; conditions that a rule
// cannot express are checked with refuse.h, whose messages begin in the same way.
//
//     base::check_view(x, {.shape = {"B", "N", "H", 128}, .batch = Batch::optional}, "rotate", "x");
//     base::check_view(out, {.dtypes = kReals, .shape = shape_of(x), .use = Use::write}, "layer_norm", "out");
//     base::check_apart({"out", out}, {"weight", weight}, "layer_norm");
//
// Messages are built only on failure: a successful check costs less than constructing one string.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/refuse.h"
#include "posenc/position.h"
#include "posenc/view.h"

namespace posenc::base {

// A set of dtypes.
struct DTypes {
  unsigned bits;

  constexpr DTypes(DType dtype) : bits(1U << static_cast<unsigned>(dtype)) {}  // NOLINT: a dtype is a set of one
  constexpr DTypes operator|(DTypes other) const {
    DTypes both = *this;
    both.bits |= other.bits;
    return both;
  }
  constexpr bool has(DType dtype) const {
    return static_cast<unsigned>(dtype) < 32 && (bits >> static_cast<unsigned>(dtype) & 1U) != 0;
  }
};
inline constexpr DTypes kReals = DTypes(DType::f32) | DType::f64;
inline constexpr DTypes kFloats = kReals | DType::f16 | DType::bf16;
inline constexpr DTypes kIds = DTypes(DType::i32) | DType::i64;
inline constexpr DTypes kIntegers = kIds | DType::u8;
inline constexpr DTypes kAnyType = kFloats | kIntegers;
// The dtypes accepted where numbers of `dtype` are expected: f32 may replace the 16-bit types.
constexpr DTypes itself_or_wider(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 ? DTypes(dtype) | DType::f32 : DTypes(dtype);
}

// A required length, or a letter that names a length without restricting it.
struct Length {
  std::int64_t count = -1;
  const char* letter = nullptr;

  constexpr Length() = default;
  constexpr Length(std::integral auto wanted) : count(wanted) {}  // NOLINT: implicit: {"B", "N", 128}
  constexpr Length(const char* any) : letter(any) {}              // NOLINT
};

struct Shape {
  std::array<Length, kMaxRank> lengths;
  int rank = 0;  // 0: 1 to 4 axes of any lengths

  constexpr Shape() = default;
  template <std::convertible_to<Length>... Lengths>
  requires(sizeof...(Lengths) >= 1 && sizeof...(Lengths) <= kMaxRank) constexpr Shape(Lengths... wanted)  // NOLINT
      : lengths{Length(wanted)...}, rank(sizeof...(Lengths)) {}
  // The same shape with another number of channels.
  Shape with_last(Length last) const {
    Shape shape = *this;
    shape.lengths[static_cast<std::size_t>(rank) - 1] = last;
    return shape;
  }
};
// The shape of a view; its rank must be valid.
Shape shape_of(const ConstView& view);

enum class Batch { as_given, optional };  // optional: the first axis may be missing
enum class Channels { contiguous, any };  // the last axis
enum class Use { read, write };           // a written view must not overlap itself

struct ViewRule {
  DTypes dtypes = kFloats;
  Shape shape = {};
  Batch batch = Batch::as_given;
  Channels channels = Channels::contiguous;
  Use use = Use::read;
  std::string_view like = {};    // the argument whose shape and dtype are required: "x"
  std::string_view reason = {};  // any other reason for the shape: "a row per length"
};

// Throws unless the view satisfies the rule, is not null (or is empty), and fits in the address space.
void check_view(const ConstView& view, const ViewRule& rule, std::string_view where, std::string_view name);

struct NamedView {
  std::string_view name;
  ConstView view;
};

// Throws if the two share memory. A null view shares no memory.
void check_apart(const NamedView& written, const NamedView& read, std::string_view where);
void check_apart(const NamedView& written, const PositionView& positions, std::string_view where);
// Throws if any two of the views share memory.
void check_apart(std::span<const NamedView> written, std::string_view where);
// Throws unless the two are the same elements of the same memory, or share no memory.
void check_in_place_or_apart(const NamedView& written, const NamedView& read, std::string_view where);

}  // namespace posenc::base
