#pragma once

#include <string_view>

// A rank's part of the checkpoint NAME is called "NAME.sweep-40.rank-1-of-2".

namespace papilio::lda {

inline constexpr std::string_view sweep_of_part = ".sweep-";
inline constexpr std::string_view rank_of_part = ".rank-";
inline constexpr std::string_view ranks_of_part = "-of-";

}  // namespace papilio::lda
