#pragma once

#include <string_view>

namespace papilio::lda {

// The files of page/, which the build turns into constants (cmake/embed_text.cmake).
extern const std::string_view choose_page_html;    // with placeholders such as {title}
extern const std::string_view choose_page_style;   // choose.css, which comes after the report's style
extern const std::string_view choose_page_script;  // choose.js, in one function

}  // namespace papilio::lda
