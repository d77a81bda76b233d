// Where the sines and cosines of a sinusoidal row stand.
#pragma once

namespace posenc {

// Where sines and cosines stand in a row.
enum class Order : int {
  interleaved,      // sin, cos, sin, cos, ...
  cos_interleaved,  // cos, sin, cos, sin, ...
  halves,           // all sines, then all cosines
  cos_halves,       // all cosines, then all sines
};

}  // namespace posenc
