// The style and the scripts of pages. They stand in the page itself: nothing is fetched.
#pragma once

#include <string_view>

namespace posenc::teaching {

std::string_view page_style() noexcept;
// The theme's button, and the buttons that save a figure.
std::string_view page_script() noexcept;
// The live figure of the lesson: it draws numbers that stand in the page, and evaluates no formula.
std::string_view live_script() noexcept;

}  // namespace posenc::teaching
