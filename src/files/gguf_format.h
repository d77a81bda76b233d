// Constants of the GGUF format: the types of values and tensors, and the limits of this reader.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace posenc::files {

// A type's number in the file is its index in this list.
struct GgufType {
  std::string_view name;
  int bytes;  // per value; 0: the value contains its length
};
inline constexpr std::array<GgufType, 13> kGgufTypes = {{
    {"u8", 1},
    {"i8", 1},
    {"u16", 2},
    {"i16", 2},
    {"u32", 4},
    {"i32", 4},
    {"f32", 4},
    {"bool", 1},
    {"string", 0},
    {"array", 0},
    {"u64", 8},
    {"i64", 8},
    {"f64", 8},
}};
inline constexpr std::uint32_t kGgufBool = 7;
inline constexpr std::uint32_t kGgufString = 8;
inline constexpr std::uint32_t kGgufArray = 9;

// Tensors are stored in blocks. Missing numbers belong to types that were removed from GGUF or are newer than this
// list.
struct GgufTensorType {
  std::uint32_t number;
  std::string_view name;
  int elements;  // per block
  int bytes;
};
inline constexpr std::array<GgufTensorType, 35> kGgufTensorTypes = {{
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},      {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 40},
    {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},   {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},   {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},   {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},
    {40, "NVFP4", 64, 36},    {41, "Q1_0", 128, 18},    {42, "Q2_0", 64, 18},
}};

constexpr const GgufTensorType* find_gguf_tensor_type(std::uint32_t number) noexcept {
  for (const GgufTensorType& type : kGgufTensorTypes) {
    if (type.number == number) return &type;
  }
  return nullptr;
}

inline constexpr std::uint64_t kMaxGgufKeys = 65536;
inline constexpr std::uint64_t kMaxGgufTensors = 1 << 20;
inline constexpr std::uint64_t kMaxGgufName = 65535;  // bytes of a key, as the format allows, or of a name
inline constexpr std::uint64_t kMaxGgufArray = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxGgufHeld = std::uint64_t{1} << 26;  // total bytes of names and values in memory
inline constexpr int kMaxGgufDepth = 4;                                // nesting of arrays
inline constexpr std::uint32_t kMaxGgufRank = 8;                       // ggml itself allows 4

}  // namespace posenc::files
