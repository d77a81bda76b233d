#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cli/array_output.h"
#include "cli/commands/commands.h"
#include "cli/conventions.h"
#include "cli/integers.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/vision_positions.h"
#include "cli/word_choice.h"
#include "core/text/joined.h"
#include "posenc/error.h"
#include "posenc/position_ids.h"

namespace posenc::cli {
namespace {

struct PositionsCommand {
  std::string mask, tokens, lengths, bounds, documents, after, grid, image, packed_ids;
  std::string patches;      // HxW or TxHxW
  std::string token_types;  // 0 text, 1 image, 2 video
  std::optional<std::int64_t> pad_token;
  std::string pads;        // an id, "previous" or "counted"
  std::string convention;  // instead of pads and first
  std::optional<std::int64_t> first, past, last;
  std::optional<std::int64_t> count;  // with after
  std::string at;                     // with grid: ids whose places are asked for
  std::optional<std::int64_t> side;   // with image
  std::string fraction;               // with image
  std::string by;                     // with packed_ids
  VisionOptions vision;
  OutputOptions output;
};

// What ids are made from. Exactly one source must be given.
struct Source {
  const char* name;
  std::string PositionsCommand::*text;
  const char* help;
  const char* value = "LIST";
};

constexpr std::array<Source, 11> kSources = {{
    {"--mask", &PositionsCommand::mask,
     "1,1,1,0,0/0,0,1,1,1: 1 for a token, 0 for padding, a slash between rows; or @mask.npy"},
    {"--tokens", &PositionsCommand::tokens, "token ids in the same form; --pad-token says which id is padding", "IDS"},
    {"--lengths", &PositionsCommand::lengths, "3,1,5: lengths of the documents packed into one row"},
    {"--bounds", &PositionsCommand::bounds, "0,3,4,9: the same documents by cumulative lengths"},
    {"--documents", &PositionsCommand::documents, "0,0,0,1,2,2: the document of each token", "IDS"},
    {"--after", &PositionsCommand::after, "5,0,12: lengths of caches; the ids of the next --count tokens"},
    {"--grid", &PositionsCommand::grid,
     "3x5: rows and columns of a grid, in reading order; with --at, of these ids only", "GRID"},
    {"--image", &PositionsCommand::image,
     "3x5: the table rows that an image of this size reads from a table of --side x --side", "GRID"},
    {"--patches", &PositionsCommand::patches,
     "4x6 or 2x4x6: the patches of a vision model, in blocks of --merge x --merge", "GRID"},
    {"--token-types", &PositionsCommand::token_types,
     "0,0,1,1,1,1,0: text (0), images (1) and videos (2); --images and --videos give their grids; rows as in --mask"},
    {"--packed-ids", &PositionsCommand::packed_ids,
     "0,1,2,0,1: ids of packed documents; find the documents, by the rule --by", "IDS"},
}};

std::string_view choose_source(const PositionsCommand& options) {
  std::string_view chosen;
  for (const Source& source : kSources) {
    if ((options.*source.text).empty()) continue;
    if (source.text == &PositionsCommand::mask && !options.token_types.empty())
      continue;  // it marks the padding of those tokens
    if (!chosen.empty()) fail(ErrorKind::usage, fmt::format("give {} or {}, not both", chosen, source.name));
    chosen = source.name;
  }
  if (chosen.empty()) {
    fail(ErrorKind::usage, "choose where ids come from, such as --mask 1,1,0 --pads 0 or --lengths 3,1,5: one of " +
                               text::joined(kSources, ", ", &Source::name));
  }
  return chosen;
}

// Refuses an option that would change nothing, because the user expects an effect.
void check_option(std::string_view option, bool given, std::string_view source,
                  const std::vector<std::string_view>& sources) {
  if (!given || std::find(sources.begin(), sources.end(), source) != sources.end()) return;
  fail(ErrorKind::usage,
       fmt::format("{} needs {}; it has no effect with {}", option, text::joined(sources, " or "), source));
}

void check_vision_options(const VisionOptions& options, std::string_view source) {
  check_option("--merge", options.merge.has_value(), source, {"--patches", "--token-types"});
  check_option("--axes", !options.axes.empty(), source, {"--patches"});
  check_option("--coordinates", !options.coordinates.empty(), source, {"--patches"});
  check_option("--images", !options.images.empty(), source, {"--token-types"});
  check_option("--videos", !options.videos.empty(), source, {"--token-types"});
  check_option("--resume", !options.resume.empty(), source, {"--token-types"});
  check_option("--tokens-per-second", options.tokens_per_second.has_value(), source, {"--token-types"});
  check_option("--seconds-per-grid", !options.seconds_per_grid.empty(), source, {"--token-types"});
  check_option("--frame-step", !options.frame_step.empty(), source, {"--token-types"});
  check_option("--split-frames", options.split_frames, source, {"--token-types"});
}

void check_options(const PositionsCommand& options, std::string_view source) {
  check_option("--pads", !options.pads.empty(), source, {"--mask", "--tokens", "--token-types"});
  check_option("--convention", !options.convention.empty(), source, {"--mask", "--tokens"});
  check_option("--past", options.past.has_value(), source, {"--mask", "--tokens"});
  check_option("--last", options.last.has_value(), source, {"--mask", "--tokens"});
  check_option("--first", options.first.has_value(), source,
               {"--mask", "--tokens", "--lengths", "--bounds", "--documents", "--patches"});
  check_option("--pad-token", options.pad_token.has_value(), source, {"--mask", "--tokens"});
  check_option("--count", options.count.has_value(), source, {"--after"});
  check_option("--at", !options.at.empty(), source, {"--grid"});
  check_option("--side", options.side.has_value(), source, {"--image"});
  check_option("--fraction", !options.fraction.empty(), source, {"--image"});
  check_option("--by", !options.by.empty(), source, {"--packed-ids"});
  check_vision_options(options.vision, source);
}

template <class Value>
Value needed(const std::optional<Value>& value, std::string_view message) {
  if (!value) fail(ErrorKind::usage, std::string(message));
  return *value;
}

Pads parse_pads(const std::string& text) {
  if (text == "previous") return Pads::previous();
  if (text == "counted") return Pads::counted();
  std::int64_t id = 0;
  if (parse_integer(text, id)) return Pads::id(id);
  fail(ErrorKind::usage, fmt::format("--pads must be an id, 'previous' or 'counted' but got '{}'", text));
}

IdRule rule_of(const PositionsCommand& options, bool from_mask) {
  const bool named = !options.convention.empty();
  if (from_mask && options.pad_token && !(named && needs_pad_token(options.convention))) {
    fail(ErrorKind::usage, "--pad-token needs --tokens: a mask already says which tokens are padding");
  }
  const std::int64_t past = options.past.value_or(0);
  if (named) {
    if (options.pads.empty() && !options.first) return convention_rule(options.convention, options.pad_token, past);
    fail(ErrorKind::usage,
         fmt::format("--convention {} already decides the id of padding and the first id: leave out {}",
                     options.convention, options.pads.empty() ? "--first" : "--pads"));
  }
  if (options.pads.empty()) {
    const bool also = !from_mask && !options.pad_token;
    fail(ErrorKind::usage,
         std::string(also ? "--pad-token and --pads are needed, for example --pad-token 1 --pads 0: --pad-token is the "
                            "token id of padding, --pads is the id"
                          : "--pads is needed: the id") +
             " that padding gets, such as --pads 0 (generate() in transformers 5) or --pads 1 (in "
             "transformers 4), 'previous' (the id of the token before) or 'counted' (its place in the row). Models "
             "differ, "
             "so "
             "there is no default; --convention NAME chooses by model");
  }
  return {.pads = parse_pads(options.pads), .first = options.first.value_or(0), .past = past};
}

Integers from_mask_or_tokens(const PositionsCommand& options, bool from_mask) {
  const IdRule rule = rule_of(options, from_mask);
  if (!from_mask) needed(options.pad_token, "--tokens needs --pad-token ID, the token id of padding");
  const Integers input = read_integers(from_mask ? options.mask : options.tokens, from_mask ? "--mask" : "--tokens");
  std::vector<std::int64_t> shape = input.shape;
  if (options.last) {
    if (*options.last < 1 || *options.last > shape.back()) {
      fail(ErrorKind::usage,
           fmt::format("--last must be 1 to {}, the number of columns, but got {}", shape.back(), *options.last));
    }
    shape.back() = *options.last;
  }
  Integers ids = make_integers(shape);
  if (from_mask) {
    positions_from_mask(input.view(), rule, ids.view());
  } else {
    positions_from_tokens(input.view(), *options.pad_token, rule, ids.view());
  }
  // Typed rows are a batch, even if there is only one; a file keeps its shape.
  const bool typed = !(from_mask ? options.mask : options.tokens).starts_with('@');
  return typed ? std::move(ids).as_rows() : ids;
}

Integers from_bounds(const std::vector<std::int64_t>& bounds, std::int64_t first) {
  // positions_from_bounds refuses negative lengths.
  Integers ids = make_integers({bounds.empty() ? 0 : std::max<std::int64_t>(bounds.back(), 0)});
  positions_from_bounds(make_view(bounds.data(), {static_cast<std::int64_t>(bounds.size())}), first, ids.view());
  return ids;
}

Integers from_documents(const PositionsCommand& options) {
  const Integers documents = read_integers(options.documents, "--documents");
  Integers ids = make_integers(documents.shape);
  positions_from_segments(documents.view(), options.first.value_or(0), ids.view());
  return ids;
}

Integers after_caches(const PositionsCommand& options) {
  const std::int64_t count = needed(options.count, "--after needs --count N, the number of tokens that follow");
  if (count < 1) fail(ErrorKind::usage, fmt::format("--count must be at least 1 but got {}", count));
  const std::vector<std::int64_t> lengths = read_list(options.after, "--after");
  Integers ids = make_integers({static_cast<std::int64_t>(lengths.size()), count});
  positions_after(make_view(lengths.data(), {static_cast<std::int64_t>(lengths.size())}), ids.view());
  return ids;
}

Integers from_grid(const PositionsCommand& options) {
  const std::vector<std::int64_t> grid = read_grid(options.grid, "--grid");
  const auto axes = static_cast<std::int64_t>(grid.size());
  if (options.at.empty()) {
    std::vector<std::int64_t> all = grid;
    all.push_back(axes);
    Integers places = make_integers(all);  // refuses too many before any work
    places.numbers.clear();
    append_grid(places.numbers, grid, 0);
    places.shape = {static_cast<std::int64_t>(places.numbers.size()) / axes, axes};
    return places;
  }
  const std::vector<std::int64_t> ids = read_list(options.at, "--at");
  Integers places = make_integers({static_cast<std::int64_t>(ids.size()), axes});
  places_in_grid(make_view(ids.data(), {static_cast<std::int64_t>(ids.size())}), grid, places.view());
  return places;
}

Integers from_image(const PositionsCommand& options) {
  constexpr std::array<std::string_view, 4> kWords = {"exact", "product", "quotient", "shrunk"};
  if (options.fraction.empty()) {
    fail(ErrorKind::usage,
         std::string(options.side ? "--fraction is needed"
                                  : "--side N is needed, the rows and columns of the table, "
                                    "and --fraction") +
             ", the rule that assigns fractions to rows: 'exact' (in integers), or in float32 'product' (Idefics2, "
             "SmolVLM in transformers 5), 'quotient' (MiniCPM-V) or 'shrunk' (Idefics2 in transformers 4)");
  }
  const std::int64_t side = needed(options.side, "--image needs --side N, the rows and columns of the table");
  const auto fraction = choose<Fraction>(options.fraction, "--fraction", kWords);
  const std::vector<std::int64_t> image = read_grid(options.image, "--image");
  if (image.size() != 2) {
    fail(ErrorKind::usage, fmt::format("--image must be rows x columns, such as 3x5, but got '{}'", options.image));
  }
  Integers rows = make_integers(image);
  rows_by_fraction(image[0], image[1], side, rows.view(), fraction);
  return rows;
}

Integers positions_of(const PositionsCommand& options, std::string_view source) {
  const std::int64_t first = options.first.value_or(0);
  if (source == "--mask") return from_mask_or_tokens(options, /*from_mask=*/true);
  if (source == "--tokens") return from_mask_or_tokens(options, /*from_mask=*/false);
  if (source == "--lengths") return from_bounds(bounds_of(read_list(options.lengths, "--lengths")), first);
  if (source == "--bounds") return from_bounds(read_list(options.bounds, "--bounds"), first);
  if (source == "--documents") return from_documents(options);
  if (source == "--after") return after_caches(options);
  if (source == "--grid") return from_grid(options);
  return from_image(options);
}

Json json_list(const std::vector<std::int64_t>& numbers) { return Json::Array(numbers.begin(), numbers.end()); }

// Prints the documents of each row.
void write_documents(const PositionsCommand& options, const std::string& format) {
  constexpr std::array<std::string_view, 2> kWords = {"step", "minimum"};
  if (options.by.empty()) {
    fail(ErrorKind::usage,
         "--by is needed: 'step' (a document starts at an id that is not the previous one plus 1) or 'minimum' (at an "
         "id "
         "that equals the smallest)");
  }
  const auto rule = choose<PackedBy>(options.by, "--by", kWords);
  const Integers ids = read_integers(options.packed_ids, "--packed-ids").as_rows();
  Json::Array all_bounds, all_segments;
  std::string text;
  for (std::int64_t b = 0; b < ids.shape[0]; ++b) {
    Integers segments = make_integers({ids.shape[1]});
    const std::vector<std::int64_t> bounds = bounds_from_positions(ids.view()[b], rule);
    segments_from_positions(ids.view()[b], rule, segments.view());
    text += fmt::format("bounds   {}\nsegments {}\n", fmt::join(bounds, " "), fmt::join(segments.numbers, " "));
    all_bounds.push_back(json_list(bounds));
    all_segments.push_back(json_list(segments.numbers));
  }
  if (format == "text") return write_text(options.output, text);
  const bool one = ids.shape[0] == 1;
  write_json(options.output, {{"by", Json(options.by)},
                              {"bounds", one ? all_bounds[0] : Json(all_bounds)},
                              {"segments", one ? all_segments[0] : Json(all_segments)}});
}

int run(const PositionsCommand& options) {
  const std::string_view source = choose_source(options);
  check_options(options, source);
  if (source == "--packed-ids") {
    write_documents(options, choose_format(options.output, {"text", "json"}));
    return 0;
  }
  const std::string format = choose_format(options.output, {"text", "json", "npy", "safetensors"});
  const ArrayOutput what{.format = format, .name = "positions"};
  if (source == "--patches") {
    write_patches(options.patches, options.vision, options.first, what, options.output);
    return 0;
  }
  if (source == "--token-types") {
    write_mixed({options.token_types, options.mask, options.pads}, options.vision, what, options.output);
    return 0;
  }
  const Integers ids = positions_of(options, source);
  write_array(ids.view(), what, options.output);
  return 0;
}

void add_position_rules(Command& command, PositionsCommand& options) {
  command.text("--pads", options.pads,
               "id of padding: a number, previous (the id before) or counted (the place in the row)");
  command.add("--first", options.first, "id of the first token (default: 0)");
  command.text("--convention", options.convention,
               "instead of --pads and --first, the rule of a model; K is --pad-token:\n" + convention_list());
  command.add("--pad-token", options.pad_token, "token id of padding");
  command.add("--past", options.past, "number of tokens in the cache (default: 0)");
  command.add("--last", options.last, "print the last N columns only, as in a step of decoding");
  command.add("--count", options.count, "with --after: number of tokens");
  command.text("--at", options.at, "with --grid: the ids to look up, such as 0,7,11");
  command.add("--side", options.side, "with --image: rows and columns of the table");
  command.text("--fraction", options.fraction, "with --image: exact, product, quotient or shrunk");
  command.text("--by", options.by, "with --packed-ids: step or minimum");
}

}  // namespace

void add_positions(Command& app) {
  const auto options = std::make_shared<PositionsCommand>();
  Command command = app.command("positions", "Print position ids for masks, tokens, packed documents, caches and grids",
                                "  posenc positions --mask 1,1,1,0,0/0,0,1,1,1 --pads 0\n"
                                "  posenc positions --tokens 0,9,8,1,1 --pad-token 1 --convention roberta\n"
                                "  posenc positions --lengths 3,1,5 --format json\n"
                                "  posenc positions --packed-ids 0,1,2,5,6,0,1 --by step\n"
                                "  posenc positions --token-types 0,0,1,1,1,1,0 --images 1x4x4 --format json\n"
                                "  posenc positions --patches 4x6 --merge 2");
  for (const Source& source : kSources) {
    Option option = command.text(source.name, (*options).*source.text, source.help).value(source.value);
    option.group("From one of");
    if (source.text == &PositionsCommand::documents) option.formerly("--segments");
  }
  add_position_rules(command, *options);
  add_vision_options(command, options->vision);
  add_output(command, options->output, "text, json, npy, safetensors");
  command.runs([options] { return run(*options); });
}

}  // namespace posenc::cli
