// The way from tokens to the output of a transformer: boxes and arrows with shapes, and where the encoding enters.
#include <algorithm>
#include <cmath>
#include <optional>

#include "insight/figure/figure_call.h"

namespace posenc::figure {
namespace {

struct FlowNode {
  std::string name;
  std::string shape;  // of what leaves it
  std::string about;  // for the data
};

// What the encoding does, and the node that it acts on.
struct SideEntry {
  std::string name;
  std::string shape;
  std::string about;
  std::size_t into = 2;
};

std::string entry_name(const FigureCall& call) {
  return call.numbers == nullptr ? "positions" : std::string(kind_of(call.numbers->spec()));
}

std::optional<SideEntry> side_entry_of(const FigureCall& call) {
  const std::string name = entry_name(call);
  const Place place = call.numbers == nullptr ? Place::input : call.numbers->place();
  const auto inside = [&](const char* shape, const char* about) { return SideEntry{name, shape, about, 2}; };
  switch (place) {
    case Place::input:
      return SideEntry{name, "[N, M]", "the row of each position, added to the row of its token", 2};
    case Place::rotation:
      return inside("rotates q and k", "rotates queries and keys in every block");
    case Place::query:
      return inside("scales q", "multiplies queries in every block");
    case Place::bias:
      return inside("added to scores", "one number per head, query and key, added to scores in every block");
    case Place::term:
      return inside("a term of scores", "learned vectors that meet queries and keys in every block");
    case Place::nowhere:
      break;
  }
  return std::nullopt;
}

std::vector<FlowNode> flow_nodes_of(const FigureCall& call) {
  const bool adds = call.numbers == nullptr || call.numbers->place() == Place::input;
  std::vector<FlowNode> nodes = {{"tokens", "[N]", "one id per token"},
                                 {"embedding", "[N, M]", "the row of each id in a learned table"}};
  if (adds) nodes.push_back({"+", "[N, M]", "token + position: the order of the text is now in the numbers"});
  nodes.push_back({"blocks", "[N, M]", "attention and feed-forward, each added to its input, several times"});
  nodes.push_back({"output", "", "one row per token"});
  return nodes;
}

// Places boxes in a row, or in a column if the page is narrow. The box that enters from the side is below the row, or
// right of the column.
class Flow {
 public:
  Flow(const FigurePage& page, std::size_t nodes)
      : body_(page.body), cells_(page.figure.drawing.metrics == TextMetrics::cells) {
    const double count = static_cast<double>(nodes);
    down_ = body_.width < 608.0;  // 76 characters
    unit_ = cells_ ? kCellHeight : 17.0;
    node_ = down_ ? Box{0.0, 0.0, 13.0 * kCellWidth, 3.0 * unit_}
                  : Box{0.0, 0.0, cells_ ? 11.0 * kCellWidth : 96.0, cells_ ? 3.0 * unit_ : 48.0};
    step_ = down_ ? node_.height + (cells_ ? 2.0 : 2.2) * unit_ : (body_.width - node_.width) / (count - 1.0);
    if (cells_ && !down_) step_ = std::floor(step_ / kCellWidth) * kCellWidth;
  }

  bool down() const { return down_; }
  double unit() const { return unit_; }
  Box node(std::size_t i) const {
    const double along = step_ * static_cast<double>(i);
    return {body_.x + (down_ ? 0.0 : along), body_.y + (down_ ? along : unit_), node_.width, node_.height};
  }
  // The box that enters a node from the side, and the ends of its arrow.
  Box side(std::size_t i, double width) const {
    const Box to = node(i);
    if (down_)
      return {to.right() + 4.0 * unit_, to.y, std::min(width, body_.right() - to.right() - 4.0 * unit_), to.height};
    const double middle = to.x + to.width / 2.0;
    const double left = middle - width / 2.0;
    return {cells_ ? std::round(left / kCellWidth) * kCellWidth : left, to.bottom() + 2.0 * unit_, width, to.height};
  }

 private:
  Box body_;
  bool cells_;
  bool down_ = false;
  double unit_ = 16.0;
  Box node_;
  double step_ = 0.0;
};

void draw_box(Drawing& drawing, const Box& box, const std::string& text, Ink ink) {
  const drawing::Type type(drawing.metrics);
  const bool cells = drawing.metrics == TextMetrics::cells;
  if (cells) {
    // In a terminal, a frame is in the cells left of and above its edges. Move this one into the box.
    drawing.add(
        Rectangle{.box = {box.x + kCellWidth, box.y + kCellHeight, box.width - kCellWidth, box.height - kCellHeight},
                  .stroke = Ink::axis});
  } else {
    drawing.add(Rectangle{.box = box, .fill = ink, .opacity = 0.16, .radius = 6.0});
    drawing.add(Rectangle{.box = box, .stroke = ink, .line_width = 1.4, .radius = 6.0});
  }
  const double y = box.y + box.height / 2.0;
  drawing.add(Text{.text = drawing::shortened(text, box.width - kCellWidth, type.label, drawing.metrics),
                   .at = {box.x + box.width / 2.0, cells ? y : y + 0.36 * type.label},
                   .size = type.label,
                   .anchor = Anchor::middle,
                   .bold = true});
}

void draw_words(Drawing& drawing, const std::string& text, Point at, Anchor anchor) {
  drawing.add(
      Text{.text = text, .at = at, .size = drawing::Type(drawing.metrics).small, .anchor = anchor, .ink = Ink::muted});
}

// A horizontal or vertical arrow; in a terminal, made of characters.
void draw_flow(Drawing& drawing, Point from, Point to, Ink ink) {
  if (drawing.metrics != TextMetrics::cells) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const double dx = 3.0 * (to.x - from.x) / length, dy = 3.0 * (to.y - from.y) / length;
    return drawing::draw_arrow(drawing, {from.x + dx, from.y + dy}, {to.x - dx, to.y - dy}, {.ink = ink, .width = 1.6});
  }
  const auto put = [&](const std::string& text, Point at) { drawing.add(Text{.text = text, .at = at, .ink = ink}); };
  if (from.y == to.y) {
    const auto characters = static_cast<std::size_t>(std::fabs(to.x - from.x) / kCellWidth);
    if (characters < 2) return;
    const std::string line(characters - 1, '-');
    return put(to.x > from.x ? line + ">" : "<" + line, {std::min(from.x, to.x), from.y});
  }
  const double step = to.y > from.y ? kCellHeight : -kCellHeight;
  const auto lines = static_cast<int>(std::fabs(to.y - from.y) / kCellHeight);
  for (int line = 0; line < lines; ++line) {
    const std::string sign = line + 1 < lines ? "|" : step > 0.0 ? "v" : "^";
    put(sign, {std::floor(from.x / kCellWidth) * kCellWidth, from.y + step * (line + 0.5)});
  }
}

// An arrow between two boxes with a shape beside it.
void draw_link(Drawing& drawing, const Flow& flow, const Box& from, const Box& to, const std::string& shape) {
  const bool cells = drawing.metrics == TextMetrics::cells;
  if (flow.down()) {
    const double x = from.x + from.width / 2.0;
    draw_flow(drawing, {x, from.bottom()}, {x, to.y}, Ink::text);
    const double middle = (from.bottom() + to.y) / 2.0;
    draw_words(drawing, shape, {x + 2.0 * kCellWidth, cells ? middle - 8.0 : middle + 4.0}, Anchor::start);
    return;
  }
  const double y = from.y + from.height / 2.0;
  draw_flow(drawing, {from.right(), y}, {to.x, y}, Ink::text);
  draw_words(drawing, shape, {(from.right() + to.x) / 2.0, y - (cells ? kCellHeight : 9.0)}, Anchor::middle);
}

void draw_side(Drawing& drawing, const Flow& flow, const SideEntry& entry) {
  const bool cells = drawing.metrics == TextMetrics::cells;
  const double words = text_width(entry.name, 12.0, true, drawing.metrics);
  const double width = std::max(cells ? 88.0 : 96.0, 4.0 * kCellWidth + words);
  const Box to = flow.node(entry.into), box = flow.side(entry.into, width);
  draw_box(drawing, box, entry.name, Ink::series2);
  if (flow.down()) {
    const double y = box.y + box.height / 2.0;
    draw_flow(drawing, {box.x, y}, {to.right(), y}, Ink::series2);
    draw_words(drawing, entry.shape, {box.x, box.bottom() + (cells ? 8.0 : 14.0)}, Anchor::start);
    return;
  }
  const double x = to.x + to.width / 2.0;
  draw_flow(drawing, {x, box.y}, {x, to.bottom()}, Ink::series2);
  const double middle = (box.y + to.bottom()) / 2.0;
  draw_words(drawing, entry.shape, {x + 2.0 * kCellWidth, cells ? middle - 8.0 : middle + 4.0}, Anchor::start);
}

Figure make_pipeline(const FigureCall& call) {
  const std::vector<FlowNode> nodes = flow_nodes_of(call);
  const std::optional<SideEntry> entry = side_entry_of(call);
  const bool adds = nodes.size() == 5;
  const bool down = call.options.width > 0.0 && call.options.width < 640.0;
  const auto lines = static_cast<std::int64_t>(down ? 5 * nodes.size() : entry ? 9 : 4);
  FigurePage page = begin_figure(
      call, {.title = "From tokens to the output" +
                      (call.numbers == nullptr ? std::string() : ": " + call.numbers->command_text()),
             .finding = !entry ? "without positions a transformer sees a set of tokens"
                        : adds ? "tokens [N] become embeddings [N, M], positions [N, M] are added, and the blocks keep "
                                 "the shape [N, M]"
                               : "tokens [N] become embeddings [N, M]; " + entry->name +
                                     " acts inside the blocks, "
                                     "which keep the shape [N, M]",
             .more = {"N tokens, M the width of the model"},
             .body_height = down    ? 88.0 * static_cast<double>(nodes.size())
                            : entry ? 170.0
                                    : 75.0,
             .least_lines = lines,
             .most_lines = lines});
  const Flow flow(page, nodes.size());
  DataTable data{"steps",
                 {{"step", std::vector<std::string>{}},
                  {"shape", std::vector<std::string>{}},
                  {"what it is", std::vector<std::string>{}}}};
  const auto row = [&](const std::string& name, const std::string& shape, const std::string& about) {
    std::get<std::vector<std::string>>(data.columns[0].values).push_back(name);
    std::get<std::vector<std::string>>(data.columns[1].values).push_back(shape);
    std::get<std::vector<std::string>>(data.columns[2].values).push_back(about);
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i == entry.value_or(SideEntry{.into = 99}).into) row(entry->name, adds ? entry->shape : "", entry->about);
    draw_box(page.drawing(), flow.node(i), nodes[i].name, Ink::series1);
    if (i > 0) draw_link(page.drawing(), flow, flow.node(i - 1), flow.node(i), nodes[i - 1].shape);
    row(nodes[i].name, i + 1 < nodes.size() ? nodes[i].shape : "[N, M]", nodes[i].about);
  }
  if (entry) draw_side(page.drawing(), flow, *entry);
  return page.with(std::move(data));
}

}  // namespace

std::vector<FigureEntry> pipeline_figures() {
  return {
      {{.name = "pipeline",
        .summary = "the way from tokens to the output, with shapes, and where the encoding enters",
        .look_for = "Sinusoids and learned tables enter once, before the blocks; rotations and biases in every block.",
        .options = "",
        .default_spec = "",
        .shows_learned = false},
       make_pipeline,
       nullptr,
       true}};
}

}  // namespace posenc::figure
