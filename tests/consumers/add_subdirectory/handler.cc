// Without exceptions, an error calls the program's own handler. Only then does this program exit with 0.
#include <cstdlib>
#include <cstring>

#include "posenc/error.h"
#include "posenc/spec.h"

extern "C" void posenc_on_error(posenc::ErrorKind kind, const char* message) {
  const bool expected = kind == posenc::ErrorKind::bad_input || kind == posenc::ErrorKind::usage;
  std::_Exit(expected && std::strstr(message, "nonsense") != nullptr ? 0 : 2);
}

int main() {
  posenc::parse_spec("nonsense");
  return 1;
}
