#pragma once

#include <string>
#include <string_view>

#include "loops/verdict/judge.h"
#include "papilio/loops.h"

namespace papilio::loops {

// analyze_text with a fault planted in the analysis: a test shows that such a fault is found.
Report analyze_with(std::string_view text, const std::string& file, const Options& options, Fault fault);

}  // namespace papilio::loops
