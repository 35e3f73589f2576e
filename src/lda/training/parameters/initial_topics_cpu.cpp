#include "lda/training/parameters/initial_topics_cpu.h"

#include "execution/cpu/parallel_for.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio::lda {

std::vector<std::int32_t> initial_topics(std::int64_t tokens, std::int32_t topics, std::uint64_t seed, int threads) {
  std::vector<std::int32_t> z(static_cast<std::size_t>(tokens));
  const std::uint64_t stream = random::stream(random::Purpose::initial_topics);
  execution::parallel_for(tokens, 4096, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const random::Block block = random::draw_block(seed, stream, static_cast<std::uint64_t>(i));
      // Never K: (1 - 2^-53) K rounds to a double below K.
      z[static_cast<std::size_t>(i)] =
          static_cast<std::int32_t>(random::uniform53(block.word[0], block.word[1]) * topics);
    }
  });
  return z;
}

}  // namespace papilio::lda
