// All of posenc::models: what a model's files say about its encodings, the catalog, and comparison.
#pragma once

#include "posenc/models/catalog.h"
#include "posenc/models/compare.h"
#include "posenc/models/encoding.h"
#include "posenc/models/model.h"
