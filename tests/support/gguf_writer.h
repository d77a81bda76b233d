// Writes GGUF files for tests, byte by byte: any version, either byte order, and any defect.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t version = 3, bool big_endian = false) : version_(version), big_(big_endian) {}

  // The bytes of a number in the file's order.
  template <class T>
  std::string raw(T value) const {
    std::uint64_t bits = 0;
    if constexpr (std::is_same_v<T, float>) {
      bits = std::bit_cast<std::uint32_t>(value);
    } else if constexpr (std::is_same_v<T, double>) {
      bits = std::bit_cast<std::uint64_t>(value);
    } else {
      bits = static_cast<std::uint64_t>(value);
    }
    std::string bytes;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes += static_cast<char>(bits >> (8 * (big_ ? sizeof(T) - 1 - i : i)) & 0xFF);
    }
    return bytes;
  }
  std::string raw(const std::string& text) const { return raw(std::uint64_t{text.size()}) + text; }

  // Adds a key with a type and the bytes of its value.
  GgufWriter& entry(const std::string& key, std::uint32_t type, const std::string& bytes) {
    entries_ += raw(key) + raw(type) + bytes;
    ++keys_;
    return *this;
  }
  GgufWriter& u32(const std::string& key, std::uint32_t value) { return entry(key, 4, raw(value)); }
  GgufWriter& f32(const std::string& key, float value) { return entry(key, 6, raw(value)); }
  GgufWriter& flag(const std::string& key, bool value) { return entry(key, 7, std::string(1, value ? '\1' : '\0')); }
  GgufWriter& text(const std::string& key, const std::string& value) { return entry(key, 8, raw(value)); }
  GgufWriter& array(const std::string& key, std::uint32_t type, std::uint64_t size, const std::string& bytes) {
    return entry(key, 9, raw(type) + raw(size) + bytes);
  }
  GgufWriter& i32s(const std::string& key, const std::vector<std::int32_t>& values) {
    std::string bytes;
    for (const std::int32_t value : values) bytes += raw(value);
    return array(key, 5, values.size(), bytes);
  }
  GgufWriter& flags(const std::string& key, const std::vector<bool>& values) {
    std::string bytes;
    for (const bool value : values) bytes += value ? '\1' : '\0';
    return array(key, 7, values.size(), bytes);
  }

  // Adds a tensor to the header; `offset` is that of its data.
  GgufWriter& info(const std::string& name, const std::vector<std::uint64_t>& shape, std::uint32_t type,
                   std::uint64_t offset) {
    infos_ += raw(name) + raw(static_cast<std::uint32_t>(shape.size()));
    for (const std::uint64_t length : shape) infos_ += raw(length);
    infos_ += raw(type) + raw(offset);
    ++tensors_;
    return *this;
  }
  // Adds a tensor with its data, aligned to 32 bytes.
  GgufWriter& tensor(const std::string& name, const std::vector<std::uint64_t>& shape, std::uint32_t type,
                     const std::string& bytes) {
    data_.resize((data_.size() + 31) / 32 * 32);
    info(name, shape, type, data_.size());
    data_ += bytes;
    return *this;
  }
  GgufWriter& f32_tensor(const std::string& name, const std::vector<double>& values) {
    std::string bytes;
    for (const double value : values) bytes += raw(static_cast<float>(value));
    return tensor(name, {values.size()}, 0, bytes);
  }

  std::string header() const { return "GGUF" + raw(version_) + raw(tensors_) + raw(keys_) + entries_ + infos_; }
  std::string bytes(std::size_t alignment = 32) const {
    std::string all = header();
    if (!data_.empty()) all.resize((all.size() + alignment - 1) / alignment * alignment);
    return all + data_;
  }

 private:
  std::uint32_t version_;
  bool big_;
  std::uint64_t keys_ = 0;
  std::uint64_t tensors_ = 0;
  std::string entries_;
  std::string infos_;
  std::string data_;
};
