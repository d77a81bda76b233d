// POSENC_API marks what a shared build of the library shows to its users; everything else is hidden.
#pragma once

#define POSENC_API __attribute__((visibility("default")))

// POSENC_INTERNAL marks what posenc's own libraries and its command line share beyond the public headers. It is not
// part of the interface.
#define POSENC_INTERNAL POSENC_API
