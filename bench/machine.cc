#include "bench/machine.h"

#include <fstream>
#include <sstream>
#include <thread>

#include "posenc/version.h"

#ifndef POSENC_BUILD_TYPE
#define POSENC_BUILD_TYPE ""
#endif

namespace posenc::bench {
namespace {

std::string read_cpuinfo() {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string widest_simd() {
#if defined(__x86_64__) || defined(__i386__)
  if (__builtin_cpu_supports("avx512f")) return "avx512f";
  if (__builtin_cpu_supports("avx2")) return "avx2";
  if (__builtin_cpu_supports("sse4.2")) return "sse4.2";
  return "sse2";
#elif defined(__ARM_NEON)
  return "neon";
#else
  return "unknown";
#endif
}

std::string compiler_name() {
#if defined(__clang__)
  return __VERSION__;  // begins with the name
#else
  return std::string("g++ ") + __VERSION__;
#endif
}

}  // namespace

std::string cpu_model(const std::string& cpuinfo) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    if (line.find(':') != std::string::npos && begin != std::string::npos) return line.substr(begin);
  }
  return "unknown";
}

Machine machine() {
  const std::string build = POSENC_BUILD_TYPE;
  return {.cpu = cpu_model(read_cpuinfo()),
          .cores = static_cast<int>(std::thread::hardware_concurrency()),
          .simd = widest_simd(),
          .compiler = compiler_name(),
          .version = version(),
          .build = build.empty() ? "unknown" : build};
}

}  // namespace posenc::bench
