// Each marked line would leave a pointer to a temporary behind, and no compiler takes it.
#include <posenc/files/files.h>
#include <posenc/models/models.h>
#include <posenc/posenc.h>

using namespace posenc;

void refused(const Rotary& rotary, const Sinusoidal& sinusoidal, const Fourier& fourier) {
  InputRows streamed = StreamedRows{&make_schedule(sinusoidal)};      // error: address of.* (rvalue|temporary)
  InputRows features = FourierRows{&make_fourier_schedule(fourier)};  // error: address of.* (rvalue|temporary)
  AttendOptions alibi{.bias = &Bias(Alibi{.heads = 8})};              // error: address of.* (rvalue|temporary)
  AttendOptions pope{.pope = &PopeAngles(Pope{.head_dim = 64})};      // error: address of.* (rvalue|temporary)
  AttendOptions xpos{.xpos = &XposAngles(Xpos{.head_dim = 64})};      // error: address of.* (rvalue|temporary)
  AttendOptions workers{.workers = &Workers(2)};                      // error: address of.* (rvalue|temporary)
  KeyValueCache cache({.capacity = 1}, &RotaryAngles(rotary));        // error: address of.* (rvalue|temporary)
  EmbedGradients gradients{.inv_freq = std::vector<double>(4)};       // error: conver
  View made = make_view(std::vector<float>(4), {4});                  // error: no matching function
  ConstView table = std::vector<float>(4);                            // error: conver
  PositionView ids = std::vector<std::int64_t>{1, 2};                 // error: conver
}
