// JSON: parsed into a small tree, and written from it.
//
//     posenc::Json config = posenc::parse_json(text, "config.json");
//     if (const posenc::Json* width = config.find("width")) use(width->number());
//     std::string text = posenc::to_text(config);
//
// Stricter than most readers: duplicate keys, nesting deeper than 64, trailing text and numbers that overflow are
// errors, which name the source and the key path or byte. JSON cannot represent infinity: infinite values are written
// as the strings "inf" and "-inf", and number() accepts these.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "posenc/error.h"
#include "posenc/export.h"

namespace posenc {

struct POSENC_API Json {
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value = nullptr;

  // Defined in the library, so that they are compiled only once.
  Json() noexcept;
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();
  Json(std::nullptr_t) {}     // NOLINT(*-explicit-*): values convert to trees
  Json(bool v) : value(v) {}  // NOLINT
  template <std::integral T>
  Json(T v) : value(static_cast<std::int64_t>(v)) {}   // NOLINT: values beyond int64_t wrap around
  Json(double v) : value(v) {}                         // NOLINT
  Json(const char* v) : value(std::string(v)) {}       // NOLINT
  Json(std::string_view v) : value(std::string(v)) {}  // NOLINT
  Json(std::string v) : value(std::move(v)) {}         // NOLINT
  Json(Array v) : value(std::move(v)) {}               // NOLINT
  Json(Object v) : value(std::move(v)) {}              // NOLINT
  Json(const std::vector<double>& numbers);            // NOLINT: a list of numbers

  // Returns the member `key`, or null if there is none or this is not an object.
  const Json* find(std::string_view key) const noexcept POSENC_LIFETIMEBOUND;
  // Adds or replaces a member; *this must be null or an object. Returns *this.
  Json& set(std::string key, Json member);

  bool is_null() const noexcept { return std::holds_alternative<std::nullptr_t>(value); }
  bool is_object() const noexcept { return std::holds_alternative<Object>(value); }
  bool is_array() const noexcept { return std::holds_alternative<Array>(value); }
  bool is_string() const noexcept { return std::holds_alternative<std::string>(value); }
  bool is_number() const noexcept;  // an integer, a double, or the strings "inf", "-inf"

  // Return the value as the requested type. If it has another type, throw an error that gives `where` and the value
  // found. number() also accepts integers and the strings "inf" and "-inf"; integer() also accepts a double without a
  // fraction (1e4).
  double number(std::string_view where = "JSON") const;
  std::int64_t integer(std::string_view where = "JSON") const;
  bool boolean(std::string_view where = "JSON") const;
  const std::string& string(std::string_view where = "JSON") const POSENC_LIFETIMEBOUND;
  const Array& array(std::string_view where = "JSON") const POSENC_LIFETIMEBOUND;
  const Object& object(std::string_view where = "JSON") const POSENC_LIFETIMEBOUND;
};

// Parses `text`. Messages begin with `source` (a file name).
POSENC_API Json parse_json(std::string_view text, std::string_view source);

// Returns the text of a tree: two spaces per level, arrays of plain values on one line, doubles with the fewest digits
// that read back exactly, a trailing newline. Throws for NaN, which JSON cannot represent.
POSENC_API std::string to_text(const Json& json);

}  // namespace posenc
