// Every fault of a view and its one wording, and that functions of every module say it so.
#include "core/base/check_view.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "posenc/posenc.h"
#include "support/expect_error.h"

namespace check_view_test {
namespace {

using namespace posenc;
using base::Batch;
using base::Channels;
using base::Use;
using base::ViewRule;

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 2;

float numbers[4096];

View view_of(std::initializer_list<std::int64_t> shape, DType dtype = DType::f32) {
  return make_view(static_cast<void*>(numbers), dtype, shape);
}

View changed(View view, const std::function<void(View&)>& change) {
  change(view);
  return view;
}

struct Fault {
  View view;
  ViewRule rule;
  std::string message;
};

std::vector<Fault> faults() {
  const ViewRule rows{.shape = {"B", "N", 4}, .batch = Batch::optional};
  const ViewRule written{.dtypes = base::kReals, .shape = {3, 4}, .use = Use::write};
  return {
      {view_of({4}), rows, "must be [N, 4] or [B, N, 4] but is [4]"},
      {view_of({3, 5}), rows, "must be [N, 4] or [B, N, 4] but is [3, 5]"},
      {view_of({5}), {.shape = {"K"}, .reason = "one per head"}, ""},
      {view_of({5}), {.shape = {4}, .reason = "one per head"}, "must be [4], one per head, but is [5]"},
      {view_of({5}), {.shape = {4}, .like = "x"}, "must be [4] like x but is [5]"},
      {view_of({}), {}, "must have 1 to 4 axes but has 0"},
      {changed(view_of({3, 4}), [](View& view) { view.rank = 9; }), rows,
       "must be [N, 4] or [B, N, 4] but is of 9 axes"},
      {changed(view_of({3, 4}), [](View& view) { view.shape[0] = -1; }), rows,
       "must not have a negative length but has shape [-1, 4]"},
      {view_of({3, 4}, DType::i32), rows, "must be f32, f64, f16 or bf16 but is i32"},
      {view_of({3, 4}, DType::f16), written, "must be f32 or f64 but is f16"},
      {view_of({3, 4}, DType::f64), {.dtypes = base::itself_or_wider(DType::bf16)}, "must be f32 or bf16 but is f64"},
      {view_of({3, 4}, DType::f64), {.dtypes = DType::f32, .like = "x"}, "must be f32 like x but is f64"},
      {view_of({3, 4}), {.dtypes = base::kIntegers}, "must be u8, i32 or i64 but is f32"},
      {changed(view_of({3, 4}), [](View& view) { view.data = nullptr; }), rows,
       "must not be null but has shape [3, 4]"},
      {changed(view_of({0, 4}), [](View& view) { view.data = nullptr; }), rows, ""},
      {view_of({4, 3}).swap(0, 1), rows, "must have contiguous channels but the stride of its last axis is 3"},
      {view_of({4, 3}).swap(0, 1), {.channels = Channels::any}, ""},
      {changed(view_of({3, 4}), [](View& view) { view.strides[0] = kFar; }), rows,
       "must fit in the address space but its strides reach past the end of it"},
      {changed(view_of({3, 4}), [](View& view) { view.strides[0] = 3; }), rows, ""},
      {changed(view_of({3, 4}), [](View& view) { view.strides[0] = 3; }), written,
       "must not overlap itself but two indices of [3, 4] share an address: check its strides"},
  };
}

TEST(CheckView, HasOneWordingForEveryFault) {
  for (const Fault& fault : faults()) {
    const std::string wanted = fault.message.empty() ? "" : "[here] out " + fault.message;
    EXPECT_EQ(message_of([&] { base::check_view(fault.view, fault.rule, "here", "out"); }), wanted);
  }
}

TEST(CheckView, SaysWhatOverlaps) {
  const View view = view_of({3, 4});
  const View shifted = changed(view, [](View& moved) { moved.data = numbers + 1; });
  const auto ids = PositionView::of(reinterpret_cast<const std::int32_t*>(numbers), 3);
  EXPECT_EQ(message_of([&] {
              base::check_apart({"out", view}, {"x", shifted}, "here");
            }),
            "[here] out must not overlap x");
  EXPECT_EQ(message_of([&] {
              base::check_apart({"out", view}, ids, "here");
            }),
            "[here] out must not overlap the positions");
  EXPECT_EQ(message_of([&] {
              base::check_in_place_or_apart({"out", view}, {"x", shifted}, "here");
            }),
            "[here] out must be the same memory as x or not overlap it");
  base::check_in_place_or_apart({"out", view}, {"x", view}, "here");
  base::check_apart({"out", view}, {"x", View{}}, "here");
  const base::NamedView three[] = {{"a", view_of({2})}, {"b", View{}}, {"c", view_of({1})}};
  EXPECT_EQ(message_of([&] { base::check_apart(three, "here"); }), "[here] a must not overlap c");
}

// An argument of a public function: a view that is right, and the call with another in its place.
struct Argument {
  std::string function;
  std::string name;
  View good;
  std::function<void(const View&)> call;
  bool written = false;
  bool strided = false;     // any strides: no channels that must be contiguous
  bool own_length = false;  // its lengths are compared with those of others, in words of their own
};

template <class T>
View fresh(std::initializer_list<std::int64_t> shape) {
  static std::vector<std::vector<T>> kept;  // each view has memory of its own
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  kept.emplace_back(static_cast<std::size_t>(size) + 64);
  return make_view(kept.back().data(), shape);
}

void add_row_arguments(std::vector<Argument>& list) {
  static const SinusoidalSchedule schedule = make_schedule(Sinusoidal{.width = 4});
  static const Resize resize{.from = {3}, .to = {5}};
  const View x = fresh<float>({3, 4}), out = fresh<float>({3, 4}), table = fresh<float>({3, 4}),
             five = fresh<float>({5, 4});
  const PositionView three = PositionView::range(0, 3);
  const auto learned = [](const ConstView& view) { return LearnedRows{{.past_end = PastEnd::error}, view}; };
  list.push_back({"fill_table", "out", out, [=](const View& v) { fill_table(schedule, three, v); }, true});
  list.push_back({"fill_derivative", "out", out, [=](const View& v) { fill_derivative(schedule, three, v); }, true});
  list.push_back({"fill_shift_matrix", "out", fresh<float>({4, 4}),
                  [](const View& v) { fill_shift_matrix(schedule, 1, v); }, true});
  list.push_back({"RowStream::next", "block", out, [=](const View& v) { RowStream(schedule, three).next(v); }, true});
  list.push_back({"fill_rows", "the table", table, [=](const View& v) { fill_rows(FixedRows{v}, three, out); }, false,
                  false, true});
  list.push_back({"fill_rows", "the learned table", table, [=](const View& v) { fill_rows(learned(v), three, out); },
                  false, false, true});
  list.push_back({"fill_rows", "out", out, [=](const View& v) { fill_rows(FixedRows{table}, three, v); }, true});
  list.push_back({"add_positions", "x", x, [=](const View& v) { add_positions(v, three, FixedRows{table}, out); },
                  false, false, true});
  list.push_back(
      {"add_positions", "out", out, [=](const View& v) { add_positions(x, three, FixedRows{table}, v); }, true});
  list.push_back({"concat_positions", "out", fresh<float>({3, 8}),
                  [=](const View& v) { concat_positions(x, three, FixedRows{table}, v); }, true});
  list.push_back({"add_positions_backward", "grad_out", x,
                  [=](const View& v) { add_positions_backward(v, three, FixedRows{table}, {}); }, false, false, true});
  list.push_back({"add_positions_backward", "the gradient of the input", out,
                  [=](const View& v) { add_positions_backward(x, three, FixedRows{table}, {.input = v}); }, true});
  list.push_back({"concat_positions_backward", "the gradient of the learned table", out,
                  [=](const View& v) { concat_positions_backward(x, three, learned(table), {.learned = v}); }, true});
  list.push_back(
      {"resize_table", "table", x, [=](const View& v) { resize_table(v, resize, five); }, false, false, true});
  list.push_back({"resize_table", "out", five, [=](const View& v) { resize_table(x, resize, v); }, true});
  list.push_back({"resize_table_backward", "grad_out", five,
                  [=](const View& v) { resize_table_backward(v, resize, out); }, false, false, true});
  list.push_back({"resize_table_backward", "grad_table", out,
                  [=](const View& v) { resize_table_backward(five, resize, v); }, true});
}

void add_rotation_arguments(std::vector<Argument>& list) {
  static const RotaryAngles angles(Rotary{.head_dim = 4});
  static const PopeAngles pope(Pope{.head_dim = 4});
  static const XposAngles xpos(Xpos{.head_dim = 4});
  const View x = fresh<float>({3, 2, 4}), out = fresh<float>({3, 2, 4}), wide = fresh<float>({3, 2, 8});
  const View cos = fresh<float>({3, 4}), sin = fresh<float>({3, 4}), delta = fresh<float>({2, 4});
  const PositionView three = PositionView::range(0, 3);
  list.push_back({"RotaryTable", "memory", cos, [=](const View& v) { RotaryTable(angles, three, v); }, true});
  list.push_back(
      {"fill_cos_sin", "cos", cos, [=](const View& v) { fill_cos_sin(angles, three, v, sin, Tiling::halves); }, true});
  list.push_back(
      {"fill_cos_sin", "sin", sin, [=](const View& v) { fill_cos_sin(angles, three, cos, v, Tiling::halves); }, true});
  list.push_back({"fill_cos_sin", "cos_sin", cos, [=](const View& v) { fill_cos_sin(angles, three, v); }, true});
  list.push_back({"rotate", "x", x, [=](const View& v) { rotate(v, three, angles); }, true});
  list.push_back({"rotate", "x", x, [=](const View& v) { rotate(ConstView(v), three, angles, out); }});
  list.push_back({"rotate", "out", out, [=](const View& v) { rotate(ConstView(x), three, angles, v); }, true});
  list.push_back(
      {"rotate_inverse", "out", out, [=](const View& v) { rotate_inverse(ConstView(x), three, angles, v); }, true});
  list.push_back({"rotate_backward", "grad_in", out,
                  [=](const View& v) { rotate_backward(ConstView(x), three, angles, v); }, true});
  list.push_back({"rotate_qk", "key", out, [=](const View& v) { rotate_qk({x, v}, three, angles); }});
  list.push_back({"rerotate", "x", x, [=](const View& v) { rerotate(v, {angles, three}, {angles, three}); }, true});
  list.push_back({"rotate_channels", "x", x,
                  [=](const View& v) {
                    rotate_channels(v, {cos, sin}, out);
                  },
                  false, false, true});
  list.push_back({"rotate_channels", "cos", cos,
                  [=](const View& v) {
                    rotate_channels(x, {v, sin}, out);
                  },
                  false, false, true});
  list.push_back({"rotate_channels_backward", "grad_in", out,
                  [=](const View& v) {
                    rotate_channels_backward(x, {cos, sin}, v);
                  },
                  true});
  list.push_back({"pope_queries", "x", x, [=](const View& v) { pope_queries(v, three, pope, wide); }});
  list.push_back({"pope_keys", "out", wide, [=](const View& v) { pope_keys(x, three, pope, v); }, true});
  list.push_back({"pope_keys", "delta", delta, [=](const View& v) { pope_keys(x, three, pope, wide, {.delta = v}); },
                  false, true});
  list.push_back({"pope_keys_backward", "grad_out", wide, [=](const View& v) {
                    pope_keys_backward({x, v}, three, pope, {});
                  }});
  list.push_back({"pope_keys_backward", "the gradient of x", out,
                  [=](const View& v) {
                    pope_keys_backward({x, wide}, three, pope, {.x = v});
                  },
                  true});
  list.push_back({"pope_keys_backward", "the gradient of delta", delta,
                  [=](const View& v) {
                    pope_keys_backward({x, wide}, three, pope, {.delta = v});
                  },
                  true, true});
  list.push_back({"project_delta", "delta", delta, [](const View& v) { project_delta(v); }, false, true, true});
  list.push_back({"scale_queries", "out", out, [=](const View& v) { scale_queries(x, three, {}, v); }, true});
  list.push_back({"xpos_queries", "x", x, [=](const View& v) { xpos_queries(v, three, xpos, out); }});
  list.push_back(
      {"xpos_keys_backward", "grad_in", out, [=](const View& v) { xpos_keys_backward(x, three, xpos, v); }, true});
}

void add_attention_arguments(std::vector<Argument>& list) {
  const View q = fresh<float>({3, 2, 4}), k = fresh<float>({5, 2, 4}), value = fresh<float>({5, 2, 4}),
             out = fresh<float>({3, 2, 4});
  list.push_back({"attend", "q", q, [=](const View& v) { attend(v, k, value, out); }, false, false, true});
  list.push_back({"attend", "k", k, [=](const View& v) { attend(q, v, value, out); }, false, false, true});
  list.push_back({"attend", "v", value, [=](const View& v) { attend(q, k, v, out); }, false, false, true});
  list.push_back({"attend", "out", out, [=](const View& v) { attend(q, k, value, v); }, true});
  list.push_back({"attend", "weights", fresh<float>({2, 3, 5}),
                  [=](const View& v) { attend(q, k, value, out, {.weights = v}); }, true});
  list.push_back({"attend", "log_sum_exp", fresh<float>({2, 3}),
                  [=](const View& v) { attend(q, k, value, out, {.log_sum_exp = v}); }, true});
  list.push_back({"attend_backward", "grad_out", out, [=](const View& v) { attend_backward({q, k, value, v}, {}); }});
  list.push_back({"attend_backward", "the gradient of k", fresh<float>({5, 2, 4}),
                  [=](const View& v) {
                    attend_backward({q, k, value, out}, {.k = v});
                  },
                  true});
  list.push_back({"append", "keys", k,
                  [=](const View& v) { KeyValueCache({.capacity = 8, .heads = 2, .head_dim = 4}).append(v, value); },
                  false, false, false});
  list.push_back({"relative_shift", "by_distance", fresh<float>({3, 7}),
                  [](const View& v) {
                    relative_shift(v, 3, fresh<float>({3, 5}));
                  },
                  false, false, true});
  list.push_back({"relative_shift", "out", fresh<float>({3, 5}),
                  [](const View& v) {
                    relative_shift(fresh<float>({3, 7}), 3, v);
                  },
                  true, false, true});
}

void add_layer_arguments(std::vector<Argument>& list) {
  const View x = fresh<float>({3, 4}), out = fresh<float>({3, 4}), weight = fresh<float>({4});
  const View in_weight = fresh<float>({12, 4}), out_weight = fresh<float>({4, 4});
  const auto weights = [=](const View& in) {
    return MultiHeadAttention{.heads = 2, .in_proj_weight = in, .out_proj_weight = out_weight};
  };
  list.push_back({"layer_norm", "x", x, [=](const View& v) { layer_norm(v, {}, out); }, false, false, true});
  list.push_back({"layer_norm", "out", out, [=](const View& v) { layer_norm(x, {}, v); }, true});
  list.push_back(
      {"layer_norm", "weight", weight, [=](const View& v) { layer_norm(x, {.weight = v}, out); }, false, true});
  list.push_back({"layer_norm_backward", "grad_out", out, [=](const View& v) { layer_norm_backward({x, v}, {}, {}); }});
  list.push_back({"multi_head_attend", "x", x, [=](const View& v) { multi_head_attend(v, weights(in_weight), out); },
                  false, false, true});
  list.push_back({"multi_head_attend", "context", fresh<float>({5, 4}),
                  [=](const View& v) { multi_head_attend(x, weights(in_weight), out, {.context = v}); }, false, false,
                  true});
  list.push_back({"multi_head_attend", "in_proj_weight", in_weight,
                  [=](const View& v) { multi_head_attend(x, weights(v), out); }, false, true});
  list.push_back(
      {"multi_head_attend", "out", out, [=](const View& v) { multi_head_attend(x, weights(in_weight), v); }, true});
  list.push_back({"multi_head_attend_backward", "grad_out", out, [=](const View& v) {
                    multi_head_attend_backward({x, v}, weights(in_weight), {});
                  }});
  list.push_back({"multi_head_attend_backward", "the gradient of in_proj_weight", fresh<float>({12, 4}),
                  [=](const View& v) {
                    multi_head_attend_backward({x, out}, weights(in_weight), {.in_proj_weight = v});
                  },
                  true});
  list.push_back(
      {"apply_layer", "out", out, [=](const View& v) { apply_layer(x, {.attention = weights(in_weight)}, v); }, true});
  list.push_back({"score_parts", "p", out, [=](const View& v) {
                    score_parts(x, v, {.heads = 2, .query_weight = out_weight, .key_weight = out_weight},
                                fresh<float>({4, 2, 3, 3}));
                  }});
  list.push_back({"score_parts", "out", fresh<float>({4, 2, 3, 3}),
                  [=](const View& v) {
                    score_parts(x, out, {.heads = 2, .query_weight = out_weight, .key_weight = out_weight}, v);
                  },
                  true});
}

void add_id_arguments(std::vector<Argument>& list) {
  const View mask = fresh<std::int64_t>({2, 3}), ids = fresh<std::int64_t>({2, 3}), lengths = fresh<std::int64_t>({2});
  const View places = fresh<std::int64_t>({3, 2}), row = fresh<std::int64_t>({3});
  static const std::vector<std::int64_t> grid{2, 2};
  const IdRule rule{.pads = Pads::id(0)};
  list.push_back({"positions_from_mask", "mask", mask, [=](const View& v) { positions_from_mask(v, rule, ids); }, false,
                  true, true});
  list.push_back({"positions_from_mask", "ids", ids, [=](const View& v) { positions_from_mask(mask, rule, v); }, true,
                  true, true});
  list.push_back({"positions_from_tokens", "ids", ids, [=](const View& v) { positions_from_tokens(mask, 1, rule, v); },
                  true, true, true});
  list.push_back(
      {"positions_after", "ids", ids, [=](const View& v) { positions_after(lengths, v); }, true, true, true});
  list.push_back(
      {"positions_from_segments", "ids", ids, [=](const View& v) { positions_from_segments(mask, 0, v); }, true, true});
  list.push_back({"segments_from_positions", "segments", ids,
                  [=](const View& v) { segments_from_positions(mask, PackedBy::step, v); }, true, true});
  list.push_back(
      {"places_in_grid", "places", places, [=](const View& v) { places_in_grid(row, grid, v); }, true, true});
  list.push_back({"rows_by_fraction", "out", ids, [](const View& v) { rows_by_fraction(2, 3, 2, v); }, true, true});
  list.push_back({"position_view", "ids", ids, [](const View& v) { position_view(v); }, false, true, true});
  list.push_back({"mask_coordinates", "mask", mask, [](const View& v) { mask_coordinates(v); }, false, true, true});
  list.push_back({"mrope_positions", "ids", fresh<std::int64_t>({2, 3, 3}),
                  [=](const View& v) { mrope_positions({.token_types = mask}, {}, v); }, true, true});
}

std::vector<Argument> arguments() {
  std::vector<Argument> list;
  add_row_arguments(list);
  add_rotation_arguments(list);
  add_attention_arguments(list);
  add_layer_arguments(list);
  add_id_arguments(list);
  return list;
}

class PublicFunctions : public testing::Test {
 protected:
  void expect(const Argument& argument, const std::function<void(View&)>& change, const std::string& pattern) {
    const View wrong = changed(argument.good, change);
    const std::string message = message_of([&] { argument.call(wrong); });
    const std::string wanted = R"(\[)" + argument.function + R"(\] )" + argument.name + " must " + pattern;
    EXPECT_TRUE(std::regex_match(message, std::regex(wanted))) << wanted << "\n" << message;
  }
};

TEST_F(PublicFunctions, TakeWhatIsRight) {
  for (const Argument& argument : arguments()) {
    EXPECT_EQ(message_of([&] { argument.call(argument.good); }), "") << argument.function << " " << argument.name;
  }
}

TEST_F(PublicFunctions, SayTheSameOfTheSameFault) {
  for (const Argument& argument : arguments()) {
    const auto last = static_cast<std::size_t>(argument.good.rank) - 1;
    expect(
        argument, [](View& view) { view.dtype = view.dtype == DType::f32 ? DType::i32 : DType::bf16; },
        R"(be [a-z0-9_, ]* but is (i32|bf16))");
    expect(
        argument, [](View& view) { view.rank = 9; }, "(be|have) .* axes.*");
    expect(
        argument, [](View& view) { view.shape[0] = -1; }, R"(not have a negative length but has shape \[-1.*\])");
    expect(
        argument, [](View& view) { view.data = nullptr; }, R"(not be null but has shape \[.*\])");
    if (!argument.own_length)
      expect(
          argument, [&](View& view) { ++view.shape[last]; }, R"(be \[.*\].* but is \[.*\])");
    if (argument.good.rank > 1) {
      expect(
          argument, [](View& view) { view.strides[0] = kFar; },
          "fit in the address space but its strides reach past the end of it");
    }
    if (!argument.strided) {
      expect(
          argument, [&](View& view) { view.strides[last] = 2; },
          "have contiguous channels but the stride of its last axis is 2");
    }
    if (argument.written) {
      expect(
          argument, [](View& view) { view.strides[0] = 0; },
          R"(not overlap itself but two indices of \[.*\] share an address: check its strides)");
    }
  }
}

TEST_F(PublicFunctions, SayTheSameOfOutputsThatOverlapWhatIsRead) {
  // Moved by one element from what is read, so that it is not the same memory.
  const View x = fresh<float>({3, 4}), heads = fresh<float>({3, 2, 4}), ids = fresh<std::int64_t>({2, 3});
  const auto moved = [](const View& view) {
    return changed(view, [](View& to) { to.data = to.as<char>() + size_of(to.dtype); });
  };
  static const RotaryAngles angles(Rotary{.head_dim = 4});
  static const PopeAngles pope(Pope{.head_dim = 4});
  const PositionView three = PositionView::range(0, 3);
  const View weight = fresh<float>({4, 4}), wide = make_view(heads.as<float>(), {3, 2, 8});
  const auto said = [](const std::function<void()>& call) { return message_of(call); };
  const std::string in_place = " must be the same memory as x or not overlap it";
  EXPECT_EQ(said([&] {
              add_positions(x, three, FixedRows{fresh<float>({3, 4})}, moved(x));
            }),
            "[add_positions] out" + in_place);
  EXPECT_EQ(said([&] { rotate(ConstView(heads), three, angles, moved(heads)); }), "[rotate] out" + in_place);
  EXPECT_EQ(said([&] { layer_norm(x, {}, moved(x)); }), "[layer_norm] out" + in_place);
  EXPECT_EQ(said([&] { fill_rows(FixedRows{x}, three, x); }), "[fill_rows] out must not overlap the table");
  EXPECT_EQ(said([&] { resize_table(x, {.from = {3}, .to = {3}}, moved(x)); }),
            "[resize_table] out must not overlap table");
  EXPECT_EQ(said([&] { pope_keys(heads, three, pope, wide); }), "[pope_keys] out must not overlap x");
  EXPECT_EQ(said([&] { attend(heads, heads, heads, heads); }), "[attend] out must not overlap q");
  EXPECT_EQ(said([&] {
              attend_backward({heads, heads, heads, fresh<float>({3, 2, 4})}, {.k = heads});
            }),
            "[attend_backward] the gradient of k must not overlap q");
  EXPECT_EQ(said([&] {
              score_parts(x, x, {.heads = 1, .query_weight = weight, .key_weight = weight},
                          make_view(x.as<float>(), {4, 1, 3, 3}));
            }),
            "[score_parts] out must not overlap x");
  EXPECT_EQ(said([&] { positions_from_segments(ids, 0, ids); }),
            "[positions_from_segments] ids must not overlap segments");
  EXPECT_EQ(said([&] { relative_shift(x, 0, x); }), "[relative_shift] out must not overlap by_distance");
}

}  // namespace
}  // namespace check_view_test
