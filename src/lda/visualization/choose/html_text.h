#pragma once

#include <string>
#include <string_view>

namespace papilio::lda {

// The text as it may stand in an element or a quoted attribute of HTML: markup is escaped, and U+FFFD stands for
// controls and ill-formed UTF-8.
std::string html_text(std::string_view text);

}  // namespace papilio::lda
