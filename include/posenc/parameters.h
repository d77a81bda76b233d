// The learned numbers of an encoding: their names and shapes, and how they are passed beside a spec.
//
//     for (const posenc::ParameterInfo& p : posenc::parameters_of(spec)) use(p.name, p.shape);   // "table", {32, 8}
//     posenc::Bias bias(spec, {{"table", view}});
//     posenc::Gradients gradients = {{"table", grad}};       // of the same shapes, f32 or f64, added to
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

// The numbers of a parameter before training.
struct NormalStart {
  double std = 0.02;  // drawn from a normal distribution around 0
};
struct ConstantStart {
  double value = 0.0;
};
struct SpreadStart {
  double top = 1.0;  // number i of n is top * (i + 1/2) / n
};
using ParameterStart = std::variant<NormalStart, ConstantStart, SpreadStart>;

struct ParameterInfo {
  std::string name;
  std::vector<std::int64_t> shape;  // -1: any length, as the other parameters or the call have it
  std::string help;
  bool optional = false;
  bool per_head = false;        // may also come with an axis of heads in front
  bool minus_infinity = false;  // -inf is allowed; all other numbers must be finite
  bool by_reference = false;    // the caller's memory is read whenever the encoding is used; the others are copied
  std::string unless = {};      // not needed if this parameter is given and none with the same `unless` is
  std::string together = {};    // this parameter must be given too, and must not be given alone
  ParameterStart start = {};
};

// What a spec learns, in the order in which it is documented; nothing for fixed kinds.
POSENC_API std::vector<ParameterInfo> parameters_of(const Spec& spec);

// A parameter by its name: any float type, any strides. Views: the memory must outlive what is made of them.
struct Parameter {
  std::string name;
  ConstView value;
};
using Parameters = std::vector<Parameter>;

// Where the gradient of a parameter is added: its shape, f32 or f64, any strides. What is left out is not computed.
struct Gradient {
  std::string name;
  View value;
};
using Gradients = std::vector<Gradient>;

}  // namespace posenc
