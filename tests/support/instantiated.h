// Templates that nearly every test instantiates, compiled once in instantiated.cc. This header is part of the tests'
// precompiled headers only; without it, every test compiles its own. The standard reserves such declarations to the
// standard library; libstdc++, which is used here, allows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

extern template class std::basic_string<char>;
extern template class std::vector<std::string>;
extern template class std::vector<double>;
extern template class std::vector<float>;
extern template class std::vector<std::int64_t>;
