// The header of a GGUF file, from wherever its bytes come.
#pragma once

#include <string_view>

#include "files/byte_stream.h"
#include "posenc/files/gguf.h"

namespace posenc::files {

GgufHeader read_gguf_header(ByteStream& stream, std::string_view source, const GgufOptions& options);

// Bytes of a tensor's data; nothing where its type is not known, or where there are 2^63 or more.
std::optional<std::int64_t> gguf_tensor_bytes(const GgufTensor& tensor);

}  // namespace posenc::files
