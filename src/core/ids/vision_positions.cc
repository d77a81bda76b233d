#include "posenc/vision_positions.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/id_view.h"
#include "posenc/position_ids.h"

namespace posenc {
namespace {

using base::id_at;

constexpr std::int64_t kAxes = 3;

std::string grid_text(const PatchGrid& grid) {
  return std::to_string(grid.frames) + "x" + std::to_string(grid.height) + "x" + std::to_string(grid.width);
}

// Throws unless a grid has at least one patch, no more patches than there are ids, and consists of complete blocks.
void check_grid(const PatchGrid& grid, std::int64_t merge, std::string_view where) {
  base::require_input(merge >= 1, where, "merge must be at least 1 but got ", merge);
  if (grid.frames < 1 || grid.height < 1 || grid.width < 1) {
    base::refuse_input(where, "a grid must have at least 1 frame, row and column but is ", grid_text(grid));
  }
  if (grid.height > kMaxPosition / grid.frames || grid.width > kMaxPosition / (grid.frames * grid.height)) {
    base::refuse_input(where, "a grid must have at most 2147483647 patches but is ", grid_text(grid));
  }
  if (grid.height % merge == 0 && grid.width % merge == 0) return;
  base::refuse_input(where, "height and width of a grid must be multiples of merge, ", merge, ", but it is ",
                     grid_text(grid));
}

void check_rule(const MropeRule& rule, std::string_view where) {
  base::require_input(rule.after >= AfterVision::extent && rule.after <= AfterVision::largest, where,
                      "after must be extent or largest but is number ", static_cast<int>(rule.after));
  base::require_input(rule.frame_step >= FrameStep::frame && rule.frame_step <= FrameStep::seconds, where,
                      "frame_step must be frame or seconds but is number ", static_cast<int>(rule.frame_step));
  base::require_input(rule.tokens_per_second >= 0.0 && rule.tokens_per_second <= 1e6, where,
                      "tokens_per_second must be from 0 to 1000000 but got ", rule.tokens_per_second);
  base::check_id(rule.pad_id, where, "pad_id");
}

void check_seconds(double seconds, std::string_view where) {
  if (seconds >= 0.0 && seconds <= 1e6) return;
  base::refuse_input(where, "seconds_per_grid must be from 0 to 1000000 but got ", seconds);
}

// The time from frame 0 to `frame`. With FrameStep::frame, both products are float32, as in tensors: a product just
// below a whole number is truncated to the next lower one.
double time_of(std::int64_t frame, const MropeRule& rule, double seconds) {
  const auto t = static_cast<double>(frame);
  if (rule.tokens_per_second == 0.0) return t;
  if (rule.frame_step == FrameStep::seconds) return std::trunc(t * rule.tokens_per_second * std::trunc(seconds));
  const float interval = static_cast<float>(rule.tokens_per_second) * static_cast<float>(seconds);
  return std::trunc(static_cast<double>(static_cast<float>(t) * interval));
}

void append_tuple(std::vector<std::int64_t>& ids, const PatchOptions& options, std::int64_t t, std::int64_t y,
                  std::int64_t x) {
  if (options.axes == PatchAxes::tyx) ids.push_back(t);
  const bool x_first = options.axes == PatchAxes::xy;
  ids.push_back(options.first + (x_first ? x : y));
  ids.push_back(options.first + (x_first ? y : x));
}

struct Cursor {
  std::span<const PatchGrid> grids;
  std::size_t next = 0;
  std::int64_t frame = 0;  // of grids[next], if frames are separate images
};

// Builds the ids of one batch; grids are used up row after row.
class Mrope {
 public:
  Mrope(const MropeInput& input, const MropeRule& rule)
      : input_(input), rule_(rule), images_{input.images}, videos_{input.videos} {}

  // Returns the ids of the tokens of row b that are not pads; empty if all are pads.
  std::vector<std::int64_t> row(std::int64_t b) {
    ids_.clear();
    start_ = 0;
    std::vector<std::int64_t> types;
    for (std::int64_t n = 0; n < count(); ++n) {
      if (is_real(b, n)) types.push_back(type_at(b, n));
    }
    for (std::size_t begin = 0; begin < types.size();) {
      std::size_t end = begin;
      while (end < types.size() && types[end] == types[begin]) ++end;
      add_run(types[begin], static_cast<std::int64_t>(end - begin), b);
      begin = end;
    }
    return ids_;
  }

  void check_used() const {
    check_used(images_, "images");
    check_used(videos_, "videos");
  }

  std::int64_t batch() const { return input_.token_types.rank == 2 ? input_.token_types.shape[0] : 1; }
  std::int64_t count() const { return input_.token_types.shape[static_cast<std::size_t>(input_.token_types.rank - 1)]; }
  bool is_real(std::int64_t b, std::int64_t n) const { return input_.mask.rank == 0 || at(input_.mask, b, n) != 0; }

 private:
  static std::int64_t at(const ConstView& view, std::int64_t b, std::int64_t n) {
    return view.rank == 2 ? id_at(view, b, n) : id_at(view, n);
  }

  std::int64_t type_at(std::int64_t b, std::int64_t n) const {
    const std::int64_t type = at(input_.token_types, b, n);
    if (type >= 0 && type <= 2) return type;
    base::refuse_input("mrope_positions", "token types must be 0 (text), 1 (image) or 2 (video) but token [", b, ", ",
                       n, "] is ", type);
  }

  // A run may hold several images, one directly after the other.
  void add_run(std::int64_t type, std::int64_t length, std::int64_t b) {
    if (type == 0) {
      start_ = append_text(ids_, kAxes, start_, length);
      return;
    }
    Cursor& cursor = type == 1 ? images_ : videos_;
    while (length > 0) length -= add_picture(cursor, type == 2, length, b);
  }

  std::int64_t add_picture(Cursor& cursor, bool video, std::int64_t length, std::int64_t b) {
    const std::string what = video ? "video" : "image";
    base::require_input(cursor.next != cursor.grids.size(), "mrope_positions", what, " tokens without a grid in row ",
                        b, ": ", length, " (", what, " grids given: ", cursor.grids.size(), ")");
    PatchGrid grid = cursor.grids[cursor.next];
    const bool split = video && rule_.split_frames;
    if (split) grid.frames = 1;
    const std::int64_t tokens = grid.frames * (grid.height / rule_.merge) * (grid.width / rule_.merge);
    if (tokens > length) {
      base::refuse_input("mrope_positions", (video ? "a video of " : "an image of "), grid_text(grid),
                         " patches needs ", tokens, " tokens but row ", b, " has ", length, " in a run");
    }
    const bool timed = video && !split && !input_.seconds_per_grid.empty();
    start_ = append_vision(ids_, grid, start_, picture_rule(video), timed ? input_.seconds_per_grid[cursor.next] : 1.0);
    const bool more = split && ++cursor.frame < cursor.grids[cursor.next].frames;
    if (!more) {
      ++cursor.next;
      cursor.frame = 0;
    }
    return tokens;
  }

  MropeRule picture_rule(bool video) const {
    MropeRule rule = rule_;
    if (!video) rule.tokens_per_second = 0.0;
    return rule;
  }

  static void check_used(const Cursor& cursor, const std::string& what) {
    if (cursor.next == cursor.grids.size()) return;
    base::refuse_input("mrope_positions", "there are grids of ", cursor.grids.size(), " ", what, " but tokens of ",
                       cursor.next);
  }

  const MropeInput& input_;
  const MropeRule& rule_;
  Cursor images_, videos_;
  std::vector<std::int64_t> ids_;
  std::int64_t start_ = 0;
};

void check_ids(const MropeInput& input, const View& ids) {
  constexpr std::string_view kWhere = "mrope_positions";
  const ConstView& types = input.token_types;
  const base::Shape wanted =
      types.rank == 2 ? base::Shape{types.shape[0], types.shape[1], kAxes} : base::Shape{types.shape[0], kAxes};
  base::check_view(ids, base::ids_to_write(wanted, "3 axes for each of token_types"), kWhere, "ids");
  base::check_apart({"ids", ids}, {"token_types", types}, kWhere);
  base::check_apart({"ids", ids}, {"mask", input.mask}, kWhere);
}

void check_input(const MropeInput& input, const MropeRule& rule, const View& ids) {
  constexpr std::string_view kWhere = "mrope_positions";
  check_rule(rule, kWhere);
  base::check_view(input.token_types, base::rows_to_read(), kWhere, "token_types");
  if (input.mask.rank != 0) {
    base::ViewRule like_types =
        base::ids_to_read(base::shape_of(input.token_types), base::Batch::as_given, base::kIntegers);
    like_types.reason = "the shape of token_types";
    base::check_view(input.mask, like_types, kWhere, "mask");
    base::check_mask_values(input.mask, kWhere);
  }
  for (const PatchGrid& grid : input.images) {
    check_grid(grid, rule.merge, kWhere);
    if (grid.frames != 1) base::refuse_input(kWhere, "an image must have 1 frame but is ", grid_text(grid));
  }
  for (const PatchGrid& grid : input.videos) check_grid(grid, rule.merge, kWhere);
  for (const double seconds : input.seconds_per_grid) check_seconds(seconds, kWhere);
  base::require_input(input.seconds_per_grid.empty() || input.seconds_per_grid.size() == input.videos.size(), kWhere,
                      "seconds_per_grid must be one per video, ", input.videos.size(), ", but are ",
                      input.seconds_per_grid.size());
  check_ids(input, ids);
}

// Writes a row's ids to the tokens that are not pads, and returns its delta: the largest id + 1, minus the number of
// these tokens.
std::int64_t write_row(const Mrope& mrope, std::int64_t b, const std::vector<std::int64_t>& row, std::int64_t pad_id,
                       const View& out) {
  std::size_t next = 0;
  for (std::int64_t n = 0; n < mrope.count(); ++n) {
    const bool real = mrope.is_real(b, n);
    for (std::int64_t a = 0; a < kAxes; ++a)
      base::set_id(out, n, a, real ? row[next + static_cast<std::size_t>(a)] : pad_id);
    next += real ? kAxes : 0;
  }
  if (row.empty()) return 0;
  return *std::max_element(row.begin(), row.end()) + 1 - static_cast<std::int64_t>(row.size()) / kAxes;
}

}  // namespace

void append_patches(std::vector<std::int64_t>& ids, const PatchGrid& grid, const PatchOptions& options) {
  constexpr std::string_view kWhere = "append_patches";
  check_grid(grid, options.merge, kWhere);
  base::require_input(options.axes >= PatchAxes::yx && options.axes <= PatchAxes::tyx, kWhere,
                      "axes must be yx, xy or tyx but is number ", static_cast<int>(options.axes));
  base::require_input(
      options.first >= -kMaxPosition && options.first <= kMaxPosition - std::max(grid.height, grid.width), kWhere,
      "ids must be from -2147483647 to 2147483647 but first is ", options.first);
  const std::int64_t m = options.merge, columns = grid.width / m;
  for (std::int64_t t = 0; t < grid.frames; ++t) {
    for (std::int64_t block = 0; block < (grid.height / m) * columns; ++block) {
      for (std::int64_t i = 0; i < m * m; ++i) {
        append_tuple(ids, options, t, block / columns * m + i / m, block % columns * m + i % m);
      }
    }
  }
}

std::int64_t append_vision(std::vector<std::int64_t>& ids, const PatchGrid& grid, std::int64_t start,
                           const MropeRule& rule, double seconds_per_grid) {
  constexpr std::string_view kWhere = "append_vision";
  check_grid(grid, rule.merge, kWhere);
  check_rule(rule, kWhere);
  check_seconds(seconds_per_grid, kWhere);
  base::check_id(start, kWhere, "start");
  base::require_input(static_cast<std::int64_t>(ids.size()) % kAxes == 0, kWhere,
                      "ids must hold complete tuples of 3 numbers but has ", ids.size(), " numbers");
  const std::int64_t height = grid.height / rule.merge, width = grid.width / rule.merge;
  const double span = time_of(grid.frames - 1, rule, seconds_per_grid);
  const double last = std::max({span, static_cast<double>(height - 1), static_cast<double>(width - 1)});
  if (last >= static_cast<double>(kMaxPosition - start)) {
    base::refuse_input(kWhere, "ids must be from -2147483647 to 2147483647 but an image of ", grid_text(grid), " from ",
                       start, " exceeds this range");
  }
  for (std::int64_t t = 0; t < grid.frames; ++t) {
    const std::int64_t time = start + static_cast<std::int64_t>(time_of(t, rule, seconds_per_grid));
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) ids.insert(ids.end(), {time, start + y, start + x});
    }
  }
  return start + (rule.after == AfterVision::extent ? std::max(height, width) : static_cast<std::int64_t>(last) + 1);
}

std::vector<std::int64_t> mrope_positions(const MropeInput& input, const MropeRule& rule, const View& ids) {
  check_input(input, rule, ids);
  Mrope mrope(input, rule);
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t b = 0; b < mrope.batch(); ++b) rows.push_back(mrope.row(b));
  mrope.check_used();
  std::vector<std::int64_t> deltas;
  for (std::int64_t b = 0; b < mrope.batch(); ++b) {
    const View out = input.token_types.rank == 2 ? ids[b] : ids;
    deltas.push_back(write_row(mrope, b, rows[static_cast<std::size_t>(b)], rule.pad_id, out));
  }
  return deltas;
}

}  // namespace posenc
