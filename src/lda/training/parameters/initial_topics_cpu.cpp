#include "lda/training/parameters/initial_topics_cpu.h"

#include <algorithm>
#include <span>

#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/parallel_for.h"
#include "lda/model/state.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio::lda {

std::vector<std::int32_t> initial_topics(std::int64_t tokens, std::int32_t topics, std::uint64_t seed, int threads,
                                         std::int64_t first) {
  std::vector<std::int32_t> z;
  execution::make_zeros(z, static_cast<std::size_t>(tokens), threads);
  const std::uint64_t stream = random::stream(random::Purpose::initial_topics);
  execution::parallel_for(tokens, 4096, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const random::Block block = random::draw_block(seed, stream, static_cast<std::uint64_t>(first + i));
      // Never K: (1 - 2^-53) K rounds to a double below K.
      z[static_cast<std::size_t>(i)] =
          static_cast<std::int32_t>(random::uniform53(block.word[0], block.word[1]) * topics);
    }
  });
  return z;
}

std::int32_t topic_of_seed(std::span<const SeedWord> word, double u) {
  std::int64_t weight = 0;
  for (const SeedWord& seed : word) weight += seed.weight;
  // Never `weight`: (1 - 2^-53) of it rounds to a double below it.
  auto unit = static_cast<std::int64_t>(u * static_cast<double>(weight));
  const auto found = std::ranges::find_if(word, [&](const SeedWord& seed) { return (unit -= seed.weight) < 0; });
  return found->topic;
}

std::vector<std::int32_t> starting_topics(const CorpusView& corpus, const TrainOptions& options, std::int64_t first) {
  std::vector<std::int32_t> z = initial_topics(corpus.tokens(), options.topics, options.seed, options.threads, first);
  const Seeds seeds = seeds_of_options(corpus, options, "train");
  if (seeds.empty()) return z;
  std::vector<std::span<const SeedWord>> of_word(static_cast<std::size_t>(corpus.vocabulary_size()));
  seeds.for_each_word(
      [&](std::span<const SeedWord> word) { of_word[static_cast<std::size_t>(word.front().word)] = word; });
  const std::uint64_t stream = random::stream(random::Purpose::initial_topics);
  execution::parallel_for(corpus.tokens(), 4096, options.threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::span<const SeedWord> word = of_word[static_cast<std::size_t>(corpus.words[i])];
      if (word.empty()) continue;
      const random::Block block = random::draw_block(options.seed, stream, static_cast<std::uint64_t>(first) + i);
      z[i] = topic_of_seed(word, random::uniform53(block.word[0], block.word[1]));
    }
  });
  return z;
}

}  // namespace papilio::lda
