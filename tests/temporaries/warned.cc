// Views of temporaries that are gone when the view is used. Within one expression they are fine (accepted.cc), so that
// they cannot be refused; clang warns.
#include <posenc/files/files.h>
#include <posenc/models/models.h>
#include <posenc/posenc.h>

using namespace posenc;

void warned(const Rotary& rotary, const Sinusoidal& sinusoidal) {
  ConstView array = load_array("table.npy").view();                       // warning: temporary .* will be destroyed
  ConstView table = Table(sinusoidal, PositionView::range(0, 8)).view();  // warning: temporary .* will be destroyed
  ConstView angles = RotaryTable(rotary, 8).view();                       // warning: temporary .* will be destroyed
  AttendOptions sinks{.sinks = load_array("sinks.npy").view()};           // warning: temporary .* will be destroyed
  Mask mask{.documents = load_array("documents.npy").view()};             // warning: temporary .* will be destroyed
  LayerNorm norm{.weight = load_array("weight.npy").view()};              // warning: temporary .* will be destroyed
  LearnedRows learned{Learned{}, load_array("table.npy").view()};         // warning: temporary .* will be destroyed
  TransformerLayer layer = load_layer("layer.safetensors").layer(8);      // warning: temporary .* will be destroyed
  MultiHeadAttention weights =
      load_multi_head("layer.safetensors").multi_head(8);            // warning: temporary .* will be destroyed
  PositionView text = parse_positions("1,2,3");                      // warning: temporary .* will be destroyed
  PositionView view = parse_positions("1,2,3").view();               // warning: temporary .* will be destroyed
  RotaryView source = RotaryAngles(rotary);                          // warning: temporary .* will be destroyed
  RotaryView by_table(RotaryTable(rotary, 8));                       // warning: temporary .* will be destroyed
  const RotarySchedule& schedule = RotaryAngles(rotary).schedule();  // warning: temporary .* will be destroyed
  const RotaryAngles& inner = RotaryTable(rotary, 8).angles();       // warning: temporary .* will be destroyed
  const Json* width = parse_json("{}", "text").find("width");        // warning: temporary .* will be destroyed
  PartWork work = [&](std::int64_t) { norm.eps = 1.0; };             // warning: temporary .* will be destroyed
  const Spec& spec = load_encoding("gpt2").spec();                   // warning: temporary .* will be destroyed
  InputRows rows = load_encoding("gpt2").rows();                     // warning: temporary .* will be destroyed
}

View of_local() {
  float numbers[4] = {};
  return make_view(numbers, {4});  // warning: address of stack memory
}

PositionView of_local_ids() {
  const std::int64_t ids[2] = {1, 2};
  return PositionView::of(ids, 2);  // warning: address of stack memory
}
