// A user of an installed posenc: exits with 0 only if the row of position 1 at width 4 is right and threads are linked.
#include <posenc/posenc.h>

#include <atomic>
#include <cmath>

int main() {
  std::atomic<int> parts{0};
  posenc::Workers(2).run(3, [&](std::int64_t) { ++parts; });
  if (parts != 3) return 1;
  const posenc::Table table(posenc::Sinusoidal{.width = 4}, posenc::PositionView::range(1, 1));
  const double expected[] = {0.84147, 0.54030, 0.01000, 0.99995};
  const float* row = table.view().as<float>();
  for (int i = 0; i < 4; ++i) {
    if (!(std::abs(static_cast<double>(row[i]) - expected[i]) <= 1e-5)) return 1;
  }
  return table.rows() == 1 && table.width() == 4 ? 0 : 1;
}
