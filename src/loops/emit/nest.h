#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loops/emit/candidate.h"
#include "loops/emit/emit.h"

namespace papilio::loops {

// Loops, outermost first, each of which is all that the one around it does,
// and whose bounds do not depend on each other: they can be reordered or cut.
class Nest {
 public:
  // Reads the candidate and the loops `chain` in it, given as indices
  // in its accesses. Nothing, and `why`, if the text has another form.
  static std::optional<Nest> read(const Judged& function, const Candidate& outermost, const std::vector<int>& chain,
                                  std::string& why);

  // With loops over strips of `size` iterations of each loop outside, and the loops within the strips inside.
  Rewritten tiled(std::int64_t size) const;

  // In another order, given as positions in the chain.
  Rewritten reordered(const std::vector<std::size_t>& order) const;

 private:
  std::string text(std::size_t k, const char* name) const;
  std::vector<std::string> counts() const;

  std::vector<Candidate> members_;
  std::vector<std::string> rows_;  // directions of the nest's dependences, for the loops of the chain
};

}  // namespace papilio::loops
