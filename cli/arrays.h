// Arrays that commands read and make, and views of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "posenc/files/array.h"
#include "posenc/view.h"

namespace posenc::cli {

bool is_float(DType dtype);

// "[2, 3] f32", for messages.
std::string array_text(const Array& array);

// Queries, keys or values, [N, D], [N, H, D] or [B, N, H, D] of floats. `what` names them in messages.
Array load_heads(const std::string& file, const std::string& what = "");

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
