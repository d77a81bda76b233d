#include "cli/input_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "posenc/error.h"
#include "posenc/files/spec_json.h"

namespace posenc::cli {
namespace {

double largest_value(const Encoding& encoding, Rows rows) {
  double largest = 1.0;
  if (rows == Rows::derivative) {
    for (const double inv_freq : encoding.sinusoidal()->inv_freq) largest = std::max(largest, std::fabs(inv_freq));
  }
  return largest * encoding.largest();
}

std::shared_ptr<RowStream> make_stream(const Encoding& encoding, const PositionView& positions, Rows rows) {
  if (rows == Rows::values) return std::make_shared<RowStream>(encoding.rows(), positions);
  if (std::holds_alternative<Sinusoidal>(encoding.spec())) {
    return std::make_shared<RowStream>(*encoding.sinusoidal(), positions, Rows::derivative);
  }
  if (std::holds_alternative<Concat>(encoding.spec()) || std::holds_alternative<Fourier>(encoding.spec())) {
    fail(ErrorKind::unsupported,
         fmt::format("--derivative works for sinusoidal encodings, not for {}", kind_of(encoding.spec())));
  }
  fail(ErrorKind::unsupported,
       fmt::format("{} has no derivative by the position: its rows are learned one by one", kind_of(encoding.spec())));
}

}  // namespace

TableHead input_table(const Encoding& encoding, const PositionView& positions, DType dtype, Rows rows) {
  const std::shared_ptr<RowStream> stream = make_stream(encoding, positions, rows);
  TableHead head{.positions = positions, .dtype = dtype, .largest = largest_value(encoding, rows)};
  head.members = {{"spec", to_json(encoding.spec())},
                  {"dtype", Json(to_text(dtype))},
                  {"derivative", Json(rows == Rows::derivative)}};
  if (encoding.fourier()) head.members.emplace_back("inv_freq", Json(encoding.fourier()->inv_freq));
  if (encoding.sinusoidal()) head.members.emplace_back("inv_freq", Json(encoding.sinusoidal()->inv_freq));
  head.metadata = {{"posenc", to_text(to_json(encoding.spec()))}};
  head.parts.push_back({.name = "values",
                        .width = encoding.width(),
                        .fill = [stream](const PositionView&, const View& block) { stream->next(block); }});
  return head;
}

}  // namespace posenc::cli
