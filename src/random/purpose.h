#pragma once

#include <cstdint>

#include "warp/portability.h"

namespace papilio::inline PAPILIO_TARGET::random {

// What random numbers are drawn for: draws for different purposes never share a random block.
// Once assigned, a number is never assigned to another purpose, because it determines results.
enum class Purpose : std::uint32_t {
  topics = 1,            // step: the sweep, from 1; index: the token
  initial_topics = 2,    // index: the token
  generate_lengths = 3,  // step: the block; index: the document
  generate_tokens = 4,   // step: the position in the document; index: the document
  topics_again = 5,      // step: the sweep; index: the token, whose first draw was refused (lda/gibbs)
  theta = 6,             // step: the sweep; gamma draws of theta (lda/gibbs)
  phi = 7,               // step: the sweep; gamma draws of phi (lda/gibbs)
  infer_topics = 8,      // step: the sweep; index: the document's key and the position (lda/evaluation)
  left_to_right = 9,     // step: the position in the document; index: key, particle, earlier position (lda/evaluation)
  shuffle_tokens = 10,   // index: the document's key and the tokens left (lda/evaluation)
  spread_topics = 11,    // step: the sweep; index: the token, not yet in the part that a chain starts on (lda/gibbs)
  generate_spread = 12,  // step: the try; index: the document
  proposals = 40,        // step: the sweep; index: the token, the step of a chain of its own and the try (lda/gibbs)
};

// The stream of a purpose and one of its steps.
constexpr std::uint64_t stream(Purpose purpose, std::uint32_t step = 0) {
  return std::uint64_t{static_cast<std::uint32_t>(purpose)} << 32 | step;
}

}  // namespace papilio::inline PAPILIO_TARGET::random
