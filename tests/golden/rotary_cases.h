// The golden files of rotary encodings as posenc's own types. README.md says what a file holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "posenc/files/json.h"
#include "posenc/position.h"
#include "posenc/spec.h"

namespace golden {

// One set of layers of a model: the numbers of its rotary module.
struct RotaryCase {
  std::string name;  // of the file, with the type of the layers behind a slash if it has several
  std::string layout;
  posenc::Rotary spec;         // with the file's own frequencies; of V-JEPA 2 only the sizes
  std::optional<double> base;  // where the frequencies are those of the plain rule
  std::vector<double> inv_freq;
  double angle_multiplier = 1.0;  // 2 pi where a coordinate counts turns
  std::string dtype;              // "bfloat16", or empty
  std::string table_dtype;
  posenc::Positions positions;
  std::vector<double> cos, sin;  // [positions, pairs]
  posenc::Positions q_positions;
  std::vector<double> q, q_rotated;  // [q_positions, head_dim]

  std::int64_t pairs() const { return spec.rotary_dim / 2; }
};

// The numbers of one group of a file.
RotaryCase rotary_case(const std::string& name, const posenc::Json& group);

// All groups of all files of a folder that have a rotary encoding.
std::vector<RotaryCase> rotary_cases(const std::string& folder);

}  // namespace golden
