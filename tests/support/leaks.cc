// Read by LeakSanitizer: fontconfig keeps what Cairo asked it for to the end of the program. Silently, so that tests of
// what a program prints hold.
#define POSENC_SEEN extern "C" __attribute__((visibility("default")))
POSENC_SEEN const char* __lsan_default_suppressions();
POSENC_SEEN const char* __lsan_default_options();

const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
const char* __lsan_default_options() { return "print_suppressions=0"; }
