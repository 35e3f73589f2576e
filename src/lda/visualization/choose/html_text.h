#pragma once

#include <string>
#include <string_view>

namespace papilio::lda {

// The text as it may be put into an element or a quoted attribute of HTML: markup is escaped; U+FFFD replaces control
// characters and ill-formed UTF-8.
std::string html_text(std::string_view text);

}  // namespace papilio::lda
