#pragma once

#include <cstdint>

#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio::lda {

// The random blocks of a sweep's proposals: a function of seed, sweep, token, step and try.
class ProposalBlocks {
 public:
  ProposalBlocks(std::uint64_t seed, std::int64_t sweep, std::int64_t first_token = 0)
      : seed_(seed),
        first_token_(first_token),
        stream_(random::stream(random::Purpose::proposals, static_cast<std::uint32_t>(sweep))) {}

  random::Block operator()(std::int64_t token, int step, int attempt = 0) const {
    return random::draw_block(seed_, stream_,
                              static_cast<std::uint64_t>(first_token_ + token) |
                                  static_cast<std::uint64_t>(step * most_attempts + attempt) << 48);
  }

  static constexpr int most_attempts = 8;

 private:
  const std::uint64_t seed_;
  const std::int64_t first_token_;  // number of token 0 in the whole corpus
  const std::uint64_t stream_;
};

// A topic proposed by the word of a token, with probabilities that do not depend on the token's topic `own`.
//
// The tables count the token itself. So if its own topic is drawn, it is kept with probability r = w'(own) / w(own),
// and otherwise a topic is drawn again: topic k comes out with probability w'(k) / sum w'. After a few refusals, which
// a word with hardly any other tokens can cause, the draw is made from the sums of all weights; its distribution is the
// same. `place` is in [0, words.mass(w)).
template <class Words>
std::int32_t proposal_of_word(const Words& words, const ProposalBlocks& blocks, std::int64_t token, int step,
                              std::int32_t w, std::int32_t own, double place) {
  std::int32_t k = words.topic(w, place);
  if constexpr (Words::removes) {
    constexpr int most_refusals = 4;
    if (k != own) return k;
    const double r = words.weight(w, own, own) / words.weight(w, own, -1);
    for (int refusals = 1; k == own; ++refusals) {
      const random::Block block = blocks(token, step, refusals);
      if (random::uniform53(block.word[2], block.word[3]) < r) return own;
      const double u = random::uniform53(block.word[0], block.word[1]);
      if (refusals == most_refusals) return words.topic_by_sums(w, own, u);
      k = words.topic(w, u * words.mass(w));
    }
  }
  return k;
}

// A topic proposed by the document of token i, with probabilities ~ n'_dk + alpha_k: that of another token of the
// document, or one drawn from the prior. `place` is in [0, others + sum of alpha).
struct DocumentProposal {
  std::int64_t token;  // the token whose topic is proposed; -1: `topic` is proposed
  std::int32_t topic;

  template <class Prior>
  DocumentProposal(double place, std::int64_t begin, std::int64_t i, std::int64_t others, const Prior& prior)
      : token(-1), topic(-1) {
    if (place < static_cast<double>(others)) {
      token = begin + static_cast<std::int64_t>(place);
      if (token >= i) ++token;
    } else {
      topic = prior.topic(place - static_cast<double>(others));
    }
  }
};

}  // namespace papilio::lda
