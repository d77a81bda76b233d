// A user of an installed posenc::insight: exits with 0 only if an explanation has steps.
#include <posenc/explain.h>
#include <posenc/insight/insight.h>

int main() { return posenc::explain(posenc::Sinusoidal{.width = 4}, 1.0, {}).empty() ? 1 : 0; }
