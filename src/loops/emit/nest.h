#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loops/emit/candidate.h"
#include "loops/emit/emit.h"

namespace papilio::loops {

// Loops of which each is all that the one around it does, outermost first, with bounds that do not depend on each
// other: they can be rewritten in another order, or cut.
class Nest {
 public:
  // The candidate and the loops `chain` in it, as indices in its accesses; nothing, and `why`, where the text has
  // another form.
  static std::optional<Nest> read(const Judged& function, const Candidate& outermost, const std::vector<int>& chain,
                                  std::string& why);

  // With strips of `size` iterations of each loop outside, and the rest inside.
  Rewritten tiled(std::int64_t size) const;

  // In another order, of positions in the chain.
  Rewritten reordered(const std::vector<std::size_t>& order) const;

 private:
  std::string text(std::size_t k, const char* name) const;
  std::vector<std::string> counts() const;

  std::vector<Candidate> members_;
  std::vector<std::string> rows_;  // directions of the nest's dependences, in the loops of the chain
};

}  // namespace papilio::loops
