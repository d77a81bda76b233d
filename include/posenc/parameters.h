// The learned parameters of an encoding: their names and shapes, and how to pass them with a spec.
//
//     for (const posenc::ParameterInfo& p : posenc::parameters_of(spec)) use(p.name, p.shape);   // "table", {32, 8}
//     posenc::Bias bias(spec, {{"table", view}});
//     posenc::Gradients gradients = {{"table", grad}};       // same shapes, f32 or f64, accumulated
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "posenc/export.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

// How a parameter is initialised before training.
struct NormalStart {
  double std = 0.02;  // a normal distribution with mean 0
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
  std::vector<std::int64_t> shape;  // -1: any length, set by the other parameters or the call
  std::string help;
  bool optional = false;
  bool per_head = false;        // may have a leading axis of heads
  bool minus_infinity = false;  // -inf is allowed; all other numbers must be finite
  bool by_reference = false;    // the caller's memory is read at every use; other parameters are copied
  std::string unless = {};      // not needed if this parameter is given and no other with the same `unless` is given
  std::string together = {};    // the parameter that must be given together with this one
  ParameterStart start = {};
};

// Returns the learned parameters of a spec in their documented order; empty for fixed kinds.
POSENC_API std::vector<ParameterInfo> parameters_of(const Spec& spec);

// A parameter by name, of any float dtype and strides. It is a view: the memory must outlive what is made from it.
struct Parameter {
  std::string name;
  ConstView value;
};
using Parameters = std::vector<Parameter>;

// The gradient of a parameter, accumulated: same shape, f32 or f64, any strides. Gradients that are not listed are not
// computed.
struct Gradient {
  std::string name;
  View value;
};
using Gradients = std::vector<Gradient>;

}  // namespace posenc
