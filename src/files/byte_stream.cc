#include "files/byte_stream.h"

#include <algorithm>

namespace posenc::files {
namespace {

constexpr std::size_t kBuffer = 65536;

}  // namespace

ByteStream::ByteStream(const FileReader& file) : file_(&file), buffer_(kBuffer) {
  if (file.regular()) size_ = file.size();
  from_ = buffer_.data();
}

bool ByteStream::refill() {
  if (file_ == nullptr) return false;
  before_ += static_cast<std::int64_t>(end_);
  at_ = 0;
  end_ = file_->read_next(buffer_.data(), buffer_.size());
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
