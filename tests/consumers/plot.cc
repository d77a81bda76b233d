// What a user of an installed posenc::plot writes: exits with 0 only if there is a picture.
#include <posenc/plot/plot.h>

int main() {
  const posenc::Drawing drawing{.width = 16, .height = 8};
  return posenc::to_png(drawing, {}).substr(1, 3) == "PNG" ? 0 : 1;
}
