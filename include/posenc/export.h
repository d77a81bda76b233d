// POSENC_API marks what a shared build of the library shows to its users; everything else is hidden.
#pragma once

#define POSENC_API __attribute__((visibility("default")))
