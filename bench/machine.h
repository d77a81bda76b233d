// The machine and build of a measurement, which readers need to interpret the numbers.
#pragma once

#include <string>

namespace posenc::bench {

struct Machine {
  std::string cpu;       // as the system names it, or "unknown"
  int cores = 0;         // available to this process; 0 if unknown
  std::string simd;      // the widest instruction set of the processor
  std::string compiler;  // used for this program
  std::string version;   // of posenc
  std::string build;     // "Release", ...
};

Machine machine();

// The model name in the text of /proc/cpuinfo; "unknown" if there is none.
std::string cpu_model(const std::string& cpuinfo);

}  // namespace posenc::bench
