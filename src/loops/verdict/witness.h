#pragma once

#include <optional>
#include <string>

#include "loops/dependence/carried.h"
#include "papilio/loops.h"

namespace papilio::loops {

// Two iterations and the element; only for a dependence that certainly exists.
std::optional<Witness> find_witness(const Program& program, const Accesses& accesses, const Carrier& carrier,
                                    const Carried& pair, Solver& solver);

// "line 3 writes a and line 4 of a later iteration reads it".
std::string pair_text(const Program& program, const View& view, const Carried& pair);

inline const char* kind_of(const Access& source, const Access& sink) {
  return !source.is_write ? "anti" : sink.is_write ? "output" : "flow";
}

}  // namespace papilio::loops
