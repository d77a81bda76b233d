// Rotary encodings of several axes: what holds for every order of sections, and layouts that are not rotations.
#include "support/rotary_axes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "golden/rotary_cases.h"
#include "posenc/attend.h"
#include "posenc/reference.h"
#include "posenc/rerotate.h"
#include "posenc/rotate.h"
#include "support/expect_error.h"
#include "support/typed_block.h"

namespace posenc::rotary_axes_test {
namespace {

using golden::RotaryCase;

// What no golden has: three sections more than axes, unequal ladders, an order of axes.
TEST(Axes, SectionsBeyondTheAxesBeginAgain) {
  const RotarySchedule schedule = make_schedule(parse("head_dim=20,base=100,axes=2,sections=1/2/3/4"));
  for (std::size_t i = 0; i < 10; ++i) {
    const std::int64_t axis = i < 1 || (i >= 3 && i < 6) ? 0 : 1;
    EXPECT_NEAR(frequency(schedule, axis, i), std::pow(100.0, -static_cast<double>(i) / 10.0), 1e-15);
    EXPECT_EQ(frequency(schedule, 1 - axis, i), 0.0);
  }
}

TEST(Axes, LaddersOfUnequalAxes) {
  const RotarySchedule restart = make_schedule(parse("head_dim=12,base=100,sections=2/4,axis_frequencies=restart"));
  const double in_two[] = {1.0, 0.1};
  const double in_four[] = {1.0, std::pow(10.0, -0.5), 0.1, std::pow(10.0, -1.5)};
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(frequency(restart, 0, i), in_two[i], 1e-15);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(frequency(restart, 1, 2 + i), in_four[i], 1e-15);
  EXPECT_EQ(restart.exponent_dim, 0);
  const RotarySchedule dealt = make_schedule(parse("head_dim=12,base=100,sections=3/3,axis_frequencies=dealt"));
  for (std::size_t r = 0; r < 3; ++r) {
    const auto rank = static_cast<double>(r);
    EXPECT_NEAR(frequency(dealt, 0, r), std::pow(100.0, -4.0 * rank / 12.0), 1e-15);
    EXPECT_NEAR(frequency(dealt, 1, 3 + r), std::pow(100.0, -2.0 * (2.0 * rank + 1.0) / 12.0), 1e-15);
  }
  const RotarySchedule spaced =
      make_schedule(parse("head_dim=12,base=100,sections=3/3,axis_frequencies=restart,exponent_dim=4"));
  EXPECT_NEAR(frequency(spaced, 1, 5), 0.01, 1e-17);
}

// Every order and rule, of odd and even sizes, against the plain definition; and no number but a distance in a score.
std::vector<Rotary> many_specs() {
  std::vector<Rotary> list;
  for (const char* rule : {"shared", "restart", "dealt"}) {
    for (const char* map : {"sections=3/2/2", "sections=3/2/2,section_order=interleaved", "sections=0/3/4",
                            "sections=3/2/2,section_order=alternating", "axes=2,section_order=alternating",
                            "axes=5,section_order=alternating", "axes=2,sections=1/2/3/1",
                            "sections=2/2/3,section_order=ernie", "axes=3,axis_of_pair=2/0/1/1/0/2/2"}) {
      for (const char* layout : {"half", "interleaved", "interleaved_to_half", "half_negative"}) {
        list.push_back(parse("head_dim=16,rotary_dim=14,rope_offset=1,base=50,scale=0.5,layout=" + std::string(layout) +
                             "," + map + ",axis_frequencies=" + rule));
      }
    }
  }
  return list;
}

using Vector = std::vector<double>;

Vector turned(Vector x, const Vector& place, const RotaryAngles& angles) {
  const auto width = static_cast<std::int64_t>(x.size());
  rotate(make_view(x.data(), {1, 1, width}), Positions::reals(place, static_cast<std::int64_t>(place.size())), angles);
  return x;
}

Vector head_of(std::int64_t width, double seed) {
  Vector x;
  for (std::int64_t c = 0; c < width; ++c) x.push_back(std::sin(seed + 1.7 * static_cast<double>(c)));
  return x;
}

Vector place_of(std::int64_t axes, double seed) {
  Vector place;
  for (std::int64_t a = 0; a < axes; ++a) place.push_back(std::round(40.0 * std::cos(seed + static_cast<double>(a))));
  return place;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(Axes, EveryOrderTurnsAsThePlainDefinitionAndByDistancesAlone) {
  for (const Rotary& spec : many_specs()) {
    SCOPED_TRACE(to_text(Spec(spec)));
    const RotaryAngles angles(spec);
    const std::int64_t axes = angles.schedule().axes;
    const Vector q = head_of(16, 0.1), k = head_of(16, 2.0);
    const Vector here = place_of(axes, 1.0), there = place_of(axes, 2.0), move = place_of(axes, 5.0);
    Vector wanted(16), far_here, far_there;
    reference::rotate_head(spec, here, q.data(), wanted.data());
    const Vector found = turned(q, here, angles);
    for (std::size_t c = 0; c < 16; ++c) EXPECT_NEAR(found[c], wanted[c], 1e-9) << c;
    for (std::size_t a = 0; a < here.size(); ++a) far_here.push_back(here[a] + move[a]);
    for (std::size_t a = 0; a < here.size(); ++a) far_there.push_back(there[a] + move[a]);
    EXPECT_NEAR(dot(found, turned(k, there, angles)), dot(turned(q, far_here, angles), turned(k, far_there, angles)),
                1e-8);
  }
}

// Sections in another order, frequencies and coordinates along with them: the same angles in another place.
TEST(Axes, SectionsMayBePermutedWithTheirAxes) {
  const Rotary spec = parse("head_dim=18,sections=2/3/4,axis_frequencies=restart");
  const Rotary other = parse("head_dim=18,sections=4/2/3,axis_frequencies=restart");
  const RotarySchedule a = make_schedule(spec), b = make_schedule(other);
  const std::size_t from[] = {0, 2, 5}, to[] = {4, 6, 0}, count[] = {2, 3, 4};
  const std::int64_t axis[] = {1, 2, 0};
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t i = 0; i < count[s]; ++i) {
      EXPECT_EQ(frequency(a, static_cast<std::int64_t>(s), from[s] + i), frequency(b, axis[s], to[s] + i));
    }
  }
}

// --- Layouts that are not rotations.

const RotaryCase& vjepa() {
  static const std::vector<RotaryCase> all = golden::rotary_cases(POSENC_TESTS "/golden/rotary");
  for (const RotaryCase& c : all) {
    if (c.name == "d-vjepa2") return c;
  }
  return all.front();
}

constexpr const char* kVjepa = "head_dim=64,axes=3,layout=interleaved_pairs_with_halves_tiling_per_axis";

TEST(NoRotation, TurnsAsVjepa) {
  const RotaryCase& c = vjepa();
  ASSERT_EQ(c.name, "d-vjepa2");
  const RotaryAngles angles(parse(kVjepa));
  EXPECT_EQ(angles.schedule().rotary_dim, 60);
  EXPECT_EQ(angles.schedule().columns(), 60);
  TypedBlock x(DType::f32, c.q_positions.view().count, 1, 64);
  x.set_values(c.q);
  rotate(x.view(), c.q_positions, angles);
  const std::vector<double> found = x.values();
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], c.q_rotated[i], 5e-7) << i;
}

// As HunYuan-VL's code has it: sections doubled, cut out of tables that are tiled as halves, one axis each.
Vector hunyuan(const Vector& q, const Vector& place, const std::vector<std::size_t>& sections, double base) {
  const std::size_t width = q.size(), half = width / 2;
  Vector axis_of_channel, out(width);
  for (std::size_t s = 0; s < sections.size(); ++s)
    axis_of_channel.insert(axis_of_channel.end(), 2 * sections[s], place[s]);
  for (std::size_t c = 0; c < width; ++c) {
    const double f = std::pow(base, -2.0 * static_cast<double>(c % half) / static_cast<double>(width));
    const double r = c < half ? -q[c + half] : q[c - half];
    out[c] = q[c] * std::cos(axis_of_channel[c] * f) + r * std::sin(axis_of_channel[c] * f);
  }
  return out;
}

constexpr const char* kHunyuan = "head_dim=32,base=100,layout=full_width_half,sections=4/3/5/4";

TEST(NoRotation, TurnsAsHunyuan) {
  const RotaryAngles angles(parse(kHunyuan));
  ASSERT_EQ(angles.schedule().axes, 4);
  const Vector q = head_of(32, 0.3), place = {5.0, 40.0, 3.0, 17.0};
  const Vector found = turned(q, place, angles), wanted = hunyuan(q, place, {4, 3, 5, 4}, 100.0);
  for (std::size_t c = 0; c < 32; ++c) EXPECT_NEAR(found[c], wanted[c], 1e-12) << c;
  EXPECT_GT(std::fabs(dot(found, found) - dot(q, q)), 1e-3);
}

// Both layouts: float types, batches, both of a layer, the transpose, the plain definition, rows per channel.
TEST(NoRotation, WorksInEveryCallThatNeedsNoInverse) {
  for (const char* text : {kHunyuan, kVjepa}) {
    SCOPED_TRACE(text);
    Rotary spec = parse(text);
    spec.attention_factor = 1.25;
    const RotaryAngles angles(spec);
    const std::int64_t width = spec.head_dim, axes = angles.schedule().axes, columns = angles.schedule().columns();
    const Vector q = head_of(width, 0.2), k = head_of(width, 0.7), g = head_of(width, 3.0), place = place_of(axes, 1.5);
    const Positions positions = Positions::reals(place, axes);
    Vector plain(q.size());
    reference::rotate_head(spec, place, q.data(), plain.data());
    const Vector found = turned(q, place, angles);
    for (std::size_t c = 0; c < q.size(); ++c) EXPECT_NEAR(found[c], plain[c], 1e-11) << c;
    // <g, R q> = <R^T g, q>
    Vector back = g, both_q = q, both_k = k;
    rotate_backward(make_view(back.data(), {1, 1, width}), positions, angles);
    EXPECT_NEAR(dot(g, found), dot(back, q), 1e-12);
    const Workers workers(2);
    rotate_qk({make_view(both_q.data(), {1, 1, 1, width}), make_view(both_k.data(), {1, 1, 1, width})}, positions,
              angles, {.query_scale = 2.0, .workers = &workers});
    const Vector turned_k = turned(k, place, angles);
    for (std::size_t c = 0; c < q.size(); ++c) EXPECT_NEAR(both_q[c], 2.0 * found[c], 1e-12);
    for (std::size_t c = 0; c < q.size(); ++c) EXPECT_EQ(both_k[c], turned_k[c]);
    Vector cos(static_cast<std::size_t>(columns)), row(2 * cos.size()), sin(cos.size());
    fill_cos_sin(angles, positions, make_view(cos.data(), {1, columns}), make_view(sin.data(), {1, columns}),
                 Tiling::halves);
    fill_cos_sin(angles, positions, make_view(row.data(), {1, 2 * columns}));
    for (std::size_t c = 0; c < cos.size(); ++c) {
      EXPECT_EQ(row[c], cos[c]);
      EXPECT_EQ(row[cos.size() + c], sin[c]);
    }
  }
}

// Two queries, three keys: softmax of the products of heads that the reference has rotated, and its gradient by
// differences.
TEST(NoRotation, IsAttended) {
  for (const char* text : {kHunyuan, kVjepa}) {
    SCOPED_TRACE(text);
    const Rotary spec = parse(text);
    const RotaryAngles angles(spec);
    const std::int64_t width = spec.head_dim, axes = angles.schedule().axes;
    const auto size = static_cast<std::size_t>(width);
    Vector q = head_of(2 * width, 0.4), places;
    const Vector k = head_of(3 * width, 1.3), v = head_of(3 * width, 2.2), g = head_of(2 * width, 0.9);
    for (const double seed : {1.0, 2.0, 3.0}) {
      for (const double coordinate : place_of(axes, seed)) places.push_back(coordinate);
    }
    const auto coordinates = static_cast<std::size_t>(axes);
    const Positions keys = Positions::reals(places, axes);
    const Positions queries = Positions::reals({places.begin(), places.begin() + 2 * axes}, axes);
    const auto plain_turn = [&](const Vector& x, std::size_t n) {
      Vector out(size);
      const std::span<const double> place(places.data() + n * coordinates, coordinates);
      reference::rotate_head(spec, place, x.data() + n * size, out.data());
      return out;
    };
    const auto plain = [&] {
      Vector out(2 * size, 0.0);
      for (std::size_t n = 0; n < 2; ++n) {
        double sum = 0.0;
        Vector weights;
        for (std::size_t s = 0; s < 3; ++s) {
          weights.push_back(std::exp(dot(plain_turn(q, n), plain_turn(k, s)) / std::sqrt(static_cast<double>(width))));
          sum += weights.back();
        }
        for (std::size_t s = 0; s < 3; ++s) {
          for (std::size_t c = 0; c < size; ++c) out[n * size + c] += weights[s] / sum * v[s * size + c];
        }
      }
      return out;
    };
    const AttendOptions options{.rotary = angles, .query_positions = queries, .key_positions = keys};
    const ConstView key = make_view(k.data(), {3, 1, width}), value = make_view(v.data(), {3, 1, width});
    Vector out(2 * size), gradient(2 * size);
    attend(make_view(q.data(), {2, 1, width}), key, value, make_view(out.data(), {2, 1, width}), options);
    const Vector wanted = plain();
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], wanted[i], 1e-11) << i;
    attend_backward({make_view(std::as_const(q).data(), {2, 1, width}), key, value, make_view(g.data(), {2, 1, width})},
                    {.q = make_view(gradient.data(), {2, 1, width})}, options);
    for (const std::size_t i : {std::size_t{0}, std::size_t{7}, size - 1, size + 5, 2 * size - 9}) {
      const double before = q[i], step = 1e-5;
      q[i] = before + step;
      const double above = dot(g, plain());
      q[i] = before - step;
      const double below = dot(g, plain());
      q[i] = before;
      EXPECT_NEAR(gradient[i], (above - below) / (2.0 * step), 1e-8) << i;
    }
  }
}

TEST(NoRotation, RefusesWhatNeedsARotation) {
  for (const char* text : {kHunyuan, kVjepa}) {
    const RotaryAngles angles(parse(text));
    const std::int64_t width = angles.schedule().head_dim, axes = angles.schedule().axes;
    Vector x = head_of(width, 1.0);
    const View view = make_view(x.data(), {1, 1, width});
    const Positions positions = Positions::reals(place_of(axes, 1.0), axes);
    const std::string no_rotation = "the layout is not a rotation";
    expect_error(ErrorKind::unsupported, "[rotate_inverse] " + no_rotation,
                 [&] { rotate_inverse(view, positions, angles); });
    expect_error(ErrorKind::unsupported, "[rerotate] " + no_rotation, [&] {
      rerotate(view, {angles, positions}, {angles, positions});
    });
    expect_error(ErrorKind::unsupported, "[RotaryTable] " + no_rotation,
                 [&] { RotaryTable(angles, PositionView::range(0, 4)); });
    EXPECT_EQ(x, head_of(width, 1.0));
  }
}

TEST(Axes, ScaleMultipliesEveryFrequency) {
  const RotarySchedule plain = make_schedule(parse("head_dim=16,sections=4/4"));
  const RotarySchedule scaled = make_schedule(parse("head_dim=16,sections=4/4,scale=-0.25"));
  for (std::size_t i = 0; i < plain.inv_freq.size(); ++i) EXPECT_EQ(scaled.inv_freq[i], -0.25 * plain.inv_freq[i]);
  const RotarySchedule given = make_schedule(parse("head_dim=4,inv_freq=3/5,scale=2"));
  EXPECT_EQ(given.inv_freq, (Vector{6.0, 10.0}));
}

}  // namespace
}  // namespace posenc::rotary_axes_test
