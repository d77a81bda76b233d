// Read by LeakSanitizer: fontconfig keeps memory that Cairo asked for until the program ends. LeakSanitizer must ignore
// it silently, because some tests compare a program's output.
#define POSENC_SEEN extern "C" __attribute__((visibility("default")))
POSENC_SEEN const char* __lsan_default_suppressions();
POSENC_SEEN const char* __lsan_default_options();

const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
const char* __lsan_default_options() { return "print_suppressions=0"; }
