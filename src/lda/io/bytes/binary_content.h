#pragma once

#include <string_view>

#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// Throws FormatError where the beginning of a file shows that it is no text: a NUL byte among its first 4,096 bytes, or
// the mark of a PDF. (Farther down, a NUL byte is a separator like others.) All of the bytes that are looked at must be
// in `beginning`, unless the file is shorter.
void refuse_binary(const Origin& origin, std::string_view beginning);

}  // namespace papilio::lda
