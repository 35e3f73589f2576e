#pragma once

#include <string_view>

namespace papilio::lda {

// Whether a field is a label of SVMlight: a number, or several with commas between.
bool is_svmlight_label(std::string_view field);

}  // namespace papilio::lda
