// The command line as a whole.
#pragma once

namespace posenc::cli {

// Reads the command line and runs the command; returns the exit code.
int run_app(int argc, char** argv);

}  // namespace posenc::cli
