// Words of a command, as a shell reads them.
#pragma once

#include "posenc/shell.h"
