#include "cli/query_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/array_output.h"
#include "cli/arrays.h"
#include "posenc/error.h"
#include "posenc/files/spec_json.h"
#include "posenc/query_temperature.h"
#include "posenc/schedule.h"
#include "posenc/xpos.h"

namespace posenc::cli {
namespace {

void fill_factors(const XposSchedule& schedule, const PositionView& positions, const View& block) {
  for (std::int64_t n = 0; n < positions.count; ++n) {
    for (std::int64_t i = 0; i < schedule.rotation.pairs(); ++i) {
      set_number(block[n], i, schedule.factor(i, positions.real(0, n)));
    }
  }
}

TableHead xpos_table(const Xpos& spec, const PositionView& positions, DType dtype, const std::string& format) {
  const XposAngles angles(spec);
  const std::int64_t pairs = angles.schedule().rotation.pairs();
  TableHead head{.positions = positions, .dtype = dtype};
  head.members = {{"spec", to_json(spec)},
                  {"dtype", Json(to_text(dtype))},
                  {"inv_freq", Json(angles.schedule().rotation.inv_freq)},
                  {"zeta", Json(angles.schedule().zeta)}};
  const double limit = dtype == DType::f64 ? 0x1p1022 : dtype == DType::f16 ? 0x1p14 : 0x1p126;
  for (std::int64_t n = 0; n < positions.count; ++n) {
    const double factor = angles.schedule().factor(0, positions.real(0, n));
    if (!(factor < limit && factor > 1.0 / limit)) {
      fail(ErrorKind::bad_input,
           fmt::format(
               "position {} is too far from center={}: the factor of pair 0 overflows {}; choose another center, or "
               "--dtype f64",
               positions.real(0, n), spec.center, to_text(dtype)));
    }
    head.largest = std::max(head.largest, factor);
  }
  const auto fill = [angles, pairs](const PositionView& some, const View& block, bool all) {
    if (!all) return fill_factors(angles.schedule(), some, block);
    fill_cos_sin(angles.angles(), some, columns_of(block, 0, pairs), columns_of(block, pairs, pairs));
    fill_factors(angles.schedule(), some, columns_of(block, 2 * pairs, pairs));
  };
  if (format == "text" || format == "csv" || format == "npy") {
    head.parts = {
        {"cos_sin_factor", 3 * pairs, {"cos", "sin", "factor"}, [fill](const PositionView& some, const View& block) {
           fill(some, block, true);
         }}};
    return head;
  }
  head.parts = {
      {"cos_sin",
       2 * pairs,
       {"cos", "sin"},
       [angles](const PositionView& some, const View& block) { fill_cos_sin(angles.angles(), some, block); }},
      {"factor", pairs, {"factor"}, [fill](const PositionView& some, const View& block) { fill(some, block, false); }}};
  return head;
}

TableHead temperature_table(const QueryTemperature& spec, const PositionView& positions, DType dtype) {
  TableHead head{.positions = positions, .dtype = dtype};
  head.members = {{"spec", to_json(spec)}, {"dtype", Json(to_text(dtype))}};
  for (std::int64_t n = 0; n < positions.count; ++n) {
    head.largest = std::max(head.largest, query_factor(spec, positions.real(0, n)));
  }
  head.parts = {{"factor", 1, {"factor"}, [spec](const PositionView& some, const View& block) {
                   for (std::int64_t n = 0; n < some.count; ++n)
                     set_number(block[n], 0, query_factor(spec, some.real(0, n)));
                 }}};
  return head;
}

}  // namespace

TableHead query_table(const Spec& spec, const PositionView& positions, DType dtype, const std::string& format) {
  check_positions(positions, "table");
  TableHead head = std::holds_alternative<Xpos>(spec)
                       ? xpos_table(std::get<Xpos>(spec), positions, dtype, format)
                       : temperature_table(std::get<QueryTemperature>(spec), positions, dtype);
  head.metadata = {{"posenc", to_text(to_json(spec))}};
  return head;
}

}  // namespace posenc::cli
