// The order of sines and cosines in a sinusoidal row.
#pragma once

namespace posenc {

// The order of sines and cosines in a row.
enum class Order : int {
  interleaved,      // sin, cos, sin, cos, ...
  cos_interleaved,  // cos, sin, cos, sin, ...
  halves,           // all sines, then all cosines
  cos_halves,       // all cosines, then all sines
};

}  // namespace posenc
