// Encodings of several axes at the input against plain loops: specs, rows, embeddings, positions and what is refused.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "posenc/files/json.h"
#include "posenc/files/spec_json.h"
#include "posenc/posenc.h"
#include "support/expect_error.h"

namespace axes_input_test {
namespace {

using posenc::Concat;
using posenc::ConcatPart;
using posenc::ConstView;
using posenc::Fourier;
using posenc::make_view;
using posenc::Positions;
using posenc::PositionView;
using posenc::Sinusoidal;
using posenc::Spec;

// What a row must be: sin and cos of y / T^(2j/d) by the definition, nothing of the library.
std::vector<double> plain_sine(double position, std::int64_t width, double base, bool halves) {
  std::vector<double> row(static_cast<std::size_t>(width));
  const std::int64_t pairs = width / 2;
  for (std::int64_t j = 0; j < pairs; ++j) {
    const double angle = position * std::pow(base, -2.0 * static_cast<double>(j) / static_cast<double>(width));
    row[static_cast<std::size_t>(halves ? j : 2 * j)] = std::sin(angle);
    row[static_cast<std::size_t>(halves ? j + pairs : 2 * j + 1)] = std::cos(angle);
  }
  return row;
}

std::vector<double> rows_of(const posenc::InputRows& rows, const PositionView& positions) {
  const std::int64_t width = posenc::width_of(rows);
  std::vector<double> out(static_cast<std::size_t>(positions.count * width));
  posenc::fill_rows(rows, positions, make_view(out.data(), {positions.count, width}));
  return out;
}

std::vector<double> rows_of(const Concat& spec, const PositionView& positions) {
  const posenc::ConcatSchedule schedule = posenc::make_concat_schedule(spec);
  return rows_of(posenc::concat_rows(spec, schedule), positions);
}

std::vector<double> rows_of(const Fourier& spec, const PositionView& positions) {
  const posenc::FourierSchedule schedule = posenc::make_fourier_schedule(spec);
  return rows_of(posenc::FourierRows{&schedule}, positions);
}

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted, double tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], tolerance) << "number " << i;
}

TEST(AxesSpec, TextAndJsonAreInverse) {
  for (const char* text :
       {"concat:0.axis=0,0.width=4,1.axis=1,1.width=4", "concat:0.axis=1,0.width=6,0.base=20,0.order=halves,width=5",
        "concat:0.axis=2,0.kind=learned,0.rows=7,0.past_end=error,1.axis=0,1.width=3,1.odd=zero,axes=4,width=90",
        "concat:0.axis=0,0.kind=learned,0.past_end=interpolate,0.length=12,1.axis=0,1.width=2,1.inv_freq=0.5",
        "fourier:inv_freq=1/0.5", "fourier:axes=2,inv_freq=1/0.5/0/-3,width=7,order=cos_interleaved,multiplier=2"}) {
    const Spec spec = posenc::parse_spec(text);
    EXPECT_EQ(posenc::to_text(spec), text);
    const posenc::Json json = posenc::to_json(spec);
    EXPECT_EQ(posenc::to_text(posenc::spec_from_json(json, "x")), text);
    EXPECT_EQ(posenc::to_text(json), posenc::to_text(posenc::to_json(posenc::spec_from_json(json, "x"))));
  }
  const posenc::Json json = posenc::parse_json(
      R"({"kind": "concat", "parts": [{"axis": 1, "kind": "sinusoidal", "width": 4}, {"axis": 0, "width": 2}]})", "x");
  EXPECT_EQ(posenc::to_text(posenc::spec_from_json(json, "x")), "concat:0.axis=1,0.width=4,1.axis=0,1.width=2");
  EXPECT_EQ(posenc::to_text(posenc::parse_spec("concat:0.axis=0,0.kind=sinusoidal,0.width=4,0.max_timescale=500")),
            "concat:0.axis=0,0.width=4,0.base=500");
  EXPECT_EQ(posenc::axes_of(posenc::parse_spec("concat:0.axis=2,0.width=2")), 3);
  EXPECT_EQ(posenc::axes_of(posenc::parse_spec("concat:0.axis=0,0.width=2,axes=2")), 2);
}

TEST(AxesSpec, Errors) {
  const auto of = [](const std::string& text) { return message_of([&] { posenc::parse_spec(text); }); };
  EXPECT_NE(of("concat").find("0.axis must be given, as in concat:0.axis=0"), std::string::npos);
  EXPECT_NE(of("concat:0.axis=0,0.width=4,2.axis=1,2.width=4").find("1.axis must be given"), std::string::npos);
  EXPECT_NE(of("concat:0.axis=0").find("0.width must be given"), std::string::npos);
  EXPECT_NE(of("concat:0.axis=0,0.kind=learnt,0.width=2").find("did you mean 'learned'"), std::string::npos);
  EXPECT_NE(of("concat:0.axis=0,0.kind=learned").find("0.past_end must be given"), std::string::npos);
  EXPECT_NE(of("concat:0.axis=8,0.width=2").find("0.axis must be at most 7 but got 8"), std::string::npos);
  EXPECT_NE(of("concat:0.axis=1,0.width=2,axes=1").find("0.axis must be below axes, 1, but got 1"), std::string::npos);
  EXPECT_NE(of("concat:0.axis=0,0.width=3,0.odd=error").find("0.width must be even"), std::string::npos);
  EXPECT_NE(of("concat:0.axis=0,0.wdth=3").find("did you mean '0.width'"), std::string::npos);
  EXPECT_NE(of("concat:0.axis=0,0.width=3,99.axis=1").find("no field '99.axis'"), std::string::npos);
  EXPECT_NE(of("fourier:axes=2").find("inv_freq must be given"), std::string::npos);
  EXPECT_NE(of("fourier:axes=2,inv_freq=1/2/3").find("a multiple of axes=2, but has 3"), std::string::npos);
  EXPECT_NE(of("fourier:inv_freq=1/2,width=3").find("width must be at least two channels per pair, 4"),
            std::string::npos);
  EXPECT_NE(message_of([] { posenc::validate(Concat{}); }).find("1 to 64 parts but there are 0"), std::string::npos);
  const double nan = std::nan("");
  EXPECT_NE(message_of([&] { posenc::validate(Fourier{.inv_freq = {nan}}); }).find("finite"), std::string::npos);
  const auto json = [](const char* text) {
    return message_of([&] { posenc::spec_from_json(posenc::parse_json(text, "x"), "x"); });
  };
  EXPECT_NE(json(R"({"kind": "concat", "parts": []})").find("expected 1 to 64 parts but got 0"), std::string::npos);
  EXPECT_NE(json(R"({"kind": "concat", "parts": {}})").find("parts"), std::string::npos);
  EXPECT_NE(json(R"({"kind": "concat", "0": {"axis": 0}})").find("expected the parts as a list"), std::string::npos);
  EXPECT_NE(json(R"({"kind": "concat", "0.axis": 0})").find("expected the parts as a list"), std::string::npos);
  EXPECT_NE(json(R"({"kind": "sinusoidal", "width": 2, "parts": []})").find("no field 'parts'"), std::string::npos);
}

RC_GTEST_PROP(AxesRows, AreThePartsSideBySide, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 4);
  Concat spec{.parts = {}, .axes = 3};
  std::int64_t whole = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t width = 2 * *rc::gen::inRange<std::int64_t>(1, 6);
    const auto order = *rc::gen::element(posenc::Order::halves, posenc::Order::interleaved);
    spec.parts.push_back({*rc::gen::inRange<std::int64_t>(0, 3),
                          Sinusoidal{.width = width, .base = *rc::gen::element(20.0, 10000.0), .order = order}});
    whole += width;
  }
  const std::int64_t width = *rc::gen::inRange<std::int64_t>(1, whole + 4);
  spec.width = width;
  const auto coordinate = rc::gen::map(rc::gen::inRange(-4000, 4000), [](int n) { return n / 16.0; });
  const std::vector<double> places = *rc::gen::container<std::vector<double>>(6, coordinate);
  PositionView view = PositionView::of(places.data(), 2);
  view.axes = 3;
  view.token_stride = 3;
  std::vector<double> wanted;
  for (std::size_t n = 0; n < 2; ++n) {
    std::vector<double> row;
    for (const ConcatPart& part : spec.parts) {
      const auto& sine = std::get<Sinusoidal>(part.encoding);
      const std::vector<double> one = plain_sine(places[3 * n + static_cast<std::size_t>(part.axis)], sine.width,
                                                 sine.base, sine.order == posenc::Order::halves);
      row.insert(row.end(), one.begin(), one.end());
    }
    row.resize(static_cast<std::size_t>(width), 0.0);
    wanted.insert(wanted.end(), row.begin(), row.end());
  }
  const std::vector<double> got = rows_of(spec, view);
  for (std::size_t i = 0; i < got.size(); ++i) RC_ASSERT(std::fabs(got[i] - wanted[i]) < 1e-11);
}

TEST(AxesRows, FourierIsASumOverTheAxes) {
  const Fourier spec{.axes = 3,
                     .inv_freq = {1.0, 0.25, 0.0, 0.5, 0.0, 2.0, 0.0, -0.75, 7.5},
                     .width = 8,
                     .order = posenc::Order::cos_interleaved,
                     .multiplier = -1.5};
  const std::vector<std::int64_t> ids = {3, 5, 7, -2, 0, 900001};
  std::vector<double> wanted;
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t j = 0; j < 3; ++j) {
      long double angle = 0.0L;
      for (std::size_t a = 0; a < 3; ++a) {
        angle += static_cast<long double>(ids[3 * n + a]) * static_cast<long double>(spec.inv_freq[3 * a + j]);
      }
      wanted.push_back(-1.5 * static_cast<double>(std::cos(angle)));
      wanted.push_back(-1.5 * static_cast<double>(std::sin(angle)));
    }
    wanted.insert(wanted.end(), {0.0, 0.0});
  }
  expect_near(rows_of(spec, Positions::integers(ids, 3)), wanted, 1e-11);
}

TEST(AxesRows, LearnedPartsReadTheirTables) {
  const std::vector<float> by_row = {1, 2, 3, 4}, by_column = {10, 20, 30, 40, 50, 60};
  Concat spec = posenc::axial_learned({1, 0});
  spec.parts.push_back({0, Sinusoidal{.width = 2}});
  const posenc::ConcatSchedule schedule = posenc::make_concat_schedule(spec);
  const std::vector<ConstView> tables = {make_view(by_column.data(), {3, 2}), make_view(by_row.data(), {2, 2})};
  const posenc::ConcatRows rows = posenc::concat_rows(spec, schedule, tables);
  const Positions places = posenc::parse_positions("1/2,0/1");
  expect_near(rows_of(rows, places), {50, 60, 3, 4, std::sin(1.0), std::cos(1.0), 30, 40, 1, 2, 0.0, 1.0}, 1e-15);
  const auto at = [&](const char* text) { return message_of([&] { rows_of(rows, posenc::parse_positions(text)); }); };
  EXPECT_NE(at("2/2").find("position 2 of token [0]"), std::string::npos);
  EXPECT_NE(at("0/-1").find("position -1 of token [0]"), std::string::npos);
  EXPECT_NE(at("0:3").find("takes positions on 2 axes but they have 1"), std::string::npos);
  EXPECT_NE(at("1/2/3").find("takes positions on 2 axes but they have 3"), std::string::npos);
  const std::vector<ConstView> one = {tables[0]};
  EXPECT_NE(message_of([&] { posenc::concat_rows(spec, schedule, one); }).find("per learned part, 2, but there are 1"),
            std::string::npos);
  EXPECT_NE(message_of([&] { posenc::concat_rows(spec, {}, tables); }).find("must be made from the spec"),
            std::string::npos);
  const std::vector<double> bad = {0.0, std::nan("")};
  PositionView nan = PositionView::of(bad.data(), 1);
  nan.axes = 2;
  EXPECT_NE(message_of([&] { rows_of(rows, nan); }).find("[fill_rows]"), std::string::npos);
  posenc::ConcatRows beyond = rows;
  beyond.parts[0].axis = 5;
  EXPECT_NE(message_of([&] { rows_of(beyond, places); }).find("axis of part 0 must be 0 to 1 but is 5"),
            std::string::npos);
}

// f32, f16 and bf16, cut parts and batches of positions: each as the f64 row, rounded once.
TEST(AxesRows, EveryTypeIsTheRoundedRow) {
  const Concat spec = posenc::positional_encodings_sine(7, 2);
  const posenc::ConcatSchedule schedule = posenc::make_concat_schedule(spec);
  const posenc::ConcatRows rows = posenc::concat_rows(spec, schedule);
  const std::vector<std::int64_t> ids = {1, 2, 3, 4, 5, 6, 7, 8};
  PositionView batch = PositionView::of(ids.data(), 2);
  batch.batch = 2;
  batch.axes = 2;
  batch.batch_stride = 4;
  batch.token_stride = 2;
  std::vector<double> exact(28);
  posenc::fill_rows(rows, batch, make_view(exact.data(), {2, 2, 7}));
  std::vector<float> narrow(28, -1.0f);
  posenc::fill_rows(rows, batch, make_view(narrow.data(), {2, 2, 7}));
  std::vector<posenc::bf16> brain(28);
  posenc::fill_rows(rows, batch, make_view(brain.data(), {2, 2, 7}));
  for (std::size_t i = 0; i < 28; ++i) {
    EXPECT_NEAR(static_cast<double>(narrow[i]), exact[i], 6e-8);
    EXPECT_NEAR(posenc::to_double(brain[i]), exact[i], 4e-3);
  }
  EXPECT_EQ(rows_of(rows, posenc::parse_positions("1/2,3/4,5/6,7/8")), exact);
}

TEST(AxesRows, AreAddedToEmbeddings) {
  const Concat spec = posenc::detr_sine(2, 20.0);
  const posenc::ConcatSchedule schedule = posenc::make_concat_schedule(spec);
  std::vector<double> x(2 * 3 * 4, 0.5), joined(2 * 3 * 6);
  const Positions places = posenc::parse_positions("1x3");
  const std::vector<double> rows = rows_of(spec, places);
  const posenc::Workers workers(2);
  posenc::add_positions(make_view(x.data(), {2, 3, 4}), places, posenc::concat_rows(spec, schedule),
                        make_view(x.data(), {2, 3, 4}), {.scale = 2.0, .workers = &workers});
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_DOUBLE_EQ(x[i], 1.0 + rows[i % 12]);
  const std::vector<double> two(2 * 3 * 2, 7.0);
  posenc::concat_positions(make_view(two.data(), {2, 3, 2}), places, posenc::concat_rows(spec, schedule),
                           make_view(joined.data(), {2, 3, 6}));
  EXPECT_EQ(joined[6], 7.0);
  EXPECT_EQ(joined[8], rows[4]);
}

// Other sizes than the recorded cases, by loops as the packages write them.
TEST(Axial, FamiliesOfOtherSizes) {
  const auto place = [](double y, double x) { return Positions::reals({y, x}, 2); };
  const auto joined = [](std::vector<double> a, const std::vector<double>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  expect_near(rows_of(posenc::detr_sine(10, 300.0), place(5, 9)),
              joined(plain_sine(5, 10, 300.0, false), plain_sine(9, 10, 300.0, false)), 1e-13);
  expect_near(rows_of(posenc::dab_detr_sine(6, 7.0, 90.0), place(2.5, 4)),
              joined(plain_sine(2.5, 6, 7.0, false), plain_sine(4, 6, 90.0, false)), 1e-13);
  expect_near(rows_of(posenc::mae_sine(20, posenc::ImageOrder::xy, 50.0), place(2, 3)),
              joined(plain_sine(3, 10, 50.0, true), plain_sine(2, 10, 50.0, true)), 1e-13);
  const std::vector<double> frame = joined(plain_sine(7, 8, 10000.0, true), plain_sine(3, 12, 10000.0, true));
  expect_near(rows_of(posenc::diffusers_sine_3d(32), Positions::reals({7, 2, 3}, 3)),
              joined(frame, plain_sine(2, 12, 10000.0, true)), 1e-13);
  std::vector<double> cut = joined(plain_sine(4, 6, 10000.0, false), plain_sine(9, 6, 10000.0, false));
  cut.resize(9);
  expect_near(rows_of(posenc::positional_encodings_sine(9, 2), place(4, 9)), cut, 1e-13);
  // [sin t x (pos_y, pos_x)] of 11 channels on two axes: 2 timescales, 3 channels left over.
  const std::vector<double> scales = {2.0, 2.0 * std::pow(400.0, -1.0)};
  std::vector<double> signal;
  for (const double p : {3.0, 8.0}) {
    for (const double f : scales) signal.push_back(std::sin(p * f));
    for (const double f : scales) signal.push_back(std::cos(p * f));
  }
  signal.resize(11, 0.0);
  expect_near(rows_of(posenc::tensor2tensor_sine(11, 2, 2.0, 800.0), place(3, 8)), signal, 1e-13);
  const std::vector<double> bands = posenc::pixel_bands(3, 32.0, /*linear=*/false);
  std::vector<double> features;
  for (const double p : {0.5, -1.0}) {
    for (const double power : {0.0, 2.0, 4.0}) features.push_back(std::sin(p * std::numbers::pi * std::exp2(power)));
  }
  for (const double p : {0.5, -1.0}) {
    for (const double power : {0.0, 2.0, 4.0}) features.push_back(std::cos(p * std::numbers::pi * std::exp2(power)));
  }
  expect_near(rows_of(posenc::fourier_of_bands(2, bands), place(0.5, -1.0)), features, 1e-13);
  expect_near(posenc::pixel_bands(3, 10.0, true), {std::numbers::pi, 3 * std::numbers::pi, 5 * std::numbers::pi},
              1e-14);
  expect_near(posenc::linspace_axis(4), {-1.0, -1.0 / 3, 1.0 / 3, 1.0}, 1e-15);
  expect_near(posenc::linspace_axis(1), {-1.0}, 0.0);
  expect_near(posenc::scaled_axis(3, 6.0, 0.5), {0.0, 4.0, 8.0}, 1e-15);
}

TEST(Axial, MasksAreCountedFromOneAndKeepTheLast) {
  const std::vector<std::int32_t> mask = {1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};  // 4 x 3
  const Positions raw = posenc::mask_coordinates(make_view(mask.data(), {4, 3}));
  const std::vector<double> y = {1, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0}, x = {1, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0};
  const Positions half =
      posenc::mask_coordinates(make_view(mask.data(), {4, 3}), {.normalize = true, .scale = 3.0, .half_cell = true});
  for (std::int64_t n = 0; n < 12; ++n) {
    const auto i = static_cast<std::size_t>(n);
    EXPECT_EQ(raw.view().real(0, n, 0), y[i]);
    EXPECT_EQ(raw.view().real(0, n, 1), x[i]);
    EXPECT_NEAR(half.view().real(0, n, 0), (y[i] - 0.5) / (y[9 + i % 3] + 1e-6) * 3.0,
                std::fabs(y[9 + i % 3] < 1 ? 1e-3 : 1e-12));
    EXPECT_EQ(raw.view().axis(1).real(0, n), x[i]);
  }
  const std::vector<std::int32_t> two = {1, 2};
  EXPECT_NE(message_of([&] {
              posenc::mask_coordinates(make_view(two.data(), {1, 2}));
            }).find("row 0, column 1 is 2"),
            std::string::npos);
  EXPECT_NE(message_of([] { posenc::mae_sine(6, posenc::ImageOrder::yx); }).find("multiple of 4 but got 6"),
            std::string::npos);
  EXPECT_NE(message_of([] { posenc::tensor2tensor_sine(3, 2); }).find("two channels per axis, 4, but got 3"),
            std::string::npos);
  EXPECT_NE(message_of([] { posenc::positional_encodings_sine(8, 4); }).find("axes must be 1 to 3"), std::string::npos);
}

}  // namespace
}  // namespace axes_input_test
