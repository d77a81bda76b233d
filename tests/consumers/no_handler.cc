// Without exceptions and without posenc_on_error: this must not link.
#include <posenc/posenc.h>

int main() { return posenc::to_text(posenc::parse_spec("sinusoidal:width=4")).empty() ? 1 : 0; }
