// Writes the elements of views to a file: C order, little-endian.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "posenc/files/file.h"
#include "posenc/view.h"

namespace posenc::files {

// Collects small pieces, because a system call per element would take minutes. Call flush() at the end.
class ViewWriter {
 public:
  explicit ViewWriter(FileWriter& file) : file_(file) {}

  void add(std::string_view bytes);
  void add(const ConstView& view);  // any strides; an empty view may be null
  void flush();

 private:
  void add_element(const char* element, std::size_t size);
  void add_axis(const ConstView& view);

  FileWriter& file_;
  std::string bytes_;
};

}  // namespace posenc::files
