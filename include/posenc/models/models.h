// All of posenc::models: reading models from files, the catalog, and comparison.
#pragma once

#include "posenc/models/catalog.h"
#include "posenc/models/compare.h"
#include "posenc/models/encoding.h"
#include "posenc/models/model.h"
