#include "cli/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/array_output.h"
#include "cli/json_stream.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "posenc/files/npy.h"

namespace posenc::cli {
namespace {

std::string coordinate_text(const PositionView& positions, std::int64_t n, std::int64_t axis) {
  return positions.integral() ? fmt::format("{}", positions.integer(0, n, axis))
                              : fmt::format("{}", positions.real(0, n, axis));
}

// A position as text: 7, or 1/2/3 on several axes.
std::string position_text(const PositionView& positions, std::int64_t n, const char* separator = "/") {
  std::string text = coordinate_text(positions, n, 0);
  for (std::int64_t axis = 1; axis < positions.axes; ++axis) text += separator + coordinate_text(positions, n, axis);
  return text;
}

// Writes a table in one format. `rows` views are [R, width] of any float type.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  virtual void begin(Output&) {}
  virtual void begin_part(Output&, const TablePart&) {}
  virtual void rows(Output& output, const PositionView& positions, const ConstView& rows) = 0;
  virtual void end_part(Output&) {}
  virtual void end(Output&) {}
};

// Writes text for people: aligned columns with eight decimals, or nine digits if values are large.
class TextWriter final : public TableWriter {
 public:
  explicit TextWriter(const TableHead& head) : large_(head.largest >= 10.0) {
    // The longest label of a range is at one of its ends.
    const bool range = head.positions.source == PositionView::Source::range;
    const std::int64_t step = range ? std::max<std::int64_t>(head.positions.count - 1, 1) : 1;
    for (std::int64_t n = 0; n < head.positions.count; n += step) {
      label_ = std::max(label_, position_text(head.positions, n).size());
    }
  }
  void begin_part(Output& output, const TablePart& part) override {
    std::string line = fmt::format("{:>{}}", "position", label_);
    for (std::int64_t column = 0; column < part.width; ++column) {
      line += fmt::format(" {:>{}}", part.heading(column), large_ ? 15 : 11);
    }
    output.write(line + "\n");
  }
  void rows(Output& output, const PositionView& positions, const ConstView& rows) override {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      std::string line = fmt::format("{:>{}}", position_text(positions, n), label_);
      for (std::int64_t column = 0; column < rows.shape[1]; ++column) {
        const char* form = large_ ? " {:>15.8e}" : " {:>11.8f}";
        fmt::format_to(std::back_inserter(line), fmt::runtime(form), number_at(rows[n], column));
      }
      output.write(line + "\n");
    }
  }

 private:
  bool large_;
  std::size_t label_ = std::string_view("position").size();
};

class CsvWriter final : public TableWriter {
 public:
  void begin_part(Output& output, const TablePart& part) override {
    std::string line = "position";
    for (std::int64_t column = 0; column < part.width; ++column) line += "," + part.heading(column);
    output.write(line + "\n");
  }
  void rows(Output& output, const PositionView& positions, const ConstView& rows) override {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      std::string line = position_text(positions, n);
      for (std::int64_t column = 0; column < rows.shape[1]; ++column) {
        fmt::format_to(std::back_inserter(line), ",{}", number_at(rows[n], column));
      }
      output.write(line + "\n");
    }
  }
};

// Writes the rows as they are computed: a tree of all numbers would take ten times the table's memory.
class JsonWriter final : public TableWriter {
 public:
  explicit JsonWriter(const TableHead& head) : head_(head) {}
  void begin(Output& output) override {
    json_.emplace(output);
    json_->members(head_.members);
    json_->open_member("positions", JsonStream::Lines::one);
    const bool tuples = head_.positions.axes > 1;
    for (std::int64_t n = 0; n < head_.positions.count; ++n) {
      const std::string position = position_text(head_.positions, n, ", ");
      json_->item(tuples ? "[" + position + "]" : position);
    }
    json_->close();
  }
  void begin_part(Output&, const TablePart& part) override { json_->open_member(part.name, JsonStream::Lines::many); }
  void rows(Output&, const PositionView& positions, const ConstView& rows) override {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      std::string line = "[";
      for (std::int64_t column = 0; column < rows.shape[1]; ++column) {
        const double value = number_at(rows[n], column);
        // JSON cannot represent infinity, to which a narrow type may overflow, so it becomes a string, as in all JSON
        // output.
        const char* form = std::isfinite(value) ? "{}{}" : "{}\"{}\"";
        fmt::format_to(std::back_inserter(line), fmt::runtime(form), column > 0 ? ", " : "", value);
      }
      json_->item(line + "]");
    }
  }
  void end_part(Output&) override { json_->close(); }
  void end(Output&) override { json_->finish(); }

 private:
  const TableHead& head_;
  std::optional<JsonStream> json_;
};

// Writes a header, then the bytes of the rows.
class BinaryWriter final : public TableWriter {
 public:
  explicit BinaryWriter(std::string header) : header_(std::move(header)) {}
  void begin(Output& output) override { output.write(header_); }
  void rows(Output& output, const PositionView&, const ConstView& rows) override {
    output.write({rows.as<char>(), static_cast<std::size_t>(rows.size() * size_of(rows.dtype))});
  }

 private:
  std::string header_;
};

std::string table_npy_header(const TableHead& head) {
  return npy_header(head.dtype, {head.positions.count, head.parts.at(0).width});
}

// The header has a tensor per part; its metadata describe the table.
std::string table_safetensors_header(const TableHead& head) {
  const void* nowhere = nullptr;
  std::vector<NamedTensor> tensors;
  for (const TablePart& part : head.parts) {
    tensors.push_back({part.name, make_view(nowhere, head.dtype, {head.positions.count, part.width})});
  }
  return safetensors_header(tensors, head.metadata);
}

std::unique_ptr<TableWriter> make_table_writer(const std::string& format, const TableHead& head) {
  if (format == "csv") return std::make_unique<CsvWriter>();
  if (format == "json") return std::make_unique<JsonWriter>(head);
  if (format == "npy") return std::make_unique<BinaryWriter>(table_npy_header(head));
  if (format == "safetensors") return std::make_unique<BinaryWriter>(table_safetensors_header(head));
  return std::make_unique<TextWriter>(head);
}

// The number of rows of a part that are computed at once.
std::int64_t rows_of_block(const TableHead& head, const TablePart& part) {
  constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
  return std::clamp<std::int64_t>(kBlockBytes / (part.width * size_of(head.dtype)), 1, head.positions.count);
}

}  // namespace

std::string TablePart::heading(std::int64_t column) const {
  const std::int64_t in_group = width / static_cast<std::int64_t>(groups.size());
  const std::int64_t within = column % in_group;
  const std::int64_t channel = channels.empty() ? within : channels[static_cast<std::size_t>(within)];
  return groups[static_cast<std::size_t>(column / in_group)] + fmt::format("{}", channel);
}

void check_size(const TableHead& head, const std::string& text, std::int64_t max_bytes) {
  std::int64_t width = 0;
  for (const TablePart& part : head.parts) width += part.width;
  const double bytes =
      static_cast<double>(head.positions.count) * static_cast<double>(width) * static_cast<double>(size_of(head.dtype));
  check_bytes(bytes, max_bytes,
              fmt::format("--positions {} has {} positions: with {} columns of {} the table takes", text,
                          head.positions.count, width, to_text(head.dtype)));
}

void write_table(const TableHead& head, const std::string& format, const OutputOptions& options) {
  const std::unique_ptr<TableWriter> writer = make_table_writer(format, head);
  const std::int64_t count = head.positions.count;
  Output output(options, is_binary(format));
  Progress progress("table", count * static_cast<std::int64_t>(head.parts.size()));
  std::int64_t before = 0;  // rows of the parts that are finished
  writer->begin(output);
  for (const TablePart& part : head.parts) {
    const std::int64_t block_rows = rows_of_block(head, part);
    std::vector<std::byte> memory(static_cast<std::size_t>(block_rows * part.width * size_of(head.dtype)));
    writer->begin_part(output, part);
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t rows = std::min(block_rows, count - done);
      const PositionView positions = head.positions.slice(done, rows);
      const View block = make_view(static_cast<void*>(memory.data()), head.dtype, {rows, part.width});
      part.fill(positions, block);
      writer->rows(output, positions, block);
      done += rows;
      progress.update(before + done);
    }
    writer->end_part(output);
    before += count;
  }
  writer->end(output);
  output.finish();
}

}  // namespace posenc::cli
