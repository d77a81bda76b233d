// Encodings of several axes at the input as published models have them: their specs, and the positions that go with
// them.
//
//     posenc::Concat spec = posenc::detr_sine(128);                       // [row | column], 256 channels
//     posenc::Positions places = posenc::product_positions({{posenc::counted_axis(3, 1), posenc::counted_axis(4, 1)}});
//     posenc::ConcatSchedule schedule = posenc::make_concat_schedule(spec);
//     posenc::fill_rows(posenc::concat_rows(spec, schedule), places, out);      // [12, 256]
//
// Axis 0 is the row y and axis 1 the column x; of video, axis 0 is the frame. docs/encodings/axes-input.md has a table
// of families. Pure functions; specs that cannot be are errors.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <span>
#include <vector>

#include "posenc/export.h"
#include "posenc/position.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

// Which coordinate of an image comes first in a row.
enum class ImageOrder : int {
  yx,  // row, then column
  xy,  // column, then row
};

// DETR: [y | x], `features` channels each, even, sines and cosines alternating. Positions: mask_coordinates.
POSENC_API Concat detr_sine(std::int64_t features, double temperature = 10000.0);
// DAB-DETR: a temperature for each axis.
POSENC_API Concat dab_detr_sine(std::int64_t features, double height_temperature, double width_temperature);
// MAE, ViT-MAE, RT-DETR, diffusers: [sin | cos] of one axis, then of the other, `width` in all, a multiple of 4. yx is
// transformers 5 and RT-DETR, xy the MAE release, transformers 4 and diffusers.
POSENC_API Concat mae_sine(std::int64_t width, ImageOrder order, double temperature = 10000.0);
// diffusers in three dimensions: a quarter of the width for the frame, then column and row; a multiple of 16.
POSENC_API Concat diffusers_sine_3d(std::int64_t width);
// timm's build_sincos2d_pos_embed: [sin | cos] per axis where `interleave`, else all sines, then all cosines. With
// reverse_coord its places are (x, y), x in the outer loop: positions of a grid of width x height.
POSENC_API Spec timm_sincos2d(std::int64_t width, bool interleave, double temperature = 10000.0);
// positional-encodings, on 1 to 3 axes: blocks of ceil(width / (2 axes)) * 2 channels, cut to `width`. With three axes
// and 7 or 8 channels nothing is left of the last axis.
POSENC_API Concat positional_encodings_sine(std::int64_t width, std::int64_t axes);
// tensor2tensor's add_timing_signal_nd: [sin | cos] per axis, leftover channels are zero.
POSENC_API Concat tensor2tensor_sine(std::int64_t width, std::int64_t axes, double min_timescale = 1.0,
                                     double max_timescale = 10000.0);
// Learned tables side by side, one per axis in the order of `axes_in_order`: {0, 1} is Reformer's axial encoding with
// places_in_grid for its positions, {1, 0} DETR's learned one, [column | row].
POSENC_API Concat axial_learned(std::initializer_list<std::int64_t> axes_in_order);

// Fourier features of every axis and band by itself: all sines, then all cosines, axis by axis: timm's
// build_fourier_pos_embed with power_bands or pixel_bands.
POSENC_API Fourier fourier_of_bands(std::int64_t axes, std::span<const double> bands);
// temperature^(-j / count).
POSENC_API std::vector<double> power_bands(std::int64_t count, double temperature = 10000.0);
// pi times `count` numbers from 1 to max_resolution / 2, evenly spaced, or so in their logarithms. For linspace_axis.
POSENC_API std::vector<double> pixel_bands(std::int64_t count, double max_resolution, bool linear);
// Gaussian Fourier features: 2 pi times `weights`, [axes][pairs]. diffusers (x may be ln x), SAM's prompts (2 x - 1).
POSENC_API Fourier gaussian_fourier(std::int64_t axes, std::span<const double> weights, bool cosines_first = false);

// Coordinates of `count` rows or columns.
POSENC_API std::vector<double> counted_axis(std::int64_t count, std::int64_t first = 0);  // first, first + 1, ...
POSENC_API std::vector<double> linspace_axis(std::int64_t count);                         // -1 to 1; of one, -1
POSENC_API std::vector<double> centred_axis(std::int64_t count);  // 2 (i + 0.5) / count - 1: DINOv3
// i / (count / base_size) / interpolation_scale: diffusers. base_size 0: i / interpolation_scale.
POSENC_API std::vector<double> scaled_axis(std::int64_t count, double base_size, double interpolation_scale = 1.0);

// All places of a grid with these coordinates, row by row: real positions on as many axes.
POSENC_API Positions product_positions(std::span<const std::vector<double>> axes);
POSENC_API Positions product_positions(std::initializer_list<std::vector<double>> axes);

// How DETR counts pixels.
struct MaskRule {
  bool normalize = false;  // divided by the last count of the row or column + 1e-6, times scale
  double scale = 2.0 * std::numbers::pi;
  bool half_cell = false;  // half less before that: Deformable DETR
};
// Row and column of every pixel of a mask, [height, width] of u8, i32 or i64, 1 where an image is and 0 where it was
// padded: counted from 1 over the pixels that are 1, so that padding keeps the last count. Real positions (y, x).
POSENC_API Positions mask_coordinates(const ConstView& mask, const MaskRule& rule = {});

}  // namespace posenc
