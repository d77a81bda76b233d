#include "cli/rotary_table.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/arrays.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"
#include "posenc/pope.h"
#include "posenc/schedule.h"

namespace posenc::cli {
namespace {

Tiling tiling_of(const std::string& word) {
  if (word == "halves") return Tiling::halves;
  return word == "pairs" ? Tiling::pairs : Tiling::per_pair;
}

// Cosines and sines are computed together, so a part with one of them discards the other.
TablePart make_part(const RotaryAngles& angles, const std::string& name, Tiling tiling, std::int64_t width) {
  if (name == "cos_sin") {
    return {name, 2 * width, {"cos", "sin"}, [=](const PositionView& positions, const View& block) {
              fill_cos_sin(angles, positions, columns_of(block, 0, width), columns_of(block, width, width), tiling);
            }};
  }
  const auto unused = std::make_shared<std::vector<std::byte>>();
  return {name, width, {name}, [=](const PositionView& positions, const View& block) {
            unused->resize(static_cast<std::size_t>(block.size() * size_of(block.dtype)));
            const View other = make_view(static_cast<void*>(unused->data()), block.dtype, {block.shape[0], width});
            const bool cos = name == "cos";
            fill_cos_sin(angles, positions, cos ? block : other, cos ? other : block, tiling);
          }};
}

std::string_view text_of(FactorIn place) {
  if (place == FactorIn::query) return "query";
  return place == FactorIn::softmax ? "softmax" : "table";
}

// The frequencies: a number per pair; for several axes, a list per axis.
Json inv_freq_json(const RotarySchedule& schedule) {
  if (schedule.axes == 1) return schedule.inv_freq;
  Json::Array axes;
  for (auto row = schedule.inv_freq.begin(); row != schedule.inv_freq.end(); row += schedule.columns()) {
    axes.emplace_back(std::vector<double>(row, row + schedule.columns()));
  }
  return axes;
}

}  // namespace

RotaryParts choose_parts(const std::string& tiling, const std::string& only, const std::string& format) {
  if (tiling == "cos_sin" && !only.empty()) {
    fail(ErrorKind::usage, fmt::format("--tiling cos_sin writes both in one row: leave it or --only {} out", only));
  }
  if (!only.empty()) return {tiling.empty() ? "per_pair" : tiling, {only}};
  if (format == "text" || format == "csv") return {tiling.empty() ? "per_pair" : tiling, {"cos_sin"}};
  if (format == "npy" && tiling.empty()) return {"cos_sin", {"cos_sin"}};
  if (format == "npy" && tiling != "cos_sin") {
    fail(ErrorKind::usage,
         fmt::format("a .npy file holds one array: with --tiling {} add --only cos or --only sin, or write both to a "
                     ".safetensors file, or use --tiling cos_sin, which has both in one row",
                     tiling));
  }
  if (tiling == "cos_sin") return {tiling, {"cos_sin"}};
  return {tiling.empty() ? "per_pair" : tiling, {"cos", "sin"}};
}

TableHead rotary_table(const Encoding& encoding, const PositionView& positions, DType dtype, const RotaryParts& parts) {
  check_positions(positions, "table");
  const RotaryAngles angles(*encoding.rotary());
  const RotarySchedule& schedule = angles.schedule();
  const Tiling tiling = tiling_of(parts.tiling);
  const std::int64_t width = tiling == Tiling::per_pair ? schedule.columns() : schedule.rotary_dim;
  TableHead head{.positions = positions, .dtype = dtype, .largest = schedule.table_factor()};
  head.members = {{"spec", to_json(encoding.spec())},
                  {"dtype", Json(to_text(dtype))},
                  {"tiling", Json(parts.tiling)},
                  {"rotary_dim", Json(schedule.rotary_dim)},
                  {"rope_offset", Json(schedule.first_channel)},
                  {"attention_factor", Json(schedule.attention_factor)},
                  {"attention_factor_in", Json(text_of(schedule.attention_factor_in))},
                  {"sequence_length", schedule.sequence_length ? Json(*schedule.sequence_length) : Json()},
                  {"inv_freq", inv_freq_json(schedule)}};
  head.metadata = {{"posenc", to_text(to_json(encoding.spec()))}, {"tiling", parts.tiling}};
  for (const std::string& name : parts.names) head.parts.push_back(make_part(angles, name, tiling, width));
  return head;
}

}  // namespace posenc::cli
