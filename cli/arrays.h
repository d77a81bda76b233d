// Arrays that commands read and make, and views of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/files/array.h"
#include "posenc/view.h"

namespace posenc::cli {

bool is_float(DType dtype);

// Queries, keys or values, [N, D], [N, H, D] or [B, N, H, D] of floats. `what` names them in messages.
Array load_heads(const std::string& file, const std::string& what = "");

// An array of this rank with at least one element. `what` says in messages what was expected.
Array load_filled(const std::string& file, std::size_t rank, const std::string& what);

// Rows of finite floats, [N, M], after leading axes of length 1 are dropped. `what` names them in messages.
Array load_rows(const std::string& file, const std::string& what);

// Drops leading axes of length 1 until `rank` axes are left.
void drop_leading_axes(Array& array, std::size_t rank);

// Throws if a number is NaN or infinite.
void check_finite(const Array& array, const std::string& file);

// An array of zeros.
Array make_array(DType dtype, std::vector<std::int64_t> shape);

View writable(Array& array);
// A view with an axis of heads; [N, D] has one head.
ConstView heads_of(const Array& array);
View heads_of(Array& array);

// Columns first .. first + count of a block, [N, W].
View columns_of(const View& block, std::int64_t first, std::int64_t count);

// A finite number; `option` and `expected` are for the message.
double finite_number(const std::string& text, const char* option, const char* expected = "a number");

}  // namespace posenc::cli
