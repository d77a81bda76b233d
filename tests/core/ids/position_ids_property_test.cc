// What holds for all position ids, tried on random masks, strides, types and documents.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "posenc/position_ids.h"

namespace posenc::position_ids_property_test {
namespace {

using Ids = std::vector<std::int64_t>;

std::int64_t pick(std::int64_t low, std::int64_t high) { return *rc::gen::inRange<std::int64_t>(low, high + 1); }

// A batch of integers somewhere in memory: of any type, with gaps, columns first, backwards.
struct Batch {
  Batch(std::int64_t rows, std::int64_t columns, DType type) : count(rows), width(columns) {
    const bool columns_first = pick(0, 1) == 1, backwards = pick(0, 1) == 1;
    const std::int64_t inner = pick(1, 3);
    const std::int64_t outer = inner * std::max<std::int64_t>(columns_first ? rows : columns, 1) + pick(0, 4);
    const std::int64_t elements = outer * std::max<std::int64_t>(columns_first ? columns : rows, 1);
    memory.resize(static_cast<std::size_t>(elements), -99);
    view.dtype = type;
    view.rank = 2;
    view.shape = {rows, columns};
    view.strides = columns_first ? std::array<std::int64_t, kMaxRank>{inner, outer, 0, 0}
                                 : std::array<std::int64_t, kMaxRank>{outer, inner, 0, 0};
    // The memory is int64, whatever type is stored in it.
    auto* data = reinterpret_cast<char*>(memory.data());
    if (backwards && rows > 0 && columns > 0) {
      data += (rows - 1) * view.strides[0] * size_of(type) + (columns - 1) * view.strides[1] * size_of(type);
      view.strides = {-view.strides[0], -view.strides[1], 0, 0};
    }
    view.data = data;
  }

  void set(const Ids& numbers) {
    for (std::int64_t i = 0; i < count * width; ++i) {
      const View element = view[i / width];
      const std::int64_t place = i % width * element.strides[0];
      const std::int64_t number = numbers[static_cast<std::size_t>(i)];
      if (view.dtype == DType::u8) element.as<std::uint8_t>()[place] = static_cast<std::uint8_t>(number);
      if (view.dtype == DType::i32) element.as<std::int32_t>()[place] = static_cast<std::int32_t>(number);
      if (view.dtype == DType::i64) element.as<std::int64_t>()[place] = number;
    }
  }

  Ids get() const {
    Ids numbers;
    for (std::int64_t i = 0; i < count * width; ++i) {
      const View element = view[i / width];
      const std::int64_t place = i % width * element.strides[0];
      numbers.push_back(view.dtype == DType::i32 ? element.as<std::int32_t>()[place]
                                                 : element.as<std::int64_t>()[place]);
    }
    return numbers;
  }

  std::int64_t count, width;
  Ids memory;
  View view;
};

DType input_type() { return *rc::gen::element(DType::u8, DType::i32, DType::i64); }
DType id_type() { return *rc::gen::element(DType::i32, DType::i64); }

Ids numbers(std::int64_t count, std::int64_t low, std::int64_t high) {
  Ids result(static_cast<std::size_t>(count));
  for (std::int64_t& number : result) number = pick(low, high);
  return result;
}

IdRule any_rule() {
  const std::int64_t kind = pick(0, 2);
  const Pads pads = kind == 0 ? Pads::id(pick(-5, 5)) : kind == 1 ? Pads::previous() : Pads::counted();
  return {.pads = pads, .first = pick(-3, 9), .past = pick(0, 9)};
}

// The definition: a cumulative sum, then what each rule says of pads.
Ids by_cumsum(const Ids& mask, std::int64_t columns, const IdRule& rule) {
  Ids result, sums(mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i) % columns;
    sums[i] = mask[i] + (column > 0 ? sums[i - 1] : 0);
    const std::int64_t start = rule.first + rule.past;
    const std::int64_t counted = std::max<std::int64_t>(sums[i] - 1, 0) + start;
    const bool fixed = mask[i] == 0 && rule.pads.rule() == Pads::Rule::id;
    const bool arange = rule.pads.rule() == Pads::Rule::counted;
    result.push_back(arange ? start + column : fixed ? rule.pads.id() : counted);
  }
  return result;
}

Ids contiguous(const Ids& mask, std::int64_t rows, std::int64_t columns, const IdRule& rule) {
  Ids ids(mask.size());
  positions_from_mask(make_view(mask.data(), {rows, columns}), rule, make_view(ids.data(), {rows, columns}));
  return ids;
}

RC_GTEST_PROP(PositionIds, AreTheCumulativeSumForAnyMask, ()) {
  const std::int64_t rows = pick(0, 4), columns = pick(0, 12);
  const Ids mask = numbers(rows * columns, 0, 1);
  const IdRule rule = any_rule();
  RC_ASSERT(contiguous(mask, rows, columns, rule) == by_cumsum(mask, columns, rule));
}

RC_GTEST_PROP(PositionIds, PadOnEitherSideAsInTheMiddle, ()) {
  const std::int64_t left = pick(0, 5), real = pick(0, 6), right = pick(0, 5);
  Ids mask(static_cast<std::size_t>(left), 0);
  mask.insert(mask.end(), static_cast<std::size_t>(real), 1);
  mask.insert(mask.end(), static_cast<std::size_t>(right), 0);
  const Ids ids = contiguous(mask, 1, left + real + right, {.pads = Pads::id(-1), .first = 3});
  for (std::int64_t n = 0; n < left + real + right; ++n) {
    const bool pad = n < left || n >= left + real;
    RC_ASSERT(ids[static_cast<std::size_t>(n)] == (pad ? -1 : 3 + n - left));
  }
}

RC_GTEST_PROP(PositionIds, DependOnNeitherStridesNorTypes, ()) {
  const std::int64_t rows = pick(0, 4), columns = pick(0, 8), last = pick(0, columns);
  const Ids mask = numbers(rows * columns, 0, 1);
  const IdRule rule = any_rule();
  Batch in(rows, columns, input_type()), out(rows, last, id_type());
  in.set(mask);
  const Ids before = in.memory;
  positions_from_mask(in.view, rule, out.view);
  RC_ASSERT(in.memory == before);
  const Ids whole = by_cumsum(mask, columns, rule);
  Ids wanted;
  for (std::int64_t b = 0; b < rows; ++b) {
    wanted.insert(wanted.end(), whole.begin() + (b + 1) * columns - last, whole.begin() + (b + 1) * columns);
  }
  RC_ASSERT(out.get() == wanted);
}

RC_GTEST_PROP(PositionIds, WriteNothingBetweenTheIds, ()) {
  const std::int64_t rows = pick(1, 4), columns = pick(1, 8);
  const Ids mask = numbers(rows * columns, 0, 1);
  Batch out(rows, columns, DType::i64);
  positions_from_mask(make_view(mask.data(), {rows, columns}), any_rule(), out.view);
  const auto untouched = std::count(out.memory.begin(), out.memory.end(), -99);
  RC_ASSERT(untouched == static_cast<std::int64_t>(out.memory.size()) - rows * columns);
}

RC_GTEST_PROP(PositionIds, AreTheSameRowByRow, ()) {
  const std::int64_t rows = pick(1, 4), columns = pick(1, 8);
  const Ids mask = numbers(rows * columns, 0, 1), segments = numbers(rows * columns, 0, 2);
  const IdRule rule = any_rule();
  const auto by = *rc::gen::element(PackedBy::step, PackedBy::minimum);
  const auto batch = [&](const Ids& in) { return make_view(in.data(), {rows, columns}); };
  Ids whole[3] = {Ids(mask.size()), Ids(mask.size()), Ids(mask.size())}, split[3] = {whole[0], whole[0], whole[0]};
  positions_from_mask(batch(mask), rule, make_view(whole[0].data(), {rows, columns}));
  positions_from_segments(batch(segments), rule.first, make_view(whole[1].data(), {rows, columns}));
  segments_from_positions(batch(whole[1]), by, make_view(whole[2].data(), {rows, columns}));
  for (std::int64_t b = 0; b < rows; ++b) {
    positions_from_mask(batch(mask)[b], rule, make_view(split[0].data(), {rows, columns})[b]);
    positions_from_segments(batch(segments)[b], rule.first, make_view(split[1].data(), {rows, columns})[b]);
    segments_from_positions(batch(split[1])[b], by, make_view(split[2].data(), {rows, columns})[b]);
  }
  for (int i = 0; i < 3; ++i) RC_ASSERT(whole[i] == split[i]);
}

RC_GTEST_PROP(PositionIds, FromTokensAreThoseOfTheirMask, ()) {
  const std::int64_t rows = pick(0, 4), columns = pick(0, 8), pad = pick(0, 4);
  const Ids tokens = numbers(rows * columns, 0, 4);
  Ids mask;
  for (const std::int64_t token : tokens) mask.push_back(token == pad ? 0 : 1);
  const IdRule rule = any_rule();
  Batch in(rows, columns, input_type()), out(rows, columns, id_type());
  in.set(tokens);
  positions_from_tokens(in.view, pad, rule, out.view);
  RC_ASSERT(out.get() == by_cumsum(mask, columns, rule));
}

RC_GTEST_PROP(PositionIds, ADecodingStepContinuesThePrompt, ()) {
  // The last column of a mask that covers the cache is what positions_after gives for the tokens before it.
  const std::int64_t rows = pick(1, 4), columns = pick(1, 8);
  Ids mask = numbers(rows * columns, 0, 1), lengths;
  for (std::int64_t b = 0; b < rows; ++b) {
    mask[static_cast<std::size_t>((b + 1) * columns - 1)] = 1;
    lengths.push_back(std::count(mask.begin() + b * columns, mask.begin() + (b + 1) * columns - 1, 1));
  }
  Ids last(static_cast<std::size_t>(rows)), after(static_cast<std::size_t>(rows));
  positions_from_mask(make_view(mask.data(), {rows, columns}), {.pads = Pads::id(0)},
                      make_view(last.data(), {rows, 1}));
  positions_after(make_view(lengths.data(), {rows}), make_view(after.data(), {rows, 1}));
  RC_ASSERT(last == after);
}

// Documents of at least one token, as bounds.
Ids any_bounds() {
  Ids lengths = numbers(pick(0, 6), 1, 7);
  return bounds_of(lengths);
}

RC_GTEST_PROP(Packing, BoundsSegmentsAndIdsSayTheSame, ()) {
  const Ids bounds = any_bounds();
  const auto bounds_view = make_view(bounds.data(), {static_cast<std::int64_t>(bounds.size())});
  const std::int64_t count = bounds.back(), first = pick(-3, 5);
  Ids ids(static_cast<std::size_t>(count)), segments(ids), again(ids), found(ids);
  positions_from_bounds(bounds_view, first, make_view(ids.data(), {count}));
  segments_from_bounds(bounds_view, make_view(segments.data(), {count}));
  positions_from_segments(make_view(std::as_const(segments).data(), {count}), first, make_view(again.data(), {count}));
  RC_ASSERT(ids == again);
  const auto ids_view = make_view(std::as_const(ids).data(), {count});
  RC_ASSERT(bounds_from_positions(ids_view, PackedBy::minimum) == bounds);
  segments_from_positions(ids_view, PackedBy::minimum, make_view(found.data(), {count}));
  RC_ASSERT(found == segments);
  // Documents of one length that go on counting look like one document to the rule of steps, here they restart.
  RC_ASSERT(bounds_from_positions(ids_view, PackedBy::step) == bounds);
}

RC_GTEST_PROP(Packing, BoundsAndSegmentsOfAnyIdsAgree, ()) {
  const std::int64_t count = pick(0, 12);
  const Ids ids = numbers(count, -2, 4);
  const auto rule = *rc::gen::element(PackedBy::step, PackedBy::minimum);
  const Ids bounds = bounds_from_positions(make_view(ids.data(), {count}), rule);
  Ids direct(ids.size()), through(ids.size());
  segments_from_positions(make_view(ids.data(), {count}), rule, make_view(direct.data(), {count}));
  segments_from_bounds(make_view(bounds.data(), {static_cast<std::int64_t>(bounds.size())}),
                       make_view(through.data(), {count}));
  RC_ASSERT(direct == through);
}

RC_GTEST_PROP(Grids, PlacesAreWhatAGridCounts, ()) {
  const Ids grid = numbers(pick(1, 4), 1, 5);
  Ids counted;
  append_grid(counted, grid, 0);
  const auto axes = static_cast<std::int64_t>(grid.size());
  const std::int64_t count = static_cast<std::int64_t>(counted.size()) / axes;
  Ids ids(static_cast<std::size_t>(count)), places(counted.size());
  for (std::int64_t n = 0; n < count; ++n) ids[static_cast<std::size_t>(n)] = n;
  places_in_grid(make_view(ids.data(), {count}), grid, make_view(places.data(), {count, axes}));
  RC_ASSERT(places == counted);
}

RC_GTEST_PROP(Grids, FractionsDifferOnBordersOnly, ()) {
  const std::int64_t length = pick(1, 200), side = pick(1, 200);
  Ids exact(static_cast<std::size_t>(length));
  rows_by_fraction(1, length, side, make_view(exact.data(), {length}), Fraction::exact);
  for (const Fraction fraction : {Fraction::product, Fraction::quotient, Fraction::shrunk}) {
    Ids rows(exact.size());
    rows_by_fraction(1, length, side, make_view(rows.data(), {length}), fraction);
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t row = rows[static_cast<std::size_t>(i)], meant = exact[static_cast<std::size_t>(i)];
      const bool border = i > 0 && i * side % length == 0;
      const bool one_before = fraction == Fraction::shrunk;
      RC_ASSERT((border ? row == meant - 1 || (!one_before && row == meant) : row == meant));
    }
  }
}

}  // namespace
}  // namespace posenc::position_ids_property_test
