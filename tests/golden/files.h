// The files of a folder of golden cases.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "posenc/files/file.h"
#include "posenc/files/json.h"

namespace golden {

inline std::vector<std::filesystem::path> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline posenc::Json load(const std::filesystem::path& file) {
  return posenc::parse_json(posenc::read_file(file.string()), file.filename().string());
}

}  // namespace golden
