#include "posenc/axial.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/id_view.h"

namespace posenc {
namespace {

using base::refuse;

void check_multiple(std::int64_t width, std::int64_t factor, std::string_view where) {
  if (width >= factor && width % factor == 0) return;
  refuse(where, "width must be a positive multiple of ", factor, " but got ", width);
}

void check_count(std::int64_t count, std::string_view where) {
  if (count >= 0 && count <= (std::int64_t{1} << 27)) return;
  refuse(where, "count must be 0 to 134217728 but got ", count);
}

std::vector<double> evenly_spaced(double from, double to, std::int64_t count) {
  std::vector<double> numbers;
  const double step = count > 1 ? (to - from) / static_cast<double>(count - 1) : 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count && count > 1;
    numbers.push_back(last ? to : from + static_cast<double>(i) * step);
  }
  return numbers;
}

Concat checked(Concat spec) {
  validate(spec);
  return spec;
}

ConcatPart sine_part(std::int64_t axis, std::int64_t width, double base, Order order) {
  return {.axis = axis, .encoding = Sinusoidal{.width = width, .base = base, .order = order}};
}

// The cumulative counts along a row of a mask, or down a column.
std::vector<double> counted_line(const ConstView& mask, std::int64_t line, bool down, const MaskRule& rule) {
  std::vector<double> counts;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < mask.shape[down ? 0 : 1]; ++i) {
    count += down ? base::id_at(mask, i, line) : base::id_at(mask, line, i);
    counts.push_back(static_cast<double>(count));
  }
  if (!rule.normalize) return counts;
  const auto last = static_cast<double>(count);
  for (double& number : counts) number = (number - (rule.half_cell ? 0.5 : 0.0)) / (last + 1e-6) * rule.scale;
  return counts;
}

void check_mask(const ConstView& mask, const MaskRule& rule) {
  constexpr std::string_view kWhere = "mask_coordinates";
  base::check_view(mask, base::ids_to_read({"height", "width"}, base::Batch::as_given, base::kIntegers), kWhere,
                   "mask");
  base::require(std::isfinite(rule.scale), kWhere, "scale must be finite but got ", rule.scale);
  base::require(!rule.half_cell || rule.normalize, kWhere, "half_cell needs normalize");
  base::check_mask_values(mask, kWhere);
}

}  // namespace

Concat detr_sine(std::int64_t features, double temperature) {
  return dab_detr_sine(features, temperature, temperature);
}

Concat dab_detr_sine(std::int64_t features, double height_temperature, double width_temperature) {
  check_multiple(features, 2, "detr_sine");
  return checked({.parts = {sine_part(0, features, height_temperature, Order::interleaved),
                            sine_part(1, features, width_temperature, Order::interleaved)}});
}

Concat mae_sine(std::int64_t width, ImageOrder order, double temperature) {
  check_multiple(width, 4, "mae_sine");
  const std::int64_t first = order == ImageOrder::yx ? 0 : 1;
  return checked({.parts = {sine_part(first, width / 2, temperature, Order::halves),
                            sine_part(1 - first, width / 2, temperature, Order::halves)}});
}

Concat diffusers_sine_3d(std::int64_t width) {
  check_multiple(width, 16, "diffusers_sine_3d");
  const std::int64_t quarter = width / 4, spatial = 3 * width / 8;
  return checked(
      {.parts = {sine_part(0, quarter, 10000.0, Order::halves), sine_part(2, spatial, 10000.0, Order::halves),
                 sine_part(1, spatial, 10000.0, Order::halves)}});
}

Spec timm_sincos2d(std::int64_t width, bool interleave, double temperature) {
  check_multiple(width, 4, "timm_sincos2d");
  if (interleave) return mae_sine(width, ImageOrder::yx, temperature);
  return fourier_of_bands(2, power_bands(width / 4, temperature));
}

Concat positional_encodings_sine(std::int64_t width, std::int64_t axes) {
  base::require(axes >= 1 && axes <= 3, "positional_encodings_sine", "axes must be 1 to 3 but got ", axes);
  base::require(width >= 1, "positional_encodings_sine", "width must be at least 1 but got ", width);
  const std::int64_t block = (width + 2 * axes - 1) / (2 * axes) * 2;
  Concat spec{.parts = {}, .axes = axes, .width = width};
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    spec.parts.push_back(sine_part(axis, block, 10000.0, Order::interleaved));
  }
  return checked(std::move(spec));
}

Concat tensor2tensor_sine(std::int64_t width, std::int64_t axes, double min_timescale, double max_timescale) {
  constexpr std::string_view kWhere = "tensor2tensor_sine";
  base::require(axes >= 1 && axes <= 8, kWhere, "axes must be 1 to 8 but got ", axes);
  base::require(width >= 2 * axes, kWhere, "width must be at least two channels per axis, ", 2 * axes, ", but got ",
                width);
  base::require(min_timescale > 0.0, kWhere, "min_timescale must be above 0 but got ", min_timescale);
  Concat spec{.parts = {}, .axes = axes, .width = width};
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    spec.parts.push_back({.axis = axis,
                          .encoding = Sinusoidal{.width = width / (2 * axes) * 2,
                                                 .base = max_timescale / min_timescale,
                                                 .spacing = Spacing::half,
                                                 .frequency_scale = min_timescale,
                                                 .order = Order::halves}});
  }
  return checked(std::move(spec));
}

Concat axial_learned(std::initializer_list<std::int64_t> axes_in_order) {
  Concat spec;
  for (const std::int64_t axis : axes_in_order) {
    spec.parts.push_back({.axis = axis, .encoding = Learned{.past_end = PastEnd::error}});
  }
  return checked(std::move(spec));
}

Fourier fourier_of_bands(std::int64_t axes, std::span<const double> bands) {
  base::require(axes >= 1 && axes <= 8, "fourier_of_bands", "axes must be 1 to 8 but got ", axes);
  const auto count = static_cast<std::int64_t>(bands.size());
  Fourier spec{.axes = axes};
  spec.inv_freq.resize(static_cast<std::size_t>(axes * axes * count));
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    std::copy(bands.begin(), bands.end(), spec.inv_freq.data() + axis * (axes + 1) * count);
  }
  validate(spec);
  return spec;
}

std::vector<double> power_bands(std::int64_t count, double temperature) {
  check_count(count, "power_bands");
  base::require(temperature > 0.0, "power_bands", "temperature must be above 0 but got ", temperature);
  std::vector<double> bands;
  for (std::int64_t j = 0; j < count; ++j) {
    bands.push_back(std::pow(temperature, -static_cast<double>(j) / static_cast<double>(count)));
  }
  return bands;
}

std::vector<double> pixel_bands(std::int64_t count, double max_resolution, bool linear) {
  check_count(count, "pixel_bands");
  base::require(max_resolution > 0.0, "pixel_bands", "max_resolution must be above 0 but got ", max_resolution);
  const double top = linear ? max_resolution / 2.0 : std::log2(max_resolution) - 1.0;
  std::vector<double> bands = evenly_spaced(linear ? 1.0 : 0.0, top, count);
  for (double& band : bands) band = std::numbers::pi * (linear ? band : std::exp2(band));
  return bands;
}

Fourier gaussian_fourier(std::int64_t axes, std::span<const double> weights, bool cosines_first) {
  Fourier spec{.axes = axes,
               .inv_freq = {weights.begin(), weights.end()},
               .order = cosines_first ? Order::cos_halves : Order::halves};
  for (double& weight : spec.inv_freq) weight *= 2.0 * std::numbers::pi;
  validate(spec);
  return spec;
}

std::vector<double> counted_axis(std::int64_t count, std::int64_t first) {
  check_count(count, "counted_axis");
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(first + i));
  return numbers;
}

std::vector<double> linspace_axis(std::int64_t count) {
  check_count(count, "linspace_axis");
  return evenly_spaced(-1.0, 1.0, count);
}

std::vector<double> centred_axis(std::int64_t count) {
  std::vector<double> numbers = counted_axis(count);
  for (double& number : numbers) number = 2.0 * ((number + 0.5) / static_cast<double>(count)) - 1.0;
  return numbers;
}

std::vector<double> scaled_axis(std::int64_t count, double base_size, double interpolation_scale) {
  base::require(base_size >= 0.0 && interpolation_scale > 0.0, "scaled_axis",
                "base_size must be at least 0 and interpolation_scale above 0 but got ", base_size, " and ",
                interpolation_scale);
  std::vector<double> numbers = counted_axis(count);
  for (double& number : numbers) {
    if (base_size > 0.0) number /= static_cast<double>(count) / base_size;
    number /= interpolation_scale;
  }
  return numbers;
}

Positions product_positions(std::span<const std::vector<double>> axes) {
  base::require(!axes.empty(), "product_positions", "axes must not be empty");
  std::size_t places = 1;
  for (const std::vector<double>& axis : axes) {
    base::require(axis.size() <= (std::size_t{1} << 27) / std::max<std::size_t>(places, 1), "product_positions",
                  "there must be at most 134217728 places but the axes give more");
    places *= axis.size();
  }
  std::vector<double> values(places * axes.size());
  for (std::size_t n = 0; n < places; ++n) {
    std::size_t rest = n;
    for (std::size_t a = axes.size(); a-- > 0; rest /= axes[a].size()) {
      values[n * axes.size() + a] = axes[a][rest % axes[a].size()];
    }
  }
  return Positions::reals(std::move(values), static_cast<std::int64_t>(axes.size()));
}

Positions product_positions(std::initializer_list<std::vector<double>> axes) {
  return product_positions(std::span<const std::vector<double>>(axes.begin(), axes.size()));
}

Positions mask_coordinates(const ConstView& mask, const MaskRule& rule) {
  check_mask(mask, rule);
  const std::int64_t height = mask.shape[0], width = mask.shape[1];
  std::vector<double> values(static_cast<std::size_t>(2 * height * width));
  for (std::int64_t y = 0; y < height; ++y) {
    const std::vector<double> counts = counted_line(mask, y, /*down=*/false, rule);
    for (std::int64_t x = 0; x < width; ++x) {
      values[static_cast<std::size_t>(2 * (y * width + x) + 1)] = counts[static_cast<std::size_t>(x)];
    }
  }
  for (std::int64_t x = 0; x < width; ++x) {
    const std::vector<double> counts = counted_line(mask, x, /*down=*/true, rule);
    for (std::int64_t y = 0; y < height; ++y) {
      values[static_cast<std::size_t>(2 * (y * width + x))] = counts[static_cast<std::size_t>(y)];
    }
  }
  return Positions::reals(std::move(values), 2);
}

}  // namespace posenc
