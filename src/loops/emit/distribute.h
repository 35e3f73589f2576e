#pragma once

#include <optional>
#include <string>

#include "loops/emit/candidate.h"

namespace papilio::loops {

// The loop as several, one after the other, each with some of its statements; variables that several of them use become
// arrays. After K. Kennedy, J. R. Allen, Optimizing Compilers for Modern Architectures, section 5.3.
std::optional<Rewritten> distributed(const Candidate& candidate, const Transformation& transformation,
                                     std::string& why);

// Two loops of which one is all that the other does, changed over.
std::optional<Rewritten> interchanged(const Candidate& candidate, const TextPart& inner, std::string& why);

}  // namespace papilio::loops
