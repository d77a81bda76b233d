#include "bench/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "posenc/files/spec_json.h"

namespace posenc::bench {
namespace {

std::string fixed(double value, int decimals) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  return {buffer.data(), end.ptr};
}

// About three digits for numbers of at least 1.
std::string short_number(double value) { return fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); }

std::string peer_text(const Row& row) {
  std::string text;
  for (const auto& [name, ns] : row.peers) {
    const bool faster = ns >= row.ns;
    text += (text.empty() ? "" : ", ") + short_number(faster ? ns / row.ns : row.ns / ns) +
            (faster ? "x faster than " : "x slower than ") + name;
  }
  return text;
}

// Bytes per nanosecond are GB/s, operations per nanosecond GFLOP/s.
std::string rate_text(const Row& row) {
  if (row.flops > 0) return short_number(static_cast<double>(row.flops) / row.ns) + " GFLOP/s";
  return short_number(static_cast<double>(row.bytes) / row.ns) + " GB/s";
}

using TextRow = std::array<std::string, 7>;

TextRow text_row(const Row& row) {
  return {row.name,       time_text(row.ns),       time_text(row.median_ns),
          rate_text(row), time_text(row.limit_ns), short_number(100.0 * row.ratio) + " % of " + row.limit_name,
          peer_text(row)};
}

// Names are left-aligned, numbers right-aligned, without trailing spaces.
std::string aligned(const std::vector<TextRow>& table) {
  std::array<std::size_t, 7> widths{};
  for (const TextRow& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const TextRow& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      const bool last = i + 1 == row.size();
      text += i == 0 ? row[i] + padding : "  " + (last ? row[i] : padding + row[i]);
    }
    text += "\n";
  }
  return text;
}

// Each note once, with the names of its rows.
std::string notes_text(const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::string>> notes;
  for (const Row& row : rows) {
    for (const std::string& note : row.notes) {
      const auto known = std::find_if(notes.begin(), notes.end(), [&](const auto& n) { return n.first == note; });
      if (known == notes.end()) {
        notes.emplace_back(note, row.name);
      } else {
        known->second += ", " + row.name;
      }
    }
  }
  std::string text;
  for (const auto& [note, names] : notes) text += note + " (" + names + ")\n";
  return text;
}

Json row_json(const Row& row) {
  Json::Object peers;
  for (const auto& [name, ns] : row.peers) peers.emplace_back(name, Json(ns));
  Json::Array notes;
  for (const std::string& note : row.notes) notes.emplace_back(note);
  Json json;
  json.set("name", row.name).set("ns", row.ns).set("median_ns", row.median_ns).set("limit_ns", row.limit_ns);
  json.set("ratio", row.ratio).set("peers", std::move(peers)).set("limit", row.limit_name).set("bytes", row.bytes);
  json.set("flops", row.flops).set("checked", row.checked).set("notes", std::move(notes));
  return json;
}

}  // namespace

std::string time_text(double ns) {
  constexpr std::array<const char*, 4> kUnits = {" ns", " us", " ms", " s"};
  std::size_t unit = 0;
  while (ns >= 999.5 && unit + 1 < kUnits.size()) {
    ns /= 1000.0;
    ++unit;
  }
  return short_number(ns) + kUnits[unit];
}

std::string report_text(const Machine& machine, const std::vector<Row>& rows) {
  std::string text = machine.cpu + ", " + std::to_string(machine.cores) + " cores, " + machine.simd + "; " +
                     machine.compiler + ", posenc " + machine.version + ", " + machine.build + "\n" +
                     "Each answer was checked first; times are of one thread unless the name says workers.\n\n";
  std::vector<TextRow> table = {{"case", "best", "median", "rate", "limit", "ours", "peers"}};
  for (const Row& row : rows) table.push_back(text_row(row));
  text += aligned(table);
  const std::string notes = notes_text(rows);
  return notes.empty() ? text : text + "\n" + notes;
}

Json report_json(const Machine& machine, const std::vector<Row>& rows) {
  Json about;
  about.set("cpu", machine.cpu).set("cores", machine.cores).set("simd", machine.simd);
  about.set("compiler", machine.compiler).set("version", machine.version).set("build", machine.build);
  Json::Array list;
  for (const Row& row : rows) list.push_back(row_json(row));
  Json json;
  json.set("schema", kSchema).set("machine", std::move(about)).set("rows", std::move(list));
  return json;
}

}  // namespace posenc::bench
