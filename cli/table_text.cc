#include "cli/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/array_output.h"
#include "cli/progress.h"
#include "posenc/error.h"
#include "posenc/npy.h"
#include "posenc/safetensors.h"
#include "posenc/spec_json.h"

namespace posenc::cli {
namespace {

std::string position_text(const PositionView& positions, std::int64_t n) {
  return positions.integral() ? fmt::format("{}", positions.integer(0, n)) : fmt::format("{}", positions.real(0, n));
}

// The largest value that a table can hold.
double largest_value(const TableHead& head) {
  double largest = 1.0;
  if (head.rows == Rows::derivative) {
    for (const double inv_freq : head.encoding.schedule->inv_freq) largest = std::max(largest, std::fabs(inv_freq));
  }
  return largest * head.encoding.largest();
}

// For people: aligned, eight decimals, or nine digits where values are large.
class TextWriter final : public TableWriter {
 public:
  explicit TextWriter(const TableHead& head) : width_(head.width()), large_(largest_value(head) >= 10.0) {
    // Of a range the ends are the longest.
    const bool range = head.positions.source == PositionView::Source::range;
    const std::int64_t step = range ? std::max<std::int64_t>(head.positions.count - 1, 1) : 1;
    for (std::int64_t n = 0; n < head.positions.count; n += step) {
      label_ = std::max(label_, position_text(head.positions, n).size());
    }
  }
  void begin(Output& output) override {
    std::string line = fmt::format("{:>{}}", "position", label_);
    for (std::int64_t column = 0; column < width_; ++column) line += fmt::format(" {:>{}}", column, large_ ? 15 : 11);
    output.write(line + "\n");
  }
  void rows(Output& output, const PositionView& positions, const ConstView& rows) override {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      std::string line = fmt::format("{:>{}}", position_text(positions, n), label_);
      for (std::int64_t column = 0; column < width_; ++column) {
        const char* form = large_ ? " {:>15.8e}" : " {:>11.8f}";
        fmt::format_to(std::back_inserter(line), fmt::runtime(form), number_at(rows[n], column));
      }
      output.write(line + "\n");
    }
  }
  void end(Output&) override {}

 private:
  std::int64_t width_;
  bool large_;
  std::size_t label_ = std::string_view("position").size();
};

class CsvWriter final : public TableWriter {
 public:
  explicit CsvWriter(const TableHead& head) : width_(head.width()) {}
  void begin(Output& output) override {
    std::string line = "position";
    for (std::int64_t column = 0; column < width_; ++column) line += fmt::format(",{}", column);
    output.write(line + "\n");
  }
  void rows(Output& output, const PositionView& positions, const ConstView& rows) override {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      std::string line = position_text(positions, n);
      for (std::int64_t column = 0; column < width_; ++column) {
        fmt::format_to(std::back_inserter(line), ",{}", number_at(rows[n], column));
      }
      output.write(line + "\n");
    }
  }
  void end(Output&) override {}

 private:
  std::int64_t width_;
};

// The rows are written as they come: a tree of all numbers would take ten times the table's memory.
class JsonWriter final : public TableWriter {
 public:
  explicit JsonWriter(const TableHead& head) : head_(head), width_(head.width()) {}
  void begin(Output& output) override {
    Json json;
    json.set("schema", kSchema);
    if (!head_.figure.empty()) json.set("figure", head_.figure);
    json.set("spec", to_json(head_.encoding.spec)).set("dtype", to_text(head_.dtype));
    json.set("derivative", head_.rows == Rows::derivative);
    if (head_.encoding.schedule) json.set("inv_freq", head_.encoding.schedule->inv_freq);
    std::string text = to_text(json);
    text.resize(text.find_last_of('}'));  // the object goes on
    while (text.back() == '\n') text.pop_back();
    text += ",\n  \"positions\": [";
    output.write(text);
    for (std::int64_t n = 0; n < head_.positions.count; ++n) {
      output.write((n > 0 ? ", " : "") + position_text(head_.positions, n));
    }
    output.write("],\n  \"values\": [");
  }
  void rows(Output& output, const PositionView& positions, const ConstView& rows) override {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      std::string line = first_ ? "\n    [" : ",\n    [";
      first_ = false;
      for (std::int64_t column = 0; column < width_; ++column) {
        const double value = number_at(rows[n], column);
        // JSON has no infinity: what overflows a narrow type is a string, as everywhere.
        const char* form = std::isfinite(value) ? "{}{}" : "{}\"{}\"";
        fmt::format_to(std::back_inserter(line), fmt::runtime(form), column > 0 ? ", " : "", value);
      }
      output.write(line + "]");
    }
  }
  void end(Output& output) override { output.write("\n  ]\n}\n"); }

 private:
  const TableHead& head_;
  std::int64_t width_;
  bool first_ = true;
};

static_assert(std::endian::native == std::endian::little, "npy and safetensors files are little-endian");

// A header, and the rows as they lie in memory.
class BinaryWriter final : public TableWriter {
 public:
  explicit BinaryWriter(std::string header) : header_(std::move(header)) {}
  void begin(Output& output) override { output.write(header_); }
  void rows(Output& output, const PositionView& positions, const ConstView& rows) override {
    const std::int64_t bytes = positions.count * rows.shape[1] * size_of(rows.dtype);
    output.write({rows.as<char>(), static_cast<std::size_t>(bytes)});
  }
  void end(Output&) override {}

 private:
  std::string header_;
};

std::string table_npy_header(const TableHead& head) {
  return npy_header(head.dtype, {head.positions.count, head.width()});
}

// One tensor, `values`; the metadata says what it is a table of.
std::string table_safetensors_header(const TableHead& head) {
  const void* nowhere = nullptr;
  const ConstView values = make_view(nowhere, head.dtype, {head.positions.count, head.width()});
  return safetensors_header({{"values", values}}, {{"posenc", to_text(to_json(head.encoding.spec))}});
}

}  // namespace

bool is_binary(const std::string& format) { return format == "npy" || format == "safetensors"; }

std::unique_ptr<TableWriter> make_table_writer(const std::string& format, const TableHead& head) {
  if (format == "csv") return std::make_unique<CsvWriter>(head);
  if (format == "json") return std::make_unique<JsonWriter>(head);
  if (format == "npy") return std::make_unique<BinaryWriter>(table_npy_header(head));
  if (format == "safetensors") return std::make_unique<BinaryWriter>(table_safetensors_header(head));
  return std::make_unique<TextWriter>(head);
}

namespace {

RowStream make_stream(const TableHead& head) {
  if (head.rows == Rows::values) return RowStream(head.encoding.rows(), head.positions);
  if (std::holds_alternative<Sinusoidal>(head.encoding.spec)) {
    return RowStream(*head.encoding.schedule, head.positions, Rows::derivative);
  }
  fail(ErrorKind::unsupported,
       fmt::format("{} has no derivative by the position: its rows follow no rule", kind_of(head.encoding.spec)));
}

}  // namespace

void write_table(const TableHead& head, const std::string& format, const OutputOptions& options) {
  constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
  const std::int64_t width = head.width();
  const std::int64_t row_bytes = width * size_of(head.dtype);
  const std::int64_t block_rows = std::clamp<std::int64_t>(kBlockBytes / row_bytes, 1, head.positions.count);
  std::vector<std::byte> memory(static_cast<std::size_t>(block_rows * row_bytes));
  // Everything that can be wrong is found before the output exists.
  RowStream stream = make_stream(head);
  const std::unique_ptr<TableWriter> writer = make_table_writer(format, head);
  Output output(options, is_binary(format));
  Progress progress("table", head.positions.count);
  writer->begin(output);
  for (std::int64_t done = 0; done < head.positions.count;) {
    const View block = make_view(static_cast<void*>(memory.data()), head.dtype, {block_rows, width});
    const std::int64_t rows = stream.next(block);
    writer->rows(output, head.positions.slice(done, rows), block);
    done += rows;
    progress.update(done);
  }
  writer->end(output);
  output.finish();
}

}  // namespace posenc::cli
