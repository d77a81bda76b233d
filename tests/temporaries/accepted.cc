// The same with what lives long enough: the caller's own, what is kept or shared, and temporaries within one
// expression.
#include <posenc/files/files.h>
#include <posenc/models/models.h>
#include <posenc/posenc.h>

using namespace posenc;

void use(const AttendOptions& options);

void named(const Rotary& rotary, const Sinusoidal& sinusoidal, const Spec& alibi, const View& view) {
  const SinusoidalSchedule schedule = make_schedule(sinusoidal);
  const Bias bias(alibi);
  const RotaryTable table(rotary, 16);
  const Positions positions = parse_positions("1,2,3");
  const InputRows rows = StreamedRows{&schedule};
  const PositionView places = positions;
  use({.rotary = table, .bias = &bias, .query_positions = positions, .key_positions = places});
  fill_rows(rows, places, view);
  const RotaryView source = table;
  rotate(view, places, source);
}

void kept(const Rotary& rotary, const Concat& concat, const Sinusoidal& sinusoidal, const View& view) {
  const AttendOptions options{.rotary = RotaryAngles(rotary), .query_positions = parse_positions("1,2,3")};
  const AttendOptions by_table{.rotary = RotaryTable(rotary, 16), .key_positions = Positions::integers({4, 2})};
  AttendOptions by_encoding;
  add_encoding(by_encoding, load_encoding("alibi:heads=8"));
  add_encoding(by_encoding, find_encodings({"temperature:length=4"})[0]);
  use(options);
  use(by_table);
  use(by_encoding);
  const RotarySource source = RotaryTable(rotary, 16).angles();
  const Placement from{RotaryAngles(rotary), parse_positions("5,9")};
  rerotate(view, from, {source.angles(), PositionView::range(0, 2)});
  const InputRows rows = concat_rows(concat, make_concat_schedule(concat));
  const InputRows fixed = Table(sinusoidal, PositionView::range(0, 8)).rows_by_position();
  RowStream stream(fixed, parse_positions("1,2,3"));
  RowStream derivative(make_schedule(sinusoidal), parse_positions("1,2,3"), Rows::derivative);
  fill_rows(rows, PositionView::range(0, stream.next(view) + derivative.next(view)), view);
  const Parameters parameters{{std::string("ta") + "ble", view}};
  const MropeInput input{.token_types = view, .images = std::vector<PatchGrid>(2)};
  use({.bias = parameters.empty() || input.images.empty() ? nullptr : options.bias});
}

void in_one_expression(const Rotary& rotary, const Concat& concat, const View& view,
                       const std::vector<std::int64_t>& ids) {
  rotate(view, PositionView::of(ids.data(), 3), RotaryTable(rotary, 16));
  rotate(view, parse_positions("1,2,3"), RotaryAngles(rotary));
  rerotate(view, {RotaryAngles(rotary), parse_positions("1")}, {RotaryAngles(rotary), Positions::range(3, 1)});
  attend(view, view, view, view, {.rotary = RotaryAngles(rotary), .sinks = load_array("sinks.npy").view()});
  fill_rows(concat_rows(concat, make_concat_schedule(concat)), parse_positions("1/2"), view);
  apply_layer(view, load_layer("layer.safetensors").layer(8), view, {.positions = load_positions("@ids.npy")});
  save_npy("table.npy", Table(Sinusoidal{.width = 4}, PositionView::range(0, 8)).view());
  run_parts(nullptr, 4, [](std::int64_t) {});
}
