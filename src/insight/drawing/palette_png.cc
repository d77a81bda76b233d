#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "posenc/error.h"
#include "posenc/insight/svg.h"

namespace posenc {
namespace {

void put_big_endian(std::string& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>((value >> shift) & 0xFFU);
}

// Compresses by RFC 1951, in one block of fixed codes. The only matches are runs of one byte, at distance 1.
class RunDeflate {
 public:
  RunDeflate() { put(0b011, 3); }  // the last block, fixed codes

  void add(std::string_view bytes) {
    for (std::size_t begin = 0; begin < bytes.size();) {
      std::size_t end = begin + 1;
      while (end < bytes.size() && bytes[end] == bytes[begin]) ++end;
      symbol(static_cast<unsigned char>(bytes[begin]));
      repeat(bytes[begin], end - begin - 1);
      begin = end;
    }
  }
  std::string finish() {
    symbol(256);
    if (count_ > 0) bytes_ += static_cast<char>(buffer_);
    return std::move(bytes_);
  }

 private:
  // Lengths 3 to 258 of RFC 1951: symbols 257 to 284 in steps that double every four, 285 for 258 itself.
  void repeat(char byte, std::size_t length) {
    for (; length >= 3; length -= std::min<std::size_t>(length, 258)) {
      match(static_cast<std::uint32_t>(std::min<std::size_t>(length, 258)));
    }
    for (; length > 0; --length) symbol(static_cast<unsigned char>(byte));
  }
  void match(std::uint32_t length) {
    if (length == 258) {
      symbol(285);
    } else {
      const std::uint32_t rest = length - 3;
      std::uint32_t extra = 0;
      while (rest >= 8U << extra) ++extra;
      symbol(257 + 4 * extra + (rest >> extra));
      put(rest & ((1U << extra) - 1U), extra);
    }
    put(0, 5);  // distance 1
  }
  void symbol(std::uint32_t value) {
    if (value < 144) return put_code(0x30 + value, 8);
    if (value < 256) return put_code(0x190 + value - 144, 9);
    if (value < 280) return put_code(value - 256, 7);
    put_code(0xC0 + value - 280, 8);
  }
  // Codes are written from their highest bit, numbers from their lowest.
  void put_code(std::uint32_t code, std::uint32_t bits) {
    while (bits > 0) put((code >> --bits) & 1U, 1);
  }
  void put(std::uint32_t value, std::uint32_t bits) {
    for (; bits > 0; --bits, value >>= 1U) {
      buffer_ |= (value & 1U) << count_;
      if (++count_ < 8) continue;
      bytes_ += static_cast<char>(buffer_);
      buffer_ = count_ = 0;
    }
  }

  std::string bytes_;
  std::uint32_t buffer_ = 0;
  std::uint32_t count_ = 0;
};

std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return (b << 16U) | a;
}

std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table = {};
    for (std::uint32_t n = 0; n < 256; ++n) {
      table[n] = n;
      for (int bit = 0; bit < 8; ++bit)
        table[n] = (table[n] & 1U) != 0 ? 0xEDB88320U ^ (table[n] >> 1U) : table[n] >> 1U;
    }
    return table;
  }();
  std::uint32_t sum = 0xFFFFFFFFU;
  for (const char byte : bytes) sum = kTable[(sum ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (sum >> 8U);
  return ~sum;
}

void put_chunk(std::string& png, std::string_view name, std::string_view data) {
  put_big_endian(png, static_cast<std::uint32_t>(data.size()));
  const std::string body = std::string(name) + std::string(data);
  png += body;
  put_big_endian(png, crc32(body));
}

std::string palette(ColorMap map, Theme theme, std::uint8_t last) {
  std::string bytes;
  for (int level = 0; level <= last; ++level) {
    const Color color = color_of(map, static_cast<std::uint8_t>(level), theme);
    for (const std::uint8_t part : {color.red, color.green, color.blue}) bytes += static_cast<char>(part);
  }
  return bytes;
}

// Each row after its filter byte. A row equal to the one above is written as differences, which are a run of zeros.
std::string filtered_rows(std::span<const std::uint8_t> levels, std::size_t columns) {
  constexpr char kPlain = 0;
  constexpr char kUp = 2;
  std::string bytes;
  for (std::size_t begin = 0; begin < levels.size(); begin += columns) {
    const auto row = levels.subspan(begin, columns);
    const bool repeats = begin > 0 && std::equal(row.begin(), row.end(), levels.subspan(begin - columns).begin());
    bytes += repeats ? kUp : kPlain;
    if (repeats) {
      bytes.append(columns, '\0');
    } else {
      for (const std::uint8_t level : row) bytes += static_cast<char>(level);
    }
  }
  return bytes;
}

std::string zlib_stream(std::string_view bytes) {
  RunDeflate deflate;
  deflate.add(bytes);
  std::string stream = "\x78\x01" + deflate.finish();
  put_big_endian(stream, adler32(bytes));
  return stream;
}

}  // namespace

std::string palette_png(std::span<const std::uint8_t> levels, std::int64_t columns, std::int64_t rows, ColorMap map,
                        Theme theme) {
  constexpr std::int64_t kMostSide = 1 << 20;
  if (columns < 1 || rows < 1 || columns > kMostSide || rows > kMostSide ||
      static_cast<std::int64_t>(levels.size()) != rows * columns) {
    fail(ErrorKind::usage, "[palette_png] " + std::to_string(levels.size()) + " levels are not an image of " +
                               std::to_string(rows) + " x " + std::to_string(columns) + " cells");
  }
  std::string header;
  put_big_endian(header, static_cast<std::uint32_t>(columns));
  put_big_endian(header, static_cast<std::uint32_t>(rows));
  header += std::string_view("\x08\x03\0\0\0", 5);  // 8 bits, palette, the only compression and filters, not interlaced

  std::string png = "\x89PNG\r\n\x1a\n";
  put_chunk(png, "IHDR", header);
  put_chunk(png, "PLTE", palette(map, theme, *std::max_element(levels.begin(), levels.end())));
  put_chunk(png, "IDAT", zlib_stream(filtered_rows(levels, static_cast<std::size_t>(columns))));
  put_chunk(png, "IEND", "");
  return png;
}

}  // namespace posenc
