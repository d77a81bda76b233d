#include "posenc/insight/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/arrays.h"
#include "cli/commands/commands.h"
#include "cli/complaints.h"
#include "cli/encoding.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "posenc/error.h"
#include "posenc/files/load.h"
#include "posenc/files/spec_json.h"

namespace posenc::cli {
namespace {

struct CheckCommand {
  std::string spec;
  EncodingOptions encoding;
  std::string positions;              // empty: the library chooses, or the rows of the table, from 0
  std::optional<std::int64_t> train;  // none: the trained length of the scaling, else 2048
  std::string table;                  // of another engine: file.npy or file.safetensors:tensor; empty: none
  OutputOptions output;
};

constexpr std::size_t kVerdictColumns = 18;
constexpr std::size_t kColumns = 100;

std::string verdict_text(const Property& property) {
  const std::string text(to_text(property.verdict));
  if (!property.until) return text;
  return fmt::format("{} {:.{}f}", text, *property.until,
                     *property.until == static_cast<double>(static_cast<std::int64_t>(*property.until)) ? 0 : 3);
}

std::string property_text(const Property& property) {
  std::string text;
  std::vector<std::string> lines = wrapped(property.title, kColumns - kVerdictColumns);
  for (const std::string& line : wrapped(property.finding, kColumns - kVerdictColumns - 2))
    lines.push_back("  " + line);
  std::string verdict = verdict_text(property);
  for (const std::string& line : lines) {
    text += fmt::format("{:<{}}{}\n", verdict, kVerdictColumns, line);
    verdict.clear();
  }
  return text;
}

std::int64_t count_of(const std::vector<Property>& properties, Verdict verdict) {
  return std::count_if(properties.begin(), properties.end(), [&](const Property& p) { return p.verdict == verdict; });
}

// "14 properties: 10 hold, 4 hold up to a limit".
std::string summary_text(const std::vector<Property>& properties) {
  const auto said = [&](Verdict verdict, const char* one, const char* many) {
    const std::int64_t count = count_of(properties, verdict);
    return count == 0 ? "" : fmt::format(", {} {}", count, count == 1 ? one : many);
  };
  const std::string verdicts = said(Verdict::holds, "holds", "hold") +
                               said(Verdict::holds_to, "holds up to a limit", "hold up to a limit") +
                               said(Verdict::does_not_hold, "does not hold by design", "do not hold by design") +
                               said(Verdict::violated, "is violated", "are violated") +
                               said(Verdict::not_measured, "is not measured", "are not measured");
  return fmt::format("{} {}: {}", properties.size(), properties.size() == 1 ? "property" : "properties",
                     verdicts.substr(2));
}

bool uses_trained_length(const Property& property) {
  return std::any_of(property.numbers.begin(), property.numbers.end(),
                     [](const auto& number) { return number.first == "train_length"; });
}

// The trained length and where it comes from; empty if no property depends on it.
std::string trained_text(const CheckCommand& options, const Encoding& encoding, std::int64_t length,
                         const std::vector<Property>& properties) {
  if (std::none_of(properties.begin(), properties.end(), uses_trained_length)) return "";
  constexpr const char* kSources[] = {"original_positions of its scaling", "the model's length", "the default"};
  const std::string source = kSources[static_cast<std::size_t>(trained_length_of(encoding).source)];
  return fmt::format("\ntrained length: {}{}", length,
                     options.train ? "" : fmt::format(", {} (--trained sets another)", source));
}

std::string report_text(const std::string& heading, const std::vector<Property>& properties) {
  std::string text = heading + "\n\n";
  for (const Property& property : properties) text += property_text(property);
  return text + "\n" + summary_text(properties) + "\n";
}

Json property_json(const Property& property) {
  Json numbers{Json::Object{}};
  for (const auto& [name, value] : property.numbers) numbers.set(name, std::isnan(value) ? Json() : Json(value));
  Json item;
  item.set("name", property.name).set("title", property.title).set("verdict", verdict_text(property));
  item.set("until", property.until ? Json(*property.until) : Json());
  item.set("finding", property.finding).set("numbers", numbers).set("command", property.command);
  return item;
}

// The table of --table, without leading axes of length 1.
Array load_checked(const std::string& file, Place place) {
  const bool bias = place == Place::bias;
  const std::size_t rank = bias ? 3 : 2;
  Array array = load_array(file);
  const std::string found = array.text();
  drop_leading_axes(array, rank);
  if (array.shape.size() == rank && array.size() > 0 && is_float(array.dtype)) return array;
  fail(ErrorKind::bad_input,
       fmt::format("{}: expected a table of floats, {}, but got {}", file,
                   bias ? "[heads, queries, keys]" : "[rows, columns] with one row per position", found));
}

// Without --positions, the rows of a table are those of positions 0, 1, ...
Positions positions_of(const CheckCommand& options, const Array* observed) {
  if (!options.positions.empty()) return load_positions(options.positions);
  if (observed == nullptr) return {};
  const std::size_t axis = observed->shape.size() == 3 ? 1 : 0;
  return Positions::range(0, observed->shape[axis]);
}

// Messages about a table name its file.
std::vector<Property> checked(const Encoding& encoding, const CheckOptions& check_options, const std::string& table) {
  try {
    return check(encoding, check_options);
  } catch (const Error& error) {
    if (table.empty() || error.kind() != ErrorKind::bad_input) throw;
    fail(error.kind(), fmt::format("{}: {}", table, for_command_line(error.what())));
  }
}

int run(const CheckCommand& options) {
  EncodingOptions learned = options.encoding;
  learned.missing = Missing::leave;  // the library draws missing numbers
  const Encoding found = find_with_remarks(options.spec, learned);
  const std::string format = choose_format(options.output, {"text", "json"});
  std::optional<Array> observed;
  if (!options.table.empty()) observed = load_checked(options.table, found.place());
  const Positions positions = positions_of(options, observed ? &*observed : nullptr);
  check_amount(found.spec(), positions.count());
  const Encoding given = with_learned(found, learned);
  check_learned_of_model(given, options.spec, "posenc check");
  const Encoding encoding = with_drawn(given);
  const std::int64_t train = options.train.value_or(trained_length_of(encoding).positions);
  CheckOptions check_options{.positions = positions, .train_length = train};
  if (observed) check_options.observed = observed->view();
  const std::vector<Property> properties = checked(encoding, check_options, options.table);
  const std::string where = positions.count() > 0 ? to_text(positions.view()) : "";
  if (format == "json") {
    Json::Array list;
    for (const Property& property : properties) list.push_back(property_json(property));
    write_json(options.output, {{"spec", to_json(encoding.spec())},
                                {"positions", where.empty() ? Json() : Json(where)},
                                {"train_length", Json(train)},
                                {"properties", Json(list)}});
  } else {
    const std::string at =
        where.empty() ? "" : ", positions " + (options.positions.empty() ? where : options.positions);
    const std::string whose = observed ? ", numbers from " + options.table : "";
    const std::string drawn = encoding.drawn() || encoding.made_by_init() ? ", untrained" : "";
    write_text(options.output,
               report_text(encoding.text() + drawn + at + whose + trained_text(options, encoding, train, properties),
                           properties));
  }
  return count_of(properties, Verdict::violated) > 0 ? 1 : 0;
}

}  // namespace

void add_check(Command& app) {
  const auto options = std::make_shared<CheckCommand>();
  Command command = app.command("check", "Measure the properties of an encoding, and check an engine's numbers",
                                "  posenc check sinusoidal\n"
                                "  posenc check rotary:head_dim=128,base=500000 --trained 8192\n"
                                "  posenc check sinusoidal:width=512 --table theirs.npy --positions 0:5000\n"
                                "  posenc check learned:past_end=error --file wpe.npy --format json");
  command.add("SPEC", options->spec, kSpecHelp).required();
  add_spec_choice(command, options->encoding);
  options->encoding.example = ExampleSize::by_hand;
  command.text("--positions,-p", options->positions, "positions to look at (default: 0:1000, or the rows of the table)")
      .formerly("--position")
      .positions();
  add_trained(command, options->train);
  command
      .text("--table", options->table,
            "check these numbers of another engine: rows [N, M]; for rotary [N, 2 pairs], cosines, then sines;\n"
            "for a bias [H, N, N]; t.npy or model.safetensors:tensor")
      .value("FILE");
  add_weights(command, options->encoding);
  add_parameters(command, options->encoding);
  add_output(command, options->output, "text, json");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
