// The three ways to compute a table: built once and kept, written to your own memory, and streamed block by block.
//
// Build it against an installed posenc:  g++ -std=c++20 tables.cc $(pkg-config --cflags --libs posenc)
#include <posenc/posenc.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  const posenc::Sinusoidal spec{.width = 64};
  const posenc::SinusoidalSchedule schedule = posenc::make_schedule(spec);

  // Kept: for a model with a fixed context, at start-up.
  const posenc::Table table(spec, posenc::PositionView::range(0, 512));
  std::printf("kept: %lld rows of %lld\n", static_cast<long long>(table.rows()), static_cast<long long>(table.width()));

  // Your own memory, for the positions of this batch: two documents packed into one sequence.
  const std::vector<std::int64_t> ids = {0, 1, 2, 0, 1};
  std::vector<float> rows(ids.size() * 64);
  posenc::fill_table(schedule, posenc::PositionView::of(ids.data(), 5), posenc::make_view(rows.data(), {5, 64}));
  bool same = true;
  for (std::size_t i = 0; i < 64; ++i) same = same && rows[i] == rows[3 * 64 + i];
  std::printf("own memory: position 0 of both documents is the same row: %s\n", same ? "yes" : "no");

  // Streamed: a hundred thousand rows through a block of 256 rows; every row has the norm sqrt(width / 2).
  posenc::RowStream stream(schedule, posenc::PositionView::range(2000000000, 100000));
  std::vector<double> block(256 * 64);
  double worst = 0.0;
  while (const std::int64_t count = stream.next(posenc::make_view(block.data(), {256, 64}))) {
    for (std::int64_t row = 0; row < count; ++row) {
      double squares = 0.0;
      for (std::int64_t i = 0; i < 64; ++i) squares += std::pow(block[static_cast<std::size_t>(row * 64 + i)], 2);
      worst = std::fmax(worst, std::fabs(squares - 32.0));
    }
  }
  std::printf("streamed: squared norms are 32 to %s\n", worst < 1e-13 ? "1e-13" : "less than they should be");
  return same && worst < 1e-13 ? 0 : 1;
}
