#include "insight/properties/published.h"

#include <limits>

namespace posenc::properties {
namespace {

constexpr double kOutOfMemory = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<PublishedCurve> published_perplexity() {
  const std::vector<double> at512 = {512, 1012, 1512, 2512, 3512, 8512, 15512};
  const std::vector<double> at1024 = {1024, 1524, 2024, 3024, 5024, 10024, 16024};
  return {
      {"sinusoidal", "sinusoidal", 512, at512, {20.05, 43.54, 76.23, 132.41, 178.97, 305.65, 406.01}},
      {"rotary", "rotary", 512, at512, {20.07, 21.37, 25.99, 31.58, 35.54, 54.98, 79.25}},
      {"T5 bias", "t5", 512, at512, {19.65, 18.79, 18.91, 20.41, 22.91, 43.08, kOutOfMemory}},
      {"ALiBi", "alibi", 512, at512, {19.73, 18.73, 18.52, 18.41, 18.40, 18.34, 18.31}},
      {"sinusoidal", "sinusoidal", 1024, at1024, {19.34, 29.82, 51.09, 96.46, 182.31, 337.48, 453.32}},
      {"rotary", "rotary", 1024, at1024, {19.33, 22.59, 31.17, 35.67, 48.31, 77.70, 106.99}},
      {"T5 bias", "t5", 1024, at1024, {18.80, 18.42, 18.34, 18.62, 20.47, 29.54, kOutOfMemory}},
      {"ALiBi", "alibi", 1024, at1024, {18.66, 18.22, 18.05, 17.92, 17.92, 17.97, 17.98}},
  };
}

std::string_view published_perplexity_source() noexcept {
  return "Press, Smith, Lewis: Train short, test long (ICLR 2022), tables 2 and 3: WikiText-103, 247M parameters, "
         "validation perplexity without overlap";
}

}  // namespace posenc::properties
