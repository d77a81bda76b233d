// Words of a command, as a shell reads them.
#pragma once

#include "core/text/shell.h"
