#pragma once

#include <string_view>

#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// Throws FormatError if the beginning of a file shows that it is not text: a NUL byte among
// its first 4,096 bytes, or the mark of a PDF. (After these, a NUL byte is a separator like
// others.) `beginning` must have all of these bytes, unless the file is shorter.
void refuse_binary(const Origin& origin, std::string_view beginning);

// Throws FormatError if a file begins with the byte-order mark of UTF-16 or UTF-32. `beginning` must have the first 4
// bytes, unless the file is shorter.
void refuse_other_encodings(const Origin& origin, std::string_view beginning);

}  // namespace papilio::lda
