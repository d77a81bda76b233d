// What rotate and its relatives refuse, and that they refuse it before a byte is written.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "posenc/rotate.h"
#include "support/expect_error.h"
#include "support/head_block.h"
#include "support/typed_block.h"

namespace posenc::rotate_errors_test {
namespace {

constexpr std::int64_t kHeadDim = 6;

class RotateErrors : public ::testing::Test {
 protected:
  struct Call {
    ConstView x;
    PositionView positions;
    View out;
    RotateOptions options;
  };

  RotateErrors() { x_.set_values(random_numbers(x_.view().size(), 1)); }

  Call good() const { return {x_.view(), PositionView::range(2, 3), out_.view(), {}}; }

  void refused(const Call& call, const std::string& part, ErrorKind kind = ErrorKind::usage) {
    refused_by(call, table_, part, kind);
  }

  // By all three operations; rotate_backward has other names for its views.
  void refused_by(const Call& call, const RotarySource& source, const std::string& part,
                  ErrorKind kind = ErrorKind::usage) {
    SCOPED_TRACE(part);
    const std::vector<std::byte> x = x_.bytes(), out = out_.bytes();
    expect_error(kind, "[rotate] ", [&] { rotate(call.x, call.positions, source, call.out, call.options); });
    expect_error(kind, part, [&] { rotate(call.x, call.positions, source, call.out, call.options); });
    expect_error(kind, part, [&] { rotate_inverse(call.x, call.positions, source, call.out, call.options); });
    expect_error(kind, "[rotate_backward] ",
                 [&] { rotate_backward(call.x, call.positions, source, call.out, call.options); });
    EXPECT_EQ(x_.bytes(), x) << "something was written";
    EXPECT_EQ(out_.bytes(), out) << "something was written";
  }
  void refused_in_place(const View& x, const PositionView& positions, const RotateOptions& options,
                        ErrorKind kind = ErrorKind::usage) {
    const std::vector<std::byte> before = x_.bytes();
    expect_error(kind, "[rotate] ", [&] { rotate(x, positions, table_, options); });
    expect_error(kind, "[rotate_inverse] ", [&] { rotate_inverse(x, positions, table_, options); });
    expect_error(kind, "[rotate_backward] ", [&] { rotate_backward(x, positions, table_, options); });
    expect_error(kind, "[rotate_qk] ", [&] {
      rotate_qk(QueryKey{out_.view(), x}, positions, table_, {.key_scale = options.output_scale});
    });
    expect_error(kind, "[rotate_qk] ", [&] {
      rotate_qk(QueryKey{x, out_.view()}, positions, table_, {.query_scale = options.output_scale});
    });
    EXPECT_EQ(x_.bytes(), before) << "something was written";
  }

  RotaryTable table_{Rotary{.head_dim = kHeadDim}, 10};
  HeadBlock x_{DType::f32, 2, 3, 2, kHeadDim};
  HeadBlock out_{DType::f32, 2, 3, 2, kHeadDim};
};

TEST_F(RotateErrors, NotAGoodCall) {
  const Call call = good();
  rotate(call.x, call.positions, table_, call.out, call.options);
}

TEST_F(RotateErrors, Shapes) {
  Call call = good();
  call.x.shape[3] = 4;
  refused(call, "x must be [N, H, 6] or [B, N, H, 6], with the head_dim of the encoding, but is [2, 3, 2, 4]");
  call = good();
  call.x.rank = 2;
  refused(call, "x must be [N, H, 6] or [B, N, H, 6], with the head_dim of the encoding, but is [2, 3]");
  call = good();
  call.out.rank = 3;
  call.out.strides[2] = 1;
  refused(call, "out must");
  call = good();
  call.out.shape[2] = 1;
  refused(call, "out must be [2, 3, 2, 6] like x but is [2, 3, 1, 6]");
  call = good();
  call.x.shape[2] = call.out.shape[2] = -1;
  refused(call, "x must not have a negative length but has shape [2, 3, -1, 6]");
}

TEST_F(RotateErrors, Reach) {
  for (const std::int64_t stride : {INT64_MIN, INT64_MAX, INT64_MAX / 2}) {
    Call call = good();
    call.x.strides[1] = stride;
    refused(call, "x must fit in the address space but its strides reach past the end of it");
    View x = x_.view();
    x.strides[0] = stride;
    refused_in_place(x, call.positions, {});
  }
}

TEST_F(RotateErrors, Types) {
  Call call = good();
  call.x.dtype = DType::i32;
  call.out.dtype = DType::i32;
  refused(call, "x must be f32, f64, f16 or bf16 but is i32");
  call = good();
  call.out.dtype = DType::bf16;
  refused(call, "out must be f32 like x but is bf16");
  HeadBlock wide(DType::f64, 2, 3, 2, kHeadDim);
  call = good();
  call.x = wide.view();
  call.out = wide.view();
  refused(call, "the table must be f64 for f64 data but is f32");
  rotate(wide.view(), call.positions, table_.angles());
  rotate(wide.view(), call.positions, RotaryTable(Rotary{.head_dim = kHeadDim}, 10, DType::f64));
  rotate(x_.view(), call.positions, RotaryTable(Rotary{.head_dim = kHeadDim}, 10, DType::f64));
}

TEST_F(RotateErrors, Memory) {
  Call call = good();
  call.x.data = nullptr;
  refused(call, "x must not be null");
  call = good();
  call.out.data = nullptr;
  refused(call, "out must not be null");
  call = good();
  call.x.strides[3] = 2;
  call.x.shape[0] = call.out.shape[0] = 1;
  refused(call, "x must have contiguous channels but the stride of its last axis is 2");
  call = good();
  call.out.strides[3] = 2;
  refused(call, "out must have contiguous channels");
  call = good();
  call.out.strides[0] = 0;  // two batch rows in one place
  refused(call, "out must not overlap itself");
}

TEST_F(RotateErrors, OverlapsThatAreNotIdentical) {
  Call call = good();
  call.x.shape[0] = call.out.shape[0] = 1;
  for (const std::int64_t shift : {1, 2, 6, 12, 24}) {
    call.out.data = const_cast<float*>(call.x.as<float>()) + shift;
    refused(call, "overlap");
  }
  call = good();
  call.out = x_.view();
  std::swap(call.out.strides[1], call.out.strides[2]);
  refused(call, "overlap");
}

TEST_F(RotateErrors, Positions) {
  Call call = good();
  call.positions = PositionView::range(8, 3);  // 8, 9, 10 of a table of ten
  const std::string outside = "positions must be integers from 0 to 9, the range of the table, but got ";
  refused(call, outside + "10", ErrorKind::bad_input);
  call.positions = PositionView::range(-1, 3);
  refused(call, outside + "-1", ErrorKind::bad_input);
  const std::int64_t ids[3] = {1, kMaxPosition, 0};
  call.positions = PositionView::of(ids, 3);
  refused(call, outside + "2147483647", ErrorKind::bad_input);
  const std::int32_t narrow[3] = {1, 2, 10};
  call.positions = PositionView::of(narrow, 3);
  refused(call, outside + "10", ErrorKind::bad_input);
  for (const double bad : {2.5, 10.0, -1.0, std::nan(""), 1e300}) {
    const double reals[3] = {1.0, bad, 3.0};
    call.positions = PositionView::of(reals, 3);
    refused(call, outside, ErrorKind::bad_input);
  }
  call.positions = PositionView::range(0, 2);
  refused(call, "positions must be one per token of [2, 3, 2, 6] but are [1, 2]");
  call.positions = PositionView::range(0, 4);
  refused(call, "positions must be one per token of [2, 3, 2, 6] but are [1, 4]");
  const std::int64_t many[9] = {};
  call.positions = PositionView::of(many, 3);
  call.positions.batch = 3;
  call.positions.batch_stride = 3;
  refused(call, "positions must be one per token of [2, 3, 2, 6] but are [3, 3]");
  call.positions = PositionView::of(many, 3);
  call.positions.axes = 2;
  refused(call, "positions must have 1 axis like the encoding but have 2");
  call.positions = PositionView::of(static_cast<const std::int64_t*>(nullptr), 3);
  refused(call, "null");
}

TEST_F(RotateErrors, PositionsWithoutATable) {
  const RotaryAngles angles(Rotary{.head_dim = kHeadDim});
  Call call = good();
  call.positions = PositionView::range(kMaxPosition - 1, 3);
  refused_by(call, angles, "2147483648", ErrorKind::bad_input);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 2147483647.5}) {
    const double reals[3] = {1.0, bad, 3.0};
    call.positions = PositionView::of(reals, 3);
    refused_by(call, angles, "position", ErrorKind::bad_input);
  }
}

// A table may hold negative positions; ids far from it on either side must not wrap around.
TEST_F(RotateErrors, PositionsBeyondAllRange) {
  const RotaryTable table(RotaryAngles(Rotary{.head_dim = kHeadDim}), PositionView::range(-5, 10));
  Call call = good();
  for (const std::int64_t bad : {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
                                 std::int64_t{5}, std::int64_t{-6}}) {
    const std::int64_t ids[3] = {0, bad, 0};
    call.positions = PositionView::of(ids, 3);
    refused_by(call, table, "positions must be integers from -5 to 4", ErrorKind::bad_input);
  }
}

// Real numbers that are whole are in a table.
TEST_F(RotateErrors, ButRealPositionsMayBeWhole) {
  const double reals[3] = {1.0, 9.0, 3.0};
  const std::int64_t ids[3] = {1, 9, 3};
  HeadBlock wanted(DType::f32, 2, 3, 2, kHeadDim);
  rotate(x_.view(), PositionView::of(reals, 3), table_, out_.view());
  rotate(x_.view(), PositionView::of(ids, 3), table_, wanted.view());
  EXPECT_EQ(out_.values(), wanted.values());
}

// The last position of a batch is read as well as the first.
TEST_F(RotateErrors, ThePositionOfAnyToken) {
  std::int64_t ids[6] = {1, 2, 3, 4, 5, 6};
  Call call = good();
  for (std::int64_t& id : ids) {
    const std::int64_t old = id;
    id = 10;
    call.positions = PositionView::of(ids, 3);
    call.positions.batch = 2;
    call.positions.batch_stride = 3;
    refused(call, "10", ErrorKind::bad_input);
    id = old;
  }
}

TEST_F(RotateErrors, Scales) {
  for (const double scale : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Call call = good();
    call.options.output_scale = scale;
    refused(call, "scale must be finite");
    refused_in_place(x_.view(), PositionView::range(0, 3), call.options);
  }
}

TEST_F(RotateErrors, InPlace) {
  View x = x_.view();
  x.shape[3] = 4;
  refused_in_place(x, PositionView::range(0, 3), {});
  x = x_.view();
  x.data = nullptr;
  refused_in_place(x, PositionView::range(0, 3), {});
  x = x_.view();
  x.strides[1] = 0;  // all tokens in one place
  refused_in_place(x, PositionView::range(0, 3), {});
  refused_in_place(x_.view(), PositionView::range(0, 2), {});
  refused_in_place(x_.view(), PositionView::range(9, 3), {}, ErrorKind::bad_input);
}

// x is only read, so one head may stand for all.
TEST_F(RotateErrors, ButXMayBeBroadcast) {
  Call call = good();
  call.x.strides[2] = 0;
  rotate(call.x, call.positions, table_, call.out);
  EXPECT_EQ(out_.head(1, 2, 0), out_.head(1, 2, 1));
}

TEST_F(RotateErrors, QueryAndKey) {
  const PositionView positions = PositionView::range(0, 3);
  const std::vector<std::byte> before = x_.bytes(), out_before = out_.bytes();
  const auto refused = [&](const QueryKey& both, const std::string& part) {
    SCOPED_TRACE(part);
    expect_error(ErrorKind::usage, "[rotate_qk] ", [&] { rotate_qk(both, positions, table_); });
    expect_error(ErrorKind::usage, part, [&] { rotate_qk(both, positions, table_); });
    expect_error(ErrorKind::usage, part, [&] { rotate_qk_backward(both, positions, table_); });
    EXPECT_EQ(x_.bytes(), before);
    EXPECT_EQ(out_.bytes(), out_before);
  };
  View wrong = out_.view();
  wrong.shape[1] = 2;
  refused({x_.view(), wrong}, "positions must be one per token of [2, 2, 2, 6]");
  refused({wrong, x_.view()}, "positions must be one per token of [2, 2, 2, 6]");
  wrong = out_.view();
  wrong.shape[0] = 1;
  refused({x_.view(), wrong},
          "key must have the batch, tokens and dtype of the query, [2, 3, 2, 6] f32, but is [1, "
          "3, 2, 6]");
  wrong = out_.view();
  wrong.shape[3] = 4;
  refused({x_.view(), wrong},
          "key must be [N, H, 6] or [B, N, H, 6], with the head_dim of the encoding, but is [2, 3, 2, 4]");
  refused({wrong, x_.view()},
          "query must be [N, H, 6] or [B, N, H, 6], with the head_dim of the encoding, but is [2, 3, 2, 4]");
  wrong = out_.view();
  wrong.dtype = DType::bf16;
  refused({x_.view(), wrong}, "key must have the batch, tokens and dtype of the query, [2, 3, 2, 6] f32, but is");
  refused({x_.view(), x_.view()}, "overlap");
  HeadBlock q(DType::f32, 2, 3, 2, kHeadDim), k(DType::f32, 2, 3, 2, kHeadDim);
  expect_error(ErrorKind::usage, "overlap", [&] {
    rotate_qk(ConstQueryKey{x_.view(), out_.view()}, positions, table_, {q.view(), q.view()});
  });
  expect_error(ErrorKind::usage, "overlap", [&] {  // the key would read what the query has written
    rotate_qk(ConstQueryKey{x_.view(), out_.view()}, positions, table_, {out_.view(), k.view()});
  });
  expect_error(ErrorKind::usage, "the output of the key must not overlap query", [&] {
    rotate_qk(ConstQueryKey{x_.view(), out_.view()}, positions, table_, {q.view(), x_.view()});
  });
  EXPECT_EQ(x_.bytes(), before);
  EXPECT_EQ(out_.bytes(), out_before);
}

// Positions in the memory that is written.
TEST_F(RotateErrors, PositionsInTheOutput) {
  std::vector<double> memory(36, 1.0);
  const View x = make_view(memory.data(), {3, 2, kHeadDim});
  const RotaryAngles angles(Rotary{.head_dim = kHeadDim});
  expect_error(ErrorKind::usage, "overlap", [&] { rotate(x, PositionView::of(memory.data() + 5, 3), angles); });
  EXPECT_EQ(memory, std::vector<double>(36, 1.0));
}

TEST_F(RotateErrors, TheTableInTheOutput) {
  std::vector<float> memory(40, 0.0f);
  const RotaryTable table(RotaryAngles(Rotary{.head_dim = kHeadDim}), PositionView::range(0, 4),
                          make_view(memory.data(), {4, kHeadDim}));
  const std::vector<float> before = memory;
  expect_error(ErrorKind::usage, "overlap", [&] {
    rotate(make_view(memory.data() + 12, {2, 1, kHeadDim}), PositionView::range(0, 2), table);
  });
  EXPECT_EQ(memory, before);
}

}  // namespace
}  // namespace posenc::rotate_errors_test
