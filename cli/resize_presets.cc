#include "cli/resize_presets.h"

namespace posenc::cli {

std::vector<ResizePreset> resize_presets() {
  return {
      {"vit", "bicubic: ViT, DeiT, CLIP, SigLIP and most others in transformers", {}},
      {"dinov2", "bicubic: DINOv2 in transformers", {}},
      {"dinov2_with_registers", "bicubic, antialias: that model in transformers", {.antialias = true}},
      {"dino", "bicubic, extra size 0.1: DINO's and DINOv2's own code", {.extra_size = 0.1}},
      {"timm", "bicubic, antialias: timm's resample_abs_pos_embed", {.antialias = true}},
      {"siglip2", "bilinear, antialias: SigLIP2 in transformers", {.method = Interpolation::linear, .antialias = true}},
      {"qwen3_vl", "bilinear, corners: Qwen3-VL", {.method = Interpolation::linear, .align = Align::corners}},
  };
}

}  // namespace posenc::cli
