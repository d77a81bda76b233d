#include "posenc/version.h"

#include <gtest/gtest.h>

#include <string>

namespace posenc::version_test {
namespace {

TEST(Version, IsWhatTheMacrosSay) {
  EXPECT_EQ(version(), std::to_string(POSENC_VERSION_MAJOR) + "." + std::to_string(POSENC_VERSION_MINOR) + "." +
                           std::to_string(POSENC_VERSION_PATCH));
}

// CMake reads the macros from the header: a package of another version than its library would mislead find_package.
TEST(Version, IsTheProjects) { EXPECT_STREQ(version(), POSENC_PROJECT_VERSION); }

}  // namespace
}  // namespace posenc::version_test
