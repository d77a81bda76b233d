#include "files/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace posenc::files {
namespace {

constexpr std::size_t kBuffer = 65536;

}  // namespace

ByteStream::ByteStream(const std::string& path)
    : path_(path), file_(std::make_unique<Descriptor>(open_retrying(path.c_str(), O_RDONLY))), buffer_(kBuffer) {
  if (file_->value < 0) fail_system("cannot open", path_, errno);
  struct stat status {};
  if (::fstat(file_->value, &status) != 0) fail_system("cannot read", path_, errno);
  if (S_ISDIR(status.st_mode)) fail_system("cannot read", path_, EISDIR);
  if (S_ISREG(status.st_mode)) size_ = status.st_size;
  from_ = buffer_.data();
}

bool ByteStream::refill() {
  if (file_ == nullptr) return false;
  before_ += static_cast<std::int64_t>(end_);
  at_ = 0;
  end_ = read_some(file_->value, buffer_.data(), buffer_.size(), path_);
  return end_ > 0;
}

std::size_t ByteStream::read_over(char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size && (at_ < end_ || refill())) {
    const std::size_t part = std::min(size - done, end_ - at_);
    std::memcpy(to + done, from_ + at_, part);
    at_ += part;
    done += part;
  }
  return done;
}

std::uint64_t ByteStream::skip_over(std::uint64_t size) {
  std::uint64_t done = 0;
  while (done < size && (at_ < end_ || refill())) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, end_ - at_));
    at_ += part;
    done += part;
  }
  return done;
}

}  // namespace posenc::files
