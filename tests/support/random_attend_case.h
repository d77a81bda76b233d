// Random attention calls: any combination of encoding, mask, layout and shape.
#pragma once

#include <string>

#include "support/attend_case.h"

// draw(a, b) gives an integer from a to b, both included.
template <class Draw>
class RandomAttendCase {
 public:
  explicit RandomAttendCase(const Draw& draw) : draw_(draw) {}

  AttendCase make() {
    one_.batch = draw_(1, 2);
    one_.keys = draw_(1, 9);
    one_.queries = draw_(1, 9);
    if (draw_(0, 9) == 0) {  // more than a block of either
      one_.keys += 128;
      one_.queries += 64;
    }
    one_.key_heads = draw_(1, 2);
    one_.heads = one_.key_heads * draw_(1, 2);
    one_.width = 2 * draw_(1, 4);
    one_.value_width = draw_(1, 5);
    const posenc::DType types[] = {posenc::DType::f64, posenc::DType::f32, posenc::DType::f16, posenc::DType::bf16};
    one_.dtype = types[draw_(0, 3)];
    one_.layout = {draw_(0, 2), draw_(0, 2), draw_(0, 1) == 1, draw_(0, 1) == 1};
    one_.fill(static_cast<unsigned>(draw_(0, 1000000)));
    add_mask();
    add_positions();
    add_encoding();
    if (draw_(0, 4) == 0)
      one_.scale = static_cast<double>(draw_(added_ == posenc::Added::before_scale ? 1 : -2, 2)) / 2.0;
    if (draw_(0, 4) == 0) one_.softcap = static_cast<double>(draw_(1, 4));
    if (draw_(0, 4) == 0) one_.sinks = numbers(one_.heads);
    if (draw_(0, 4) == 0) one_.dropout = {.p = 0.25, .seed = 7, .step = 3, .first_row = 2, .first_token = 5};
    return one_;
  }

 private:
  std::vector<double> numbers(std::int64_t count) {
    return random_numbers(count, static_cast<unsigned>(draw_(0, 1000)));
  }
  Numbers parameter(const char* name, std::vector<std::int64_t> shape) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) count *= length;
    return {name, std::move(shape), numbers(count)};
  }
  Numbers positive(const char* name, std::vector<std::int64_t> shape) {
    Numbers result = parameter(name, std::move(shape));
    for (double& value : result.values) value = std::fabs(value) * 0.5 + 0.1;
    return result;
  }

  void add_mask() {
    posenc::Mask& mask = one_.mask;
    mask.causal = static_cast<posenc::Causal>(draw_(0, 2));
    if (draw_(0, 3) == 0) mask.query_offset = draw_(-2, one_.keys);
    if (draw_(0, 2) == 0) mask.left = draw_(0, 4);
    if (draw_(0, 3) == 0) mask.right = draw_(0, 3) == 0 ? draw_(4, 2000000000) : draw_(0, 3);
    if (draw_(0, 3) == 0) mask.chunk = draw_(1, 4);
    if (draw_(0, 2) == 0) mask.sink_keys = draw_(0, 3);
    const auto ids = [&](std::int64_t count, std::int64_t low, std::int64_t high) {
      std::vector<std::int64_t> result;
      for (std::int64_t i = 0; i < count; ++i) result.push_back(draw_(low, high));
      return result;
    };
    if (draw_(0, 4) == 0) one_.starts = ids(one_.batch, 0, 3);
    if (draw_(0, 4) == 0) one_.ends = ids(one_.batch, 0, one_.keys + 1);
    if (draw_(0, 4) == 0) one_.documents = ids(one_.batch * one_.keys, 0, 1);
    const auto bytes = [&](std::int64_t count) {
      // About one in three is hidden. Draws take long under sanitizers: 16 at a time, the digits of a number to base 3.
      if (draw_(0, 5) == 0) return std::vector<std::uint8_t>(static_cast<std::size_t>(count), 0);  // nothing is seen
      std::vector<std::uint8_t> result;
      for (std::int64_t i = 0, digits = 0; i < count; ++i, digits /= 3) {
        if (i % 16 == 0) digits = draw_(0, 43046720);  // 3^16 - 1
        result.push_back(digits % 3 == 0 ? 0 : 1);
      }
      return result;
    };
    if (draw_(0, 4) == 0) one_.shown_keys = bytes(one_.batch * one_.keys);
    if (draw_(0, 6) == 0) one_.shown_pairs = bytes(one_.batch * one_.queries * one_.keys);
  }

  void add_positions() {
    if (draw_(0, 2) != 0) return;
    for (std::int64_t i = 0; i < one_.batch * one_.queries; ++i) one_.query_ids.push_back(draw_(0, 9));
    for (std::int64_t i = 0; i < one_.batch * one_.keys; ++i) one_.key_ids.push_back(draw_(0, 9));
  }

  void add_encoding() {
    const std::int64_t h = one_.heads;
    const auto added = added_ = static_cast<posenc::Added>(draw_(0, 1));
    const auto rule = static_cast<posenc::DistanceRule>(draw_(0, 1));
    if (draw_(0, 2) == 0) {
      one_.rotary = posenc::Rotary{.head_dim = one_.width,
                                   .layout = static_cast<posenc::Layout>(draw_(0, 1)),
                                   .attention_factor = 1.25,
                                   .attention_factor_in = static_cast<posenc::FactorIn>(draw_(0, 2))};
    }
    switch (draw_(0, 9)) {
      case 0:
        one_.bias = posenc::Alibi{.heads = h, .form = static_cast<posenc::AlibiForm>(draw_(0, 2)), .added = added};
        break;
      case 1:
        one_.bias = posenc::Clipped{
            .heads = h, .max_distance = 3, .offset = static_cast<posenc::Offset>(draw_(0, 1)), .added = added};
        one_.bias_numbers = {parameter("table", {7, h})};
        break;
      case 2:
        one_.bias = posenc::T5{.heads = h,
                               .buckets = 8,
                               .max_distance = 12,
                               .direction = static_cast<posenc::T5Direction>(draw_(0, 1)),
                               .added = added};
        one_.bias_numbers = {parameter("table", {8, h})};
        break;
      case 3:
        one_.bias =
            posenc::Kerple{.heads = h, .kernel = static_cast<posenc::KerpleKernel>(draw_(0, 1)), .direction = rule};
        one_.bias_numbers = {positive("p", {h}), positive("a", {h})};
        break;
      case 4:
        one_.bias = posenc::Fire{.heads = h, .width = 3, .length = 4.0};
        one_.bias_numbers = {positive("c", {1}),        positive("length_factor", {1}),  parameter("in_weight", {3, 1}),
                             parameter("in_bias", {3}), parameter("out_weight", {h, 3}), parameter("out_bias", {h})};
        // Not at a query's position, where the normaliser has a kink.
        one_.bias_numbers[1].values = {(static_cast<double>(draw_(0, 6)) + 0.5) / 4.0};
        break;
      case 5:
        one_.bias = posenc::Sandwich{.heads = h, .width = 8, .direction = rule};
        break;
      case 6:
        if (one_.query_ids.empty() && one_.offset() < 0) break;  // a matrix has no rows before 0
        one_.bias = posenc::MatrixBias{.heads = h, .added = added};
        // Ids are below 10; without ids, queries start at offset().
        one_.bias_numbers = {
            parameter("values", {h, std::max<std::int64_t>(10, one_.queries + one_.offset()), 10 + one_.keys})};
        break;
      case 7: {
        const std::int64_t left = draw_(0, 3), right = draw_(0, 3), rows = left + right + 1;
        one_.term = posenc::Shaw{.head_dim = one_.width,
                                 .left = left,
                                 .right = right,
                                 .offset = static_cast<posenc::Offset>(draw_(0, 1)),
                                 .past = static_cast<posenc::PastTable>(draw_(0, 1)),
                                 .term = static_cast<posenc::ShawTerm>(draw_(0, 1))};
        const bool per_head = draw_(0, 1) == 1 && h > 1;
        const auto rows_of = [&](const char* name, std::int64_t channels) {
          return per_head ? parameter(name, {h, rows, channels}) : parameter(name, {rows, channels});
        };
        one_.term_numbers = {rows_of("keys", one_.width)};
        if (draw_(0, 1) == 1) one_.term_numbers.push_back(rows_of("values", one_.value_width));
        break;
      }
      case 8:
        one_.term = posenc::TransformerXl{.heads = h,
                                          .head_dim = one_.width,
                                          .width = 6,
                                          .order = static_cast<posenc::Order>(draw_(0, 3)),
                                          .clamp_distance = draw_(0, 3)};
        one_.term_numbers = {parameter("u", {h, one_.width}), parameter("v", {h, one_.width}),
                             parameter("position_weight", {h * one_.width, 6})};
        break;
      default:
        break;
    }
  }

  const Draw& draw_;
  posenc::Added added_ = posenc::Added::after_scale;
  AttendCase one_;
};
