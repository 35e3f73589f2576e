#pragma once

#include <string_view>

namespace papilio::lda {

// Whether a field is a label of SVMlight: a number, or several numbers separated by commas.
bool is_svmlight_label(std::string_view field);

}  // namespace papilio::lda
