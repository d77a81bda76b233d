// The consumer of the other projects, in a project without exceptions: an error would end it.
#include <cstdlib>

#include "../main.cc"

extern "C" void posenc_on_error(posenc::ErrorKind, const char*) { std::_Exit(3); }
