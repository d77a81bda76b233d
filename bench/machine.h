// What a measurement was made on: without it, numbers mean nothing to another reader.
#pragma once

#include <string>

namespace posenc::bench {

struct Machine {
  std::string cpu;       // as the system names it; "unknown" where it does not
  int cores = 0;         // that this process may see; 0 if unknown
  std::string simd;      // the widest instruction set that the processor has
  std::string compiler;  // that built this program
  std::string version;   // of posenc
  std::string build;     // "Release", ...
};

Machine machine();

// The model name in the text of /proc/cpuinfo; "unknown" if there is none.
std::string cpu_model(const std::string& cpuinfo);

}  // namespace posenc::bench
