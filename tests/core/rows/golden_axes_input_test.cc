// Numbers that published implementations of several axes computed, from the specs that posenc/axial.h makes and the
// ids of posenc/vision_positions.h: golden/README.md says where they come from.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>

#include "golden/case.h"
#include "posenc/posenc.h"

namespace golden_axes_input_test {
namespace {

using golden::Tensor;
using posenc::make_view;
using posenc::PatchGrid;
using posenc::Positions;
using posenc::PositionView;

const std::set<std::string> kFiles = {"a_bros_bbox",
                                      "a_dab_detr",
                                      "a_deformable_detr_norm",
                                      "a_detr_sine_f4_t10000_norm_scale3.5",
                                      "a_detr_sine_f5_t10000_raw",
                                      "a_detr_sine_f6_t20_norm",
                                      "a_detr_sine_f8_t10000_norm",
                                      "a_diffusers_gaussian_fourier_log0_flip1",
                                      "a_diffusers_sincos2d",
                                      "a_diffusers_sincos3d",
                                      "a_pe2d_c10",
                                      "a_pe2d_c6",
                                      "a_pe2d_c8",
                                      "a_pe3d_c12",
                                      "a_pe3d_c7",
                                      "a_pe_summer",
                                      "a_timm_fourier_in_pixels0",
                                      "a_timm_sincos2d_rev1_il0",
                                      "a_timm_sincos2d_rev1_il1",
                                      "a_vitmae_sincos2d_3x3_d8_t100",
                                      "g_mrope_long_video",
                                      "g_mrope_qwen2_5_vl",
                                      "old_mrope_long_video",
                                      "t2t_timing_nd"};

golden::Case load(const std::string& name) {
  EXPECT_TRUE(kFiles.contains(name)) << name;
  return golden::Case(POSENC_TESTS "/golden/axes_input/" + name + ".json");
}

// The rows of a spec without learned parts, [places][width].
std::vector<double> rows(const posenc::Spec& spec, const PositionView& positions,
                         const std::vector<posenc::ConstView>& tables = {}) {
  posenc::ConcatSchedule parts;
  posenc::FourierSchedule fourier;
  posenc::InputRows source;
  if (const auto* concat = std::get_if<posenc::Concat>(&spec)) {
    parts = posenc::make_concat_schedule(*concat);
    source = posenc::concat_rows(*concat, parts, tables);
  } else {
    fourier = posenc::make_fourier_schedule(std::get<posenc::Fourier>(spec));
    source = posenc::FourierRows{&fourier};
  }
  const std::int64_t width = posenc::width_of(source);
  std::vector<double> out(static_cast<std::size_t>(positions.count * width));
  posenc::fill_rows(source, positions, make_view(out.data(), {positions.count, width}));
  return out;
}

// [places][channels] as [channels][places].
std::vector<double> channels_first(const std::vector<double>& numbers, std::int64_t places) {
  const std::size_t count = static_cast<std::size_t>(places), width = numbers.size() / count;
  std::vector<double> turned;
  for (std::size_t c = 0; c < width; ++c) {
    for (std::size_t n = 0; n < count; ++n) turned.push_back(numbers[n * width + c]);
  }
  return turned;
}

Positions grid(std::int64_t height, std::int64_t width) {
  return posenc::product_positions({posenc::counted_axis(height), posenc::counted_axis(width)});
}

posenc::MaskRule detr_rule(const golden::Case& c) {
  const posenc::Json& scale = c.input("scale");
  return {.normalize = c.input("normalize").boolean(),
          .scale = scale.is_string() ? 2.0 * std::numbers::pi : scale.number()};
}

TEST(GoldenAxes, Detr) {
  for (const char* name :
       {"a_detr_sine_f4_t10000_norm_scale3.5", "a_detr_sine_f6_t20_norm", "a_detr_sine_f8_t10000_norm"}) {
    const golden::Case c = load(name);
    const posenc::Concat spec = posenc::detr_sine(c.integer("num_position_features"), c.input("temperature").number());
    const Tensor mask(c.input("mask"));
    const std::int64_t height = mask.shape[1], width = mask.shape[2];
    std::vector<double> batch;
    for (std::int64_t b = 0; b < mask.shape[0]; ++b) {
      const auto first = mask.values.begin() + b * height * width;
      const std::vector<std::int64_t> pixels(first, first + height * width);
      const Positions places = posenc::mask_coordinates(make_view(pixels.data(), {height, width}), detr_rule(c));
      const std::vector<double> image = channels_first(rows(spec, places), height * width);
      if (b == 0) {
        c.compare("no_mask", image, 1e-6);
        c.compare("ref64_no_mask", image, 1e-13);
      }
      batch.insert(batch.end(), image.begin(), image.end());
    }
    c.compare("masked_batch", batch, 1e-6);
  }
  const golden::Case odd = load("a_detr_sine_f5_t10000_raw");
  EXPECT_THROW(posenc::detr_sine(odd.integer("num_position_features")), posenc::Error);
}

TEST(GoldenAxes, RelativesOfDetr) {
  const std::vector<std::uint8_t> all(12, 1);
  const posenc::ConstView mask = make_view(static_cast<const void*>(all.data()), posenc::DType::u8, {3, 4});
  const golden::Case dab = load("a_dab_detr");
  const posenc::Concat spec =
      posenc::dab_detr_sine(dab.integer("hidden_size") / 2, dab.input("temperature_height").number(),
                            dab.input("temperature_width").number());
  dab.compare("pos_chw", channels_first(rows(spec, posenc::mask_coordinates(mask, {.normalize = true})), 12), 2e-6);
  const golden::Case deformable = load("a_deformable_detr_norm");
  const Positions shifted = posenc::mask_coordinates(mask, {.normalize = true, .half_cell = true});
  const posenc::Concat plain = posenc::detr_sine(deformable.integer("num_position_features"));
  deformable.compare("pos_chw", channels_first(rows(plain, shifted), 12), 2e-6);
}

TEST(GoldenAxes, MaeTimmAndDiffusers) {
  const golden::Case mae = load("a_vitmae_sincos2d_3x3_d8_t100");
  const posenc::Concat spec =
      posenc::mae_sine(mae.integer("embed_dim"), posenc::ImageOrder::yx, mae.input("temperature").number());
  mae.compare("float64", rows(spec, grid(3, 3)), 1e-14);
  for (const bool interleave : {false, true}) {
    const golden::Case timm = load(interleave ? "a_timm_sincos2d_rev1_il1" : "a_timm_sincos2d_rev1_il0");
    const posenc::Spec sines = posenc::timm_sincos2d(timm.integer("dim"), interleave);
    timm.compare("float32", rows(sines, grid(3, 2)), 1e-7);  // reverse_coord: (x, y) of 2 rows and 3 columns
  }
  const golden::Case flat = load("a_diffusers_sincos2d");
  const double base = flat.input("base_size").number(), scale = flat.input("interpolation_scale").number();
  const Positions places =
      posenc::product_positions({posenc::scaled_axis(2, base, scale), posenc::scaled_axis(3, base, scale)});
  flat.compare("float64", rows(posenc::mae_sine(flat.integer("embed_dim"), posenc::ImageOrder::xy), places),
               4e-8);  // its coordinates are float32
  const golden::Case video = load("a_diffusers_sincos3d");
  const Positions frames =
      posenc::product_positions({posenc::counted_axis(2), posenc::counted_axis(2), posenc::counted_axis(3)});
  video.compare("out", rows(posenc::diffusers_sine_3d(video.integer("embed_dim")), frames), 1e-14);
}

TEST(GoldenAxes, PositionalEncodingsAndTensor2Tensor) {
  for (const char* name : {"a_pe2d_c6", "a_pe2d_c8", "a_pe2d_c10"}) {
    const golden::Case c = load(name);
    const Tensor shape(c.input("shape_xy"));
    const posenc::Concat spec = posenc::positional_encodings_sine(c.integer("channels"), 2);
    EXPECT_EQ(std::get<posenc::Sinusoidal>(spec.parts[0].encoding).width, c.integer("per_axis_channels"));
    c.compare("float32",
              rows(spec, grid(static_cast<std::int64_t>(shape.values[0]), static_cast<std::int64_t>(shape.values[1]))),
              2e-7);
  }
  for (const char* name : {"a_pe3d_c7", "a_pe3d_c12"}) {
    const golden::Case c = load(name);
    std::vector<std::vector<double>> axes;
    for (const double length : Tensor(c.input("shape_xyz")).values) {
      axes.push_back(posenc::counted_axis(static_cast<std::int64_t>(length)));
    }
    const posenc::Concat spec = posenc::positional_encodings_sine(c.integer("channels"), 3);
    c.compare("float32", rows(spec, posenc::product_positions(axes)), 2e-7);
  }
  const golden::Case t2t = load("t2t_timing_nd");
  const Tensor shape(t2t.input("shape_hwc"));
  t2t.compare("signal", rows(posenc::tensor2tensor_sine(static_cast<std::int64_t>(shape.values[2]), 2), grid(2, 3)),
              3e-7);
}

TEST(GoldenAxes, Summer) {
  const golden::Case c = load("a_pe_summer");
  const Tensor x(c.input("x"));
  const posenc::Concat spec = posenc::positional_encodings_sine(x.shape[2], 1);
  const posenc::ConcatSchedule schedule = posenc::make_concat_schedule(spec);
  std::vector<double> sum(x.values.size());
  posenc::add_positions(x.view(), PositionView::range(0, x.shape[1]), posenc::concat_rows(spec, schedule),
                        make_view(sum.data(), {x.shape[0], x.shape[1], x.shape[2]}));
  c.compare("float32", sum, 3e-7);
}

TEST(GoldenAxes, Fourier) {
  const golden::Case gauss = load("a_diffusers_gaussian_fourier_log0_flip1");
  const Tensor weights(gauss.input("weight")), x(gauss.input("x"));
  const posenc::Fourier spec = posenc::gaussian_fourier(1, weights.values, /*cosines_first=*/true);
  gauss.compare("float32", rows(spec, PositionView::of(x.values.data(), 3)), 2e-6);

  const golden::Case timm = load("a_timm_fourier_in_pixels0");
  const std::vector<double> features =
      rows(posenc::fourier_of_bands(2, posenc::power_bands(timm.integer("num_bands"))), grid(2, 3));
  std::vector<double> sines, cosines;  // [place][axis][band] each
  for (std::size_t n = 0; n < 6; ++n) {
    sines.insert(sines.end(), features.begin() + static_cast<std::ptrdiff_t>(n * 16),
                 features.begin() + static_cast<std::ptrdiff_t>(n * 16 + 8));
    cosines.insert(cosines.end(), features.begin() + static_cast<std::ptrdiff_t>(n * 16 + 8),
                   features.begin() + static_cast<std::ptrdiff_t>(n * 16 + 16));
  }
  timm.compare("sin_hwxb", sines, 1e-7);
  timm.compare("cos_hwxb", cosines, 1e-7);
}

// The eight coordinates of a box, of one box minus those of another, and a projection of what they give.
TEST(GoldenAxes, BoxesOfBros) {
  const golden::Case c = load("a_bros_bbox");
  const Tensor boxes(c.input("bbox_bn8")), projection(c.input("bbox_projection.weight"));
  posenc::Concat spec;
  for (std::int64_t axis = 0; axis < 8; ++axis) {
    spec.parts.push_back({axis, posenc::Sinusoidal{.width = c.integer("dim_1d"), .order = posenc::Order::halves}});
  }
  const std::size_t count = static_cast<std::size_t>(boxes.shape[1]);
  std::vector<double> differences, projected;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t a = 0; a < 8; ++a) differences.push_back(boxes.values[8 * j + a] - boxes.values[8 * i + a]);
    }
  }
  const std::vector<double> sines = rows(spec, Positions::reals(differences, 8));
  for (std::size_t pair = 0; pair < count * count; ++pair) {
    for (std::size_t out = 0; out < static_cast<std::size_t>(projection.shape[0]); ++out) {
      double sum = 0.0;
      for (std::size_t m = 0; m < 32; ++m) sum += projection.values[32 * out + m] * sines[32 * pair + m];
      projected.push_back(sum);
    }
  }
  c.compare("out_qkbd", projected, 1e-6);
}

TEST(GoldenAxes, LearnedTables) {
  const golden::Case detr(POSENC_TESTS "/golden/learned/a_detr_learned.json");
  const Tensor by_row(detr.input("row_embeddings")), by_column(detr.input("column_embeddings"));
  detr.compare("pos_chw",
               channels_first(rows(posenc::axial_learned({1, 0}), grid(2, 3), {by_column.view(), by_row.view()}), 6),
               0.0);
  const golden::Case reformer(POSENC_TESTS "/golden/learned/b_reformer_axial.json");
  const Tensor ids(reformer.input("position_ids"));
  Tensor first(reformer.input("weights.0")), second(reformer.input("weights.1"));
  first.shape = {3, 2};
  second.shape = {4, 3};
  const std::vector<std::int64_t> flat(ids.values.begin(), ids.values.end()), shape = {3, 4};
  std::vector<std::int64_t> places(2 * flat.size());
  posenc::places_in_grid(make_view(flat.data(), {7}), shape, make_view(places.data(), {7, 2}));
  reformer.compare(
      "out", rows(posenc::axial_learned({0, 1}), Positions::integers(places, 2), {first.view(), second.view()}), 0.0);
}

std::vector<PatchGrid> grids(const posenc::Json& json) {
  const Tensor numbers(json);
  std::vector<PatchGrid> list;
  for (std::size_t i = 0; i < numbers.values.size(); i += 3) {
    list.push_back({static_cast<std::int64_t>(numbers.values[i]), static_cast<std::int64_t>(numbers.values[i + 1]),
                    static_cast<std::int64_t>(numbers.values[i + 2])});
  }
  return list;
}

std::vector<std::int64_t> integers(const posenc::Json& json) {
  const Tensor numbers(json);
  return {numbers.values.begin(), numbers.values.end()};
}

// Of Hugging Face's [3, B, N], with the axis last.
std::vector<std::int64_t> axis_last(const posenc::Json& json) {
  const std::vector<std::int64_t> numbers = integers(json);
  const std::size_t tokens = numbers.size() / 3;
  std::vector<std::int64_t> turned;
  for (std::size_t n = 0; n < tokens; ++n) {
    for (std::size_t a = 0; a < 3; ++a) turned.push_back(numbers[a * tokens + n]);
  }
  return turned;
}

TEST(GoldenAxes, MropeWithPadding) {
  const golden::Case c = load("g_mrope_qwen2_5_vl");
  const std::vector<std::int64_t> types = integers(c.input("mm_token_type_ids")),
                                  mask = integers(c.input("attention_mask"));
  const std::vector<PatchGrid> images = grids(c.input("image_grid_thw")), videos = grids(c.input("video_grid_thw"));
  const Tensor seconds(c.input("second_per_grid_ts"));
  std::vector<std::int64_t> ids(2 * 13 * 3, -7);
  const std::vector<std::int64_t> deltas = posenc::mrope_positions(
      {.token_types = make_view(types.data(), {2, 13}),
       .images = images,
       .videos = videos,
       .seconds_per_grid = seconds.values,
       .mask = make_view(mask.data(), {2, 13})},
      {.merge = c.integer("spatial_merge_size"), .tokens_per_second = c.input("tokens_per_second").number()},
      make_view(ids.data(), {2, 13, 3}));
  EXPECT_EQ(ids, axis_last(c.output("position_ids_3bn")));
  EXPECT_EQ(deltas, integers(c.output("rope_deltas")));
  std::vector<std::int32_t> memory(2 * 13 * 3, -7);  // [3, B, N], as Hugging Face has it
  posenc::View axes_first = make_view(memory.data(), {2, 13, 3});
  axes_first.strides = {13, 1, 26};
  posenc::mrope_positions(
      {.token_types = make_view(types.data(), {2, 13}),
       .images = images,
       .videos = videos,
       .seconds_per_grid = seconds.values,
       .mask = make_view(mask.data(), {2, 13})},
      {.merge = c.integer("spatial_merge_size"), .tokens_per_second = c.input("tokens_per_second").number()},
      axes_first);
  const std::vector<std::int64_t> wanted = integers(c.output("position_ids_3bn"));
  EXPECT_TRUE(std::equal(memory.begin(), memory.end(), wanted.begin(), wanted.end()));
}

TEST(GoldenAxes, MropeOfALongVideoByBothRules) {
  for (const bool old : {false, true}) {
    const golden::Case c = load(old ? "old_mrope_long_video" : "g_mrope_long_video");
    const std::vector<std::int64_t> types = integers(c.input("mm_token_type_ids"));
    const std::vector<PatchGrid> videos = grids(c.input("video_grid_thw"));
    const Tensor seconds(c.input("second_per_grid_ts"));
    for (const bool timed : {false, true}) {
      posenc::MropeRule rule{.merge = c.integer("spatial_merge_size"),
                             .after = old ? posenc::AfterVision::largest : posenc::AfterVision::extent};
      if (timed) rule.tokens_per_second = c.input("tokens_per_second").number();
      std::vector<std::int64_t> ids(types.size() * 3);
      const auto count = static_cast<std::int64_t>(types.size());
      const std::vector<std::int64_t> deltas = posenc::mrope_positions(
          {.token_types = make_view(types.data(), {count}), .videos = videos, .seconds_per_grid = seconds.values}, rule,
          make_view(ids.data(), {count, 3}));
      const posenc::Json& wanted = c.output(timed ? "qwen2_5_vl" : "qwen2_vl");
      EXPECT_EQ(ids, axis_last(*wanted.find("position_ids_3n")));
      EXPECT_EQ(deltas, integers(*wanted.find("rope_delta")));
    }
  }
}

TEST(GoldenAxes, PatchesInTheOrderOfTowers) {
  const auto positions_of = [](const std::string& name) {
    const std::string path = POSENC_TESTS "/golden/rotary/" + name + ".json";
    return posenc::parse_json(posenc::read_file(path), path).find("groups")->array()[0];
  };
  const posenc::Json qwen = positions_of("d-qwen2-5-vl-vision");
  std::vector<std::int64_t> ids;
  posenc::append_patches(ids, {.height = 4, .width = 6}, {.merge = 2});
  EXPECT_EQ(integers(*qwen.find("grid")), (std::vector<std::int64_t>{4, 6}));
  EXPECT_EQ(ids, integers(*qwen.find("positions")));
  ids.clear();
  posenc::append_patches(ids, {.frames = 2, .height = 4, .width = 6}, {.merge = 2, .axes = posenc::PatchAxes::tyx});
  EXPECT_EQ(ids, integers(*positions_of("d-minimax-m3-vl-vision").find("positions")));
  ids.clear();
  posenc::append_patches(ids, {.height = 3, .width = 5}, {});
  EXPECT_EQ(ids, integers(*positions_of("d-mlcd-vision").find("positions")));
  ids.clear();
  posenc::append_patches(ids, {.height = 4, .width = 4}, {.axes = posenc::PatchAxes::xy, .first = 1});
  ids.insert(ids.end(), {0, 0});  // the class token comes last
  EXPECT_EQ(ids, integers(*positions_of("d-llama4-vision").find("positions")));
  const Tensor centres(*positions_of("d-dinov3-vit").find("positions"));
  const Positions places = posenc::product_positions({posenc::centred_axis(3), posenc::centred_axis(5)});
  ASSERT_EQ(centres.values.size(), 30u);
  for (std::int64_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(places.view().real(0, i / 2, i % 2), centres.values[static_cast<std::size_t>(i)], 1e-7);
  }
}

TEST(GoldenAxes, EveryFileHasATest) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(POSENC_TESTS "/golden/axes_input")) {
    files.insert(entry.path().stem().string());
  }
  EXPECT_EQ(files, kFiles);
}

}  // namespace
}  // namespace golden_axes_input_test
