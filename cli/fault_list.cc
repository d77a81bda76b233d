// The table of mistakes as text, JSON or Markdown (for docs/faults.md).
#include <fmt/format.h>

#include <sstream>

#include "cli/diagnose_text.h"
#include "cli/output.h"
#include "core/text/shell.h"

namespace posenc::cli {
namespace {

std::vector<std::string> reports_of(const KnownFault& fault) {
  std::vector<std::string> reports;
  std::istringstream words{std::string(fault.reports)};
  for (std::string report; std::getline(words, report, ',');) {
    report.erase(0, report.find_first_not_of(' '));
    if (!report.empty()) reports.push_back(report);
  }
  return reports;
}

std::string heading_of(std::string_view about) {
  if (about == "channels") return "Channels: which are rotated, how they are paired, and in which direction";
  if (about == "frequencies") return "Frequencies";
  if (about == "scaling") return "Scalings for longer contexts";
  if (about == "factor") return "Factors on scores";
  if (about == "positions") return "Positions";
  if (about == "precision") return "Rounding";
  if (about == "axes") return "Several axes";
  return about == "bias" ? "Biases on scores" : "Encodings at the input";
}

std::string markdown(const std::vector<KnownFault>& faults) {
  std::string text;
  for (const std::string_view about :
       {"channels", "frequencies", "scaling", "factor", "positions", "precision", "axes", "bias", "rows"}) {
    text += fmt::format("### {}\n\n", heading_of(about));
    for (const KnownFault& fault : faults) {
      if (fault.about != about) continue;
      text += fmt::format("#### {}\n\n{}.\n\n", fault.name, fault.title);
      text += fmt::format("![error against position](figures/faults/{}.svg)\n\n", fault.name);
      text += fmt::format("- **Symptom**: {}.\n- **Fix**: {}.\n", fault.symptom, fault.fix);
      const std::vector<std::string> reports = reports_of(fault);
      if (!reports.empty()) text += fmt::format("- **Reported in**: {}.\n", fmt::join(reports, ", "));
      text += fmt::format("- **See it**: `posenc diagnose {} --inject {}{}`\n\n", text::shell_word(fault.example),
                          fault.name, fault.layer < 0 ? "" : fmt::format(" --layer {}", fault.layer));
    }
  }
  text.pop_back();
  return text;
}

std::string plain(const std::vector<KnownFault>& faults) {
  std::string text;
  for (const KnownFault& fault : faults) text += fmt::format("{:<26}  {}\n", fault.name, fault.title);
  return text;
}

}  // namespace

void write_faults(const OutputOptions& output, const std::string& format) {
  const std::vector<KnownFault> faults = known_faults();
  if (format == "md") {
    write_text(output, markdown(faults));
  } else if (format == "text") {
    write_text(output, plain(faults));
  } else {
    Json::Array list;
    for (const KnownFault& fault : faults) {
      const std::vector<std::string> reports = reports_of(fault);
      list.push_back(Json::Object{{"fault", fault.name},
                                  {"about", fault.about},
                                  {"title", fault.title},
                                  {"symptom", fault.symptom},
                                  {"fix", fault.fix},
                                  {"reports", Json::Array(reports.begin(), reports.end())},
                                  {"example", fault.example},
                                  {"layer", fault.layer < 0 ? Json(nullptr) : Json(fault.layer)}});
    }
    write_json(output, {{"faults", list}});
  }
}

}  // namespace posenc::cli
