#include "support/instantiated.h"

template class std::basic_string<char>;
template class std::vector<std::string>;
template class std::vector<double>;
template class std::vector<float>;
template class std::vector<std::int64_t>;
