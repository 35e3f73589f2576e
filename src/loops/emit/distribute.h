#pragma once

#include <optional>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The loop as several loops, one after the other, each with some of its statements. Variables that several of these
// use become arrays. After K. Kennedy, J. R. Allen, Optimizing Compilers for Modern Architectures, section 5.3.
std::optional<Rewritten> distributed(const Candidate& candidate, const Transformation& transformation,
                                     std::string& why);

// Two loops, the inner of which is all that the outer does, interchanged.
std::optional<Rewritten> interchanged(const Candidate& candidate, const TextPart& inner, std::string& why);

}  // namespace papilio::loops
