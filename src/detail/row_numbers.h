// Rows of any float type, read and written as doubles.
#pragma once

#include <cstdint>

#include "posenc/view.h"

namespace posenc::detail {

bool is_float(DType dtype) noexcept;  // f32, f64, f16 or bf16

// Elements first .. first + count of a contiguous row of floats, exactly.
void read_numbers(const ConstView& row, std::int64_t first, std::int64_t count, double* numbers) noexcept;

// Rounds each number once to the row's type.
void write_numbers(const double* numbers, std::int64_t first, std::int64_t count, const View& row) noexcept;

}  // namespace posenc::detail
