// The whole library posenc::files: arrays, npy, safetensors, JSON and GGUF headers.
#pragma once

#include "posenc/files/array.h"
#include "posenc/files/file.h"
#include "posenc/files/gguf.h"
#include "posenc/files/json.h"
#include "posenc/files/load.h"
#include "posenc/files/load_layer.h"
#include "posenc/files/npy.h"
#include "posenc/files/safetensors.h"
#include "posenc/files/spec_json.h"
