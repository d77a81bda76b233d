// Published input encodings of several axes (images, video): their specs and the positions that go with them.
//
//     posenc::Concat spec = posenc::detr_sine(128);                       // [row | column], 256 channels
//     posenc::Positions places = posenc::product_positions({{posenc::counted_axis(3, 1), posenc::counted_axis(4, 1)}});
//     posenc::ConcatSchedule schedule = posenc::make_concat_schedule(spec);
//     posenc::fill_rows(posenc::concat_rows(spec, schedule), places, out);      // [12, 256]
//
// Axis 0 is the row y and axis 1 the column x; for video, axis 0 is the frame. docs/encodings/axes-input.md has a table
// of model families. Pure functions; arguments out of range are errors.
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

// DETR: [y | x] with `features` channels each (even), sines and cosines alternating. Positions: mask_coordinates.
POSENC_API Concat detr_sine(std::int64_t features, double temperature = 10000.0);
// DAB-DETR: like DETR, with a separate temperature for each axis.
POSENC_API Concat dab_detr_sine(std::int64_t features, double height_temperature, double width_temperature);
// MAE, ViT-MAE, RT-DETR, diffusers: [sin | cos] of one axis, then of the other. `width` is the total and must be a
// multiple of 4. yx: transformers 5 and RT-DETR; xy: the MAE release, transformers 4 and diffusers.
POSENC_API Concat mae_sine(std::int64_t width, ImageOrder order, double temperature = 10000.0);
// diffusers in three dimensions: a quarter of the width for the frame, then column and row. `width` must be a multiple
// of 16.
POSENC_API Concat diffusers_sine_3d(std::int64_t width);
// timm's build_sincos2d_pos_embed: [sin | cos] per axis if `interleave`, else all sines, then all cosines. With
// reverse_coord, timm's coordinates are (x, y) with x in the outer loop: the positions of a width x height grid.
POSENC_API Spec timm_sincos2d(std::int64_t width, bool interleave, double temperature = 10000.0);
// The package positional-encodings, 1 to 3 axes: blocks of ceil(width / (2 axes)) * 2 channels, cut to `width`. With
// three axes and 7 or 8 channels, the last axis gets no channels.
POSENC_API Concat positional_encodings_sine(std::int64_t width, std::int64_t axes);
// tensor2tensor's add_timing_signal_nd: [sin | cos] per axis; leftover channels are zero.
POSENC_API Concat tensor2tensor_sine(std::int64_t width, std::int64_t axes, double min_timescale = 1.0,
                                     double max_timescale = 10000.0);
// Learned tables side by side, one per axis, in the order of `axes_in_order`. {0, 1} is Reformer's axial encoding
// (positions: places_in_grid); {1, 0} is DETR's learned encoding, [column | row].
POSENC_API Concat axial_learned(std::initializer_list<std::int64_t> axes_in_order);

// Fourier features with the same bands on every axis: all sines, then all cosines, axis by axis. timm's
// build_fourier_pos_embed with power_bands or pixel_bands.
POSENC_API Fourier fourier_of_bands(std::int64_t axes, std::span<const double> bands);
// Returns temperature^(-j / count) for j = 0 .. count - 1.
POSENC_API std::vector<double> power_bands(std::int64_t count, double temperature = 10000.0);
// Returns pi times `count` numbers from 1 to max_resolution / 2, spaced evenly if `linear`, else evenly in log. Use
// with linspace_axis.
POSENC_API std::vector<double> pixel_bands(std::int64_t count, double max_resolution, bool linear);
// Gaussian Fourier features: 2 pi times `weights`, [axes][pairs]. diffusers (x may be ln x), SAM's prompts (2 x - 1).
POSENC_API Fourier gaussian_fourier(std::int64_t axes, std::span<const double> weights, bool cosines_first = false);

// Coordinates of `count` rows or columns.
POSENC_API std::vector<double> counted_axis(std::int64_t count, std::int64_t first = 0);  // first, first + 1, ...
POSENC_API std::vector<double> linspace_axis(std::int64_t count);  // -1 to 1, evenly spaced; a count of 1 gives -1
POSENC_API std::vector<double> centred_axis(std::int64_t count);   // 2 (i + 0.5) / count - 1: DINOv3
// i / (count / base_size) / interpolation_scale: diffusers. With base_size 0: i / interpolation_scale.
POSENC_API std::vector<double> scaled_axis(std::int64_t count, double base_size, double interpolation_scale = 1.0);

// Returns every point of the grid with these coordinates, row by row: real positions, one axis per list.
POSENC_API Positions product_positions(std::span<const std::vector<double>> axes);
POSENC_API Positions product_positions(std::initializer_list<std::vector<double>> axes);

// How DETR numbers the pixels of a mask.
struct MaskRule {
  bool normalize = false;  // divide by (the last count of the row or column + 1e-6), then multiply by scale
  double scale = 2.0 * std::numbers::pi;
  bool half_cell = false;  // subtract 0.5 before that: Deformable DETR
};
// Returns row and column of every pixel of a mask: real positions (y, x). The mask is [height, width] of u8, i32 or
// i64, 1 for image and 0 for padding. Pixels are counted from 1; padding does not raise the count.
POSENC_API Positions mask_coordinates(const ConstView& mask, const MaskRule& rule = {});

}  // namespace posenc
