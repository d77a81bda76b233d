// A user of an installed posenc::plot: exits with 0 only if a picture is produced.
#include <posenc/plot/plot.h>

int main() {
  const posenc::Drawing drawing{.width = 16, .height = 8};
  return posenc::to_png(drawing, {}).substr(1, 3) == "PNG" ? 0 : 1;
}
