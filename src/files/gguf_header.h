// Reads the header of a GGUF file from any stream.
#pragma once

#include <string_view>

#include "files/byte_stream.h"
#include "posenc/files/gguf.h"

namespace posenc::files {

GgufHeader read_gguf_header(ByteStream& stream, std::string_view source, const GgufOptions& options);

// Returns the bytes of a tensor's data; empty if its type is unknown or the size is 2^63 or more.
std::optional<std::int64_t> gguf_tensor_bytes(const GgufTensor& tensor);

}  // namespace posenc::files
