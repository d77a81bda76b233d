#include "posenc/files/load.h"

#include <sys/stat.h>

#include <utility>
#include <vector>

#include "core/base/refuse.h"
#include "core/spec/fields.h"
#include "files/file_format.h"
#include "files/load_array.h"
#include "files/read_file.h"
#include "files/shape.h"
#include "posenc/error.h"
#include "posenc/files/json.h"
#include "posenc/files/spec_json.h"
#include "posenc/list_reader.h"

namespace posenc {
namespace {

constexpr std::int64_t kMaxSpecFile = std::int64_t{1} << 28;
// 2^27 numbers of 8 bytes, as many as a text may list, and their header.
constexpr std::int64_t kMaxNumbersFile = (std::int64_t{1} << 30) + (std::int64_t{1} << 20);

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

std::vector<double> numbers_of(const Array& array) {
  std::vector<double> numbers(static_cast<std::size_t>(array.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = array.number(static_cast<std::int64_t>(i));
  return numbers;
}

std::vector<double> load_list(const std::string& name) {
  Array array = files::load_array(name, kMaxNumbersFile);
  if (array.shape.size() != 1) {
    base::refuse_file(name, "expected a list of numbers, one axis, but got shape ", files::shape_text(array.shape));
  }
  return numbers_of(array);
}

Spec load_spec_file(const std::string& path) {
  const std::string expected = path + ": expected a posenc spec, {\"schema\": \"" + std::string(kSchema) +
                               "\", \"kind\": ...}, but the file seems to be ";
  const files::FileReader file(path, files::FileReader::Of::anything);
  // Checked before the file is read, because models are large.
  const std::string_view foreign = files::format_name(file.start());
  if (!foreign.empty()) fail(ErrorKind::unsupported, expected + std::string(foreign));
  const Json json = parse_json(file.read_all(kMaxSpecFile), path);
  if (json.find("model_type") && !json.find("kind")) fail(ErrorKind::unsupported, expected + "a model's config.json");
  return spec_from_json(json, path);
}

}  // namespace

Spec load_spec(const std::string& text) {
  const std::string_view kind = std::string_view(text).substr(0, text.find(':'));
  if (spec::default_spec(kind)) return parse_spec(text, load_list);
  if (!text.empty() && exists(text)) return load_spec_file(text);
  fail(ErrorKind::bad_input, "'" + text + "' is not a spec (kind:field=value,...) or a file" + spec::kind_hint(kind));
}

NamedSpec load_complete_spec(const std::string& text, const FillIn& fill_in) {
  if (spec::default_spec(text.substr(0, text.find(':')))) return complete_spec(text, fill_in, load_list);
  Spec spec = load_spec(text);
  std::string own = to_text(spec);
  return {std::move(spec), std::move(own), ""};
}

Positions load_positions(const std::string& text) {
  if (!text.starts_with('@')) return parse_positions(text);
  return positions_of(files::load_array(text.substr(1), kMaxNumbersFile), text.substr(1));
}

Positions positions_of(const Array& array, const std::string& name) {
  const std::size_t rank = array.shape.size();
  if ((rank != 1 && rank != 2) || array.size() == 0) {
    base::refuse_file(name, "expected positions, [N] or [N, A] with at least one token and axis, but got shape ",
                      files::shape_text(array.shape));
  }
  const std::int64_t axes = rank == 2 ? array.shape[1] : 1;
  std::vector<double> numbers = numbers_of(array);
  // Checked as doubles: int64 numbers in the valid range are exact as doubles, and others stay outside the range.
  PositionView view = PositionView::of(numbers.data(), static_cast<std::int64_t>(numbers.size()));
  check_positions(view, name);
  const bool integral = array.dtype == DType::i32 || array.dtype == DType::i64 || array.dtype == DType::u8;
  if (!integral) return Positions::reals(std::move(numbers), axes);
  return Positions::integers({numbers.begin(), numbers.end()}, axes);
}

}  // namespace posenc
