#pragma once

#include <string>
#include <string_view>

#include "loops/check/signatures.h"
#include "papilio/loops.h"

namespace papilio::loops {

// The report of check_emission for a file with these signatures.
CheckReport compare_programs(std::string_view text, const Emission& emission, const std::string& file,
                             const Signatures& signatures, const Options& options, const CheckOptions& check);

}  // namespace papilio::loops
