#include "cli/array_output.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/json_stream.h"
#include "posenc/error.h"
#include "posenc/files/npy.h"
#include "posenc/files/safetensors.h"
#include "posenc/half.h"

namespace posenc::cli {
namespace {

// Arrays are written byte for byte, so the machine must be little-endian too.
static_assert(std::endian::native == std::endian::little, "npy and safetensors files are little-endian");

bool is_integer(DType dtype) { return dtype == DType::i32 || dtype == DType::i64 || dtype == DType::u8; }

std::string number_text(const ConstView& row, std::int64_t index) {
  const double value = number_at(row, index);
  if (is_integer(row.dtype)) return fmt::format("{}", static_cast<std::int64_t>(value));
  if (std::isnan(value)) return "nan";  // without its sign
  return fmt::format("{}", value);
}

// JSON cannot represent infinity, so it becomes a string, as in all JSON output.
std::string json_number(const ConstView& row, std::int64_t index) {
  const std::string text = number_text(row, index);
  return std::isfinite(number_at(row, index)) ? text : "\"" + text + "\"";
}

JsonStream::Lines lines_of(const ConstView& view) {
  return view.rank > 1 ? JsonStream::Lines::many : JsonStream::Lines::one;
}

void write_items(const ConstView& view, JsonStream& json) {
  if (view.rank > 1) {
    for (std::int64_t i = 0; i < view.shape[0]; ++i) {
      json.open_item(lines_of(view[i]));
      write_items(view[i], json);
      json.close();
    }
    return;
  }
  for (std::int64_t i = 0; i < view.shape[0]; ++i) json.item(json_number(view, i));
}

void write_json_array(const ConstView& view, const ArrayOutput& what, Output& output) {
  JsonStream json(output);
  json.members(what.head);
  json.open_member(what.name, lines_of(view));
  write_items(view, json);
  json.close();
  json.finish();
}

void write_text_rows(const ConstView& view, Output& output) {
  if (view.rank > 1) {
    for (std::int64_t i = 0; i < view.shape[0]; ++i) {
      if (view.rank > 2 && i > 0) output.write("\n");
      write_text_rows(view[i], output);
    }
    return;
  }
  std::string line;
  for (std::int64_t i = 0; i < view.shape[0]; ++i) line += (i > 0 ? " " : "") + number_text(view, i);
  output.write(line + "\n");
}

std::string_view bytes_of(const ConstView& view) {
  return {view.as<char>(), static_cast<std::size_t>(view.size() * size_of(view.dtype))};
}

}  // namespace

double number_at(const ConstView& row, std::int64_t index) {
  switch (row.dtype) {
    case DType::f64:
      return row.as<double>()[index];
    case DType::f16:
      return to_double(row.as<f16>()[index]);
    case DType::bf16:
      return to_double(row.as<bf16>()[index]);
    case DType::i32:
      return row.as<std::int32_t>()[index];
    case DType::i64:
      return static_cast<double>(row.as<std::int64_t>()[index]);
    case DType::u8:
      return row.as<std::uint8_t>()[index];
    case DType::f32:
      break;
  }
  return static_cast<double>(row.as<float>()[index]);
}

void set_number(const View& row, std::int64_t index, double value) {
  if (row.dtype == DType::f64) row.as<double>()[index] = value;
  if (row.dtype == DType::f32) row.as<float>()[index] = static_cast<float>(value);
  if (row.dtype == DType::f16) row.as<f16>()[index] = to_f16(value);
  if (row.dtype == DType::bf16) row.as<bf16>()[index] = to_bf16(value);
}

bool is_binary(const std::string& format) { return format == "npy" || format == "safetensors"; }

DType choose_dtype(const std::string& dtype, const std::string& format) {
  return parse_dtype(!dtype.empty() ? dtype : is_binary(format) ? "f32" : "f64");
}

std::string choose_array_format(const OutputOptions& options, const std::string& tensor) {
  const std::string format = choose_format(options, {"text", "json", "npy", "safetensors"});
  if (tensor.empty() || format == "safetensors") return format;
  fail(ErrorKind::usage, "--tensor names a tensor in a safetensors file: write one with -o FILE.safetensors");
}

void check_bytes(double bytes, std::int64_t max_bytes, const std::string& what) {
  const auto most = static_cast<double>(max_bytes);
  if (bytes <= most) return;
  fail(ErrorKind::usage, fmt::format("{} {}, more than the limit of {}; raise it with --max-bytes", what,
                                     bytes_text(bytes), bytes_text(most)));
}

Output start_array(const ConstView& view, const ArrayOutput& what, const OutputOptions& options) {
  const bool binary = is_binary(what.format);
  std::string header;  // made before the output exists, because npy refuses bf16
  const std::vector<std::int64_t> shape(view.shape.begin(), view.shape.begin() + view.rank);
  if (what.format == "npy") header = npy_header(view.dtype, shape);
  if (what.format == "safetensors") header = safetensors_header({{what.name, view}}, what.metadata);
  Output output(options, binary);
  if (binary) {
    output.write(header);
    output.write(bytes_of(view));
  } else if (what.format == "json") {
    write_json_array(view, what, output);
  } else {
    write_text_rows(view, output);
  }
  return output;
}

Output start_result(const ConstView& view, const std::string& format, const std::string& tensor, Json::Object head,
                    const OutputOptions& options) {
  const Metadata metadata = {{"posenc", to_text(Json(head))}};
  head.emplace_back("dtype", to_text(view.dtype));
  return start_array(view, {format, tensor.empty() ? "values" : tensor, std::move(head), metadata}, options);
}

void write_array(const ConstView& view, const ArrayOutput& what, const OutputOptions& options) {
  start_array(view, what, options).finish();
}

}  // namespace posenc::cli
