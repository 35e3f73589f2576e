#pragma once

#include <string_view>

namespace papilio::lda {

// The files of page/, which the build turns into constants (cmake/embed_text.cmake).
extern const std::string_view page_html;    // with the placeholders {policy}, {style}, {script} and {data}
extern const std::string_view page_style;   // style.css
extern const std::string_view page_script;  // the .js files, one after the other, in one function
}  // namespace papilio::lda
