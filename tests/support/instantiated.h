// What nearly every test instantiates, compiled once, in instantiated.cc. It is part of the precompiled headers of the
// tests and of nothing else: without it every test compiles its own. The standard
// reserves this to the standard library itself; libstdc++ is used here and allows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

extern template class std::basic_string<char>;
extern template class std::vector<std::string>;
extern template class std::vector<double>;
extern template class std::vector<float>;
extern template class std::vector<std::int64_t>;
