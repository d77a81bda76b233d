#include <algorithm>

#include "insight/drawing/chart.h"
#include "posenc/error.h"
#include "posenc/insight/diagnose.h"

namespace posenc {

Drawing draw_fault(const InjectedFault& fault, const std::string& title) {
  if (fault.positions.empty()) fail(ErrorKind::usage, "[draw_fault] positions must not be empty");
  Drawing drawing;
  const auto [low, high] = std::minmax_element(fault.positions.begin(), fault.positions.end());
  const bool log = *low >= 0.0 && *high > 100.0;
  // A logarithmic axis has no 0: position 0 is drawn at 0.5.
  const auto place = [&](double p) { return log ? std::max(p, 0.5) : p; };
  const double most = *std::max_element(fault.error.begin(), fault.error.end());
  const Box body = drawing::lay_out_page(
      drawing, {.title = title,
                .notes = {fault.sentence, "largest difference at each " + fault.along +
                                              (fault.along == "position" ? ", for vectors of size 1" : "")},
                .width = 560.0,
                .body_height = 190.0});
  std::vector<double> x;
  for (const double p : fault.positions) x.push_back(place(p));
  drawing::Panel panel(
      drawing, body,
      {.x = {.label = fault.along, .low = place(*low), .high = place(std::max(*high, *low + 1.0)), .log = log},
       .y = {.label = "error", .low = 0.0, .high = most > 0.0 ? 1.1 * most : 1.0}});
  panel.line(x, fault.error, {.ink = Ink::series1});
  return drawing;
}

}  // namespace posenc
