#include "files/npy_header.h"

#include <bit>
#include <limits>
#include <optional>

#include "core/base/refuse.h"
#include "posenc/error.h"

namespace posenc::files {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = kMaxNpyStart - 12;

// The header's dictionary, as far as it has been read.
struct Fields {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

// Parses only those Python literals that NumPy writes.
class Reader {
 public:
  Reader(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  Fields read() {
    Fields fields;
    expect('{');
    while (!accept('}')) {
      read_item(fields);
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (next_ != text_.size()) fail_here("the end of the header");
    return fields;
  }

 private:
  void read_item(Fields& fields) {
    std::string key = read_string("a key");
    expect(':');
    if (key == "descr" && !fields.descr) {
      fields.descr = read_descr();
    } else if (key == "fortran_order" && !fields.fortran_order) {
      fields.fortran_order = read_bool();
    } else if (key == "shape" && !fields.shape) {
      fields.shape = read_shape();
    } else {
      base::refuse_file(source_, "header: expected the keys descr, fortran_order and shape once each but got also '",
                        key, "'");
    }
  }

  std::string read_descr() {
    skip_space();
    if (peek() == '[') fail(ErrorKind::unsupported, source_ + ": descr: structured types are not supported");
    return read_string("a type such as '<f4'");
  }

  std::string read_string(std::string_view what) {
    skip_space();
    char quote = peek();
    if (quote != '\'' && quote != '"') fail_here(what);
    std::size_t start = ++next_;
    // Only printable characters, because messages quote them.
    while (peek() != quote) {
      if (peek() < ' ' || peek() > '~' || peek() == '\\') fail_here("a closing quote");
      ++next_;
    }
    return std::string(text_.substr(start, next_++ - start));
  }

  bool read_bool() {
    skip_space();
    for (bool value : {false, true}) {
      std::string_view word = value ? "True" : "False";
      if (text_.substr(next_, word.size()) != word) continue;
      next_ += word.size();
      return value;
    }
    fail_here("True or False");
  }

  std::vector<std::int64_t> read_shape() {
    std::vector<std::int64_t> shape;
    expect('(');
    bool comma = true;  // in Python (3) is a number and (3,) is a tuple
    while (!accept(')')) {
      if (!comma) fail_here("','");
      if (shape.size() == kMaxNpyRank) fail_here("at most 32 axes");
      shape.push_back(read_length());
      comma = accept(',');
      if (!comma && shape.size() == 1) fail_here("','");
    }
    return shape;
  }

  std::int64_t read_length() {
    skip_space();
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    if (!is_digit(peek())) fail_here("a length");
    std::int64_t length = 0;
    while (is_digit(peek())) {
      int digit = peek() - '0';
      if (length > (kMax - digit) / 10) fail_here("a length below 2^63");
      length = length * 10 + digit;
      ++next_;
    }
    if (peek() == 'L') ++next_;  // written by Python 2
    return length;
  }

  static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

  // The next character, or a zero byte at the end, which no literal contains.
  char peek() const { return next_ < text_.size() ? text_[next_] : '\0'; }

  void skip_space() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++next_;
  }

  bool accept(char letter) {
    skip_space();
    if (peek() != letter) return false;
    ++next_;
    return true;
  }

  void expect(char letter) {
    if (!accept(letter)) fail_here(std::string("'") + letter + "'");
  }

  [[noreturn]] void fail_here(std::string_view expected) const {
    std::string got = "the end";
    if (next_ < text_.size()) {
      got = peek() >= ' ' && peek() <= '~' ? std::string("'") + peek() + "'"
                                           : "byte value " + std::to_string(static_cast<unsigned char>(peek()));
    }
    base::refuse_file(source_, "header, character ", next_, ": expected ", expected, " but got ", got);
  }

  std::string_view text_;
  std::string source_;
  std::size_t next_ = 0;
};

// Reads a number of `bytes` bytes at `offset`, least significant first.
std::size_t load_length(std::string_view file, std::size_t offset, std::size_t bytes) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= static_cast<std::size_t>(static_cast<unsigned char>(file[offset + i])) << (8 * i);
  }
  return value;
}

// Returns the text of the dictionary, and sets where the data start.
std::string_view header_text(std::string_view file, std::string_view source, std::size_t& data_offset) {
  const auto refuse = [&](const auto&... parts) { base::refuse_file(source, parts...); };
  if (!file.starts_with(kMagic)) refuse("expected an .npy file but it does not start with \\x93NUMPY");
  if (file.size() < 8) refuse("expected a version but the file ends after ", file.size(), " bytes");
  int major = static_cast<unsigned char>(file[6]);
  int minor = static_cast<unsigned char>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    refuse("expected version 1.0, 2.0 or 3.0 of the format but got ", major, ".", minor);
  }
  std::size_t start = major == 1 ? 10 : 12;
  if (file.size() < start) {
    refuse("expected the header's length but the file ends after ", file.size(), " bytes");
  }
  std::size_t length = load_length(file, 8, start - 8);
  if (length > kMaxHeader) {
    refuse("expected a header of at most ", kMaxHeader, " bytes but its length is ", length);
  }
  if (length > file.size() - start) {
    refuse("expected a header of ", length, " bytes but the file ends after ", file.size() - start, " of them");
  }
  data_offset = start + length;
  return file.substr(start, length);
}

// Sets type, element size and byte order from a type such as "<f4".
void read_type(std::string_view descr, std::string_view source, NpyHeader& header) {
  std::string start = std::string(source) + ": descr '" + std::string(descr) + "': ";
  constexpr std::string_view kKnown[] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
  constexpr std::string_view kOrders = "<>|=";
  bool ordered = !descr.empty() && kOrders.find(descr[0]) != kOrders.npos;
  std::string_view type = ordered ? descr.substr(1) : descr;
  if (type.starts_with('O')) {
    fail(ErrorKind::unsupported, start + "pickled objects are not supported because they can run code");
  }
  if (type.starts_with('c')) {
    fail(ErrorKind::unsupported, start + "complex numbers are not supported; write their parts as floats");
  }
  for (std::string_view known : kKnown) {
    if (type != known) continue;
    header.type = known[0];
    header.bytes = known[1] - '0';
    if (header.bytes > 1 && descr[0] == '|') {
      fail(ErrorKind::bad_input, start + "expected a byte order, < or >, but got |");
    }
    header.big_endian = ordered && (descr[0] == '>' || (descr[0] != '<' && std::endian::native == std::endian::big));
    return;
  }
  fail(ErrorKind::unsupported, start + "expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 with a byte order");
}

// "shape [3, 4] of '<f4'"
std::string content_text(const NpyHeader& header) {
  return "shape " + shape_text(header.shape) + " of '" + header.descr + "'";
}

}  // namespace

NpyHeader read_npy_header(std::string_view start, std::string_view source) {
  NpyHeader header;
  Fields fields = Reader(header_text(start, source, header.data_offset), source).read();
  if (!fields.descr || !fields.fortran_order || !fields.shape) {
    std::string_view missing = !fields.descr ? "descr" : !fields.fortran_order ? "fortran_order" : "shape";
    base::refuse_file(source, "header: expected the key ", missing, " but it is missing");
  }
  read_type(*fields.descr, source, header);
  header.descr = *fields.descr;
  header.fortran_order = *fields.fortran_order;
  header.shape = std::move(*fields.shape);
  header.size = checked_size(header.shape, header.bytes);
  if (header.size < 0) {
    base::refuse_file(source, "expected less than 2^63 bytes of data but got ", content_text(header));
  }
  return header;
}

void check_npy_data(const NpyHeader& header, std::size_t have, std::string_view source) {
  const auto need = static_cast<std::size_t>(header.size * header.bytes);
  if (have == need) return;
  base::refuse_file(source, "expected ", need, " bytes of data for ", content_text(header), " but got ", have);
}

}  // namespace posenc::files
