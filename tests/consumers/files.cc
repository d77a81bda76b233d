// A user of an installed posenc::files: exits with 0 only if an array survives being written and read in memory, and
// the header at its old path is the same.
#include <posenc/files/files.h>
#include <posenc/npy.h>

int main() {
  const posenc::Json json = posenc::parse_json(R"({"kind": "sinusoidal", "width": 4})", "text");
  return posenc::to_text(posenc::spec_from_json(json, "text")) == "sinusoidal:width=4" ? 0 : 1;
}
