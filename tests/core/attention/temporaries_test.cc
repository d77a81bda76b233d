// What options, rows and streams keep of temporaries is still there when it is used: under AddressSanitizer anything
// else is an error, elsewhere other numbers would come out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "posenc/attend.h"
#include "posenc/axial.h"
#include "posenc/rerotate.h"
#include "posenc/schedule.h"
#include "posenc/table.h"
#include "posenc/vision_positions.h"

namespace temporaries_test {
namespace {

using posenc::AttendOptions;
using posenc::make_view;
using posenc::parse_positions;
using posenc::PositionView;

constexpr posenc::Rotary kRotary{.head_dim = 8};
constexpr posenc::Sinusoidal kSinusoidal{.width = 8};

std::vector<float> numbers(std::size_t count) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<float>(i % 7) * 0.25f - 0.5f;
  return result;
}

std::vector<float> attended(const AttendOptions& options) {
  const std::vector<float> x = numbers(3 * 2 * 8);
  std::vector<float> out(x.size());
  const posenc::ConstView view = make_view(x.data(), {3, 2, 8});
  posenc::attend(view, view, view, make_view(out.data(), {3, 2, 8}), options);
  return out;
}

AttendOptions made_in_a_function() {
  const posenc::RotaryTable table(kRotary, 64);
  return {.rotary = table};
}

TEST(Temporaries, AttendOptionsKeepWhatRotates) {
  const posenc::RotaryAngles angles(kRotary);
  const AttendOptions by_angles{.rotary = posenc::RotaryAngles(kRotary)};
  const AttendOptions by_table{.rotary = posenc::RotaryTable(kRotary, 64)};
  const AttendOptions returned = made_in_a_function();
  const std::vector<float> wanted = attended({.rotary = angles});
  EXPECT_NE(wanted, attended({}));
  EXPECT_EQ(attended(by_angles), wanted);
  EXPECT_EQ(attended(by_table), wanted);
  EXPECT_EQ(attended(returned), wanted);
}

TEST(Temporaries, OptionsKeepPositions) {
  const std::vector<std::int64_t> ids{3, 11, 40};
  const AttendOptions kept{.rotary = posenc::RotaryAngles(kRotary),
                           .query_positions = parse_positions("3,11,40"),
                           .key_positions = posenc::Positions::integers({3, 11, 40})};
  const AttendOptions copy = kept;
  const AttendOptions named{.rotary = posenc::RotaryAngles(kRotary),
                            .query_positions = PositionView::of(ids.data(), 3),
                            .key_positions = PositionView::of(ids.data(), 3)};
  EXPECT_EQ(attended(copy), attended(named));
  EXPECT_NE(attended(copy), attended({.rotary = posenc::RotaryAngles(kRotary)}));
}

TEST(Temporaries, PlacementsKeepAnglesAndPositions) {
  std::vector<float> x = numbers(2 * 1 * 8);
  std::vector<float> y = x;
  const posenc::Placement from{posenc::RotaryAngles(kRotary), parse_positions("5,9")};
  const posenc::Placement to{posenc::RotaryAngles(kRotary), parse_positions("0,1")};
  posenc::rerotate(make_view(x.data(), {2, 1, 8}), from, to);
  const posenc::RotaryAngles angles(kRotary);
  const std::int64_t old_ids[] = {5, 9};
  posenc::rerotate(make_view(y.data(), {2, 1, 8}), {angles, PositionView::of(old_ids, 2)},
                   {angles, PositionView::range(0, 2)});
  EXPECT_EQ(x, y);
}

std::vector<float> rows_of(const posenc::InputRows& rows, const PositionView& positions) {
  std::vector<float> out(static_cast<std::size_t>(positions.count * posenc::width_of(rows)));
  posenc::fill_rows(rows, positions, make_view(out.data(), {positions.count, posenc::width_of(rows)}));
  return out;
}

TEST(Temporaries, RowsKeepTablesAndSchedules) {
  const posenc::Table table(kSinusoidal, PositionView::range(0, 16));
  const posenc::InputRows fixed = posenc::Table(kSinusoidal, PositionView::range(0, 16)).rows_by_position();
  EXPECT_EQ(rows_of(fixed, PositionView::range(2, 5)), rows_of(table.rows_by_position(), PositionView::range(2, 5)));

  const posenc::Concat spec = posenc::detr_sine(8);
  const posenc::ConcatSchedule schedule = posenc::make_concat_schedule(spec);
  const posenc::InputRows concat = posenc::concat_rows(spec, posenc::make_concat_schedule(spec));
  const posenc::Positions places = parse_positions("1/2,3/4");
  EXPECT_EQ(rows_of(concat, places), rows_of(posenc::concat_rows(spec, schedule), places));
}

TEST(Temporaries, StreamsKeepPositions) {
  posenc::RowStream stream(posenc::make_schedule(kSinusoidal), parse_positions("7,1,30"));
  std::vector<float> streamed(3 * 8), wanted(3 * 8);
  EXPECT_EQ(stream.next(make_view(streamed.data(), {3, 8})), 3);
  posenc::fill_table(posenc::make_schedule(kSinusoidal), parse_positions("7,1,30"), make_view(wanted.data(), {3, 8}));
  EXPECT_EQ(streamed, wanted);

  posenc::RowStream of_table(posenc::Table(kSinusoidal, PositionView::range(0, 64)).rows_by_position(),
                             parse_positions("7,1,30"));
  EXPECT_EQ(of_table.next(make_view(streamed.data(), {3, 8})), 3);
  EXPECT_EQ(streamed, wanted);
}

TEST(Temporaries, ParametersKeepTheirNames) {
  const std::vector<double> values(3 * 2, 0.5);
  const posenc::Parameters parameters{{std::string("tab") + "le", make_view(values.data(), {3, 2})}};
  const posenc::Bias bias(posenc::Clipped{.heads = 2, .max_distance = 1}, parameters);
  EXPECT_EQ(bias.heads(), 2);
}

TEST(Temporaries, PicturesAreKept) {
  const std::vector<std::uint8_t> types{0, 1, 1, 1, 1, 0};
  const posenc::MropeInput input{.token_types = make_view(types.data(), {6}),
                                 .images = std::vector<posenc::PatchGrid>{{.height = 4, .width = 4}}};
  std::vector<std::int64_t> ids(6 * 3);
  const std::vector<std::int64_t> deltas = posenc::mrope_positions(input, {.merge = 2}, make_view(ids.data(), {6, 3}));
  EXPECT_EQ(deltas, std::vector<std::int64_t>{-2});
}

}  // namespace
}  // namespace temporaries_test
