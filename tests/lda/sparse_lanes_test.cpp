// Sparse draws of long documents: the plainest implementation's, bit for bit, whatever lists a batch has. CTest runs
// this once for each instruction set.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lda/corpora.h"
#include "lda/sparse_oracle.h"
#include "lda/training/chain/chain_cpu.h"
#include "lda/training/sparse/parallel/batch.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

TrainOptions options(Sampler sampler, std::int32_t topics) {
  return {.topics = topics,
          .sweeps = 2,
          .alpha = 20.0 / topics,
          .beta = 0.05,
          .seed = 0x987654321,
          .threads = 2,
          .sampler = sampler,
          .evaluate_every = 0,
          .draws = Draws::sparse};
}

// From these topics of tokens on; none: those that the chain begins with.
void expect_as_the_oracle(const Corpus& corpus, const TrainOptions& o, std::vector<std::int32_t> z = {}) {
  std::optional<ChainState> start;
  if (!z.empty()) start = ChainState{.z = std::move(z)};
  lda::CpuChain chain(corpus, o, std::move(start));
  testing::SparseOracle oracle(corpus, o, chain.state().z);
  for (std::int64_t sweep = 1; sweep <= o.sweeps; ++sweep) {
    chain.sweep();
    oracle.sweep();
    ASSERT_EQ(chain.state().z, oracle.z) << "sweep " << sweep;
  }
  const double tokens = static_cast<double>(corpus.tokens()) * static_cast<double>(o.sweeps);
  EXPECT_NEAR(chain.draws().from_own + chain.draws().from_document + chain.draws().from_word + chain.draws().from_prior,
              1, 1e-12);
  EXPECT_GT(static_cast<double>(oracle.from_document), tokens / 10);
}

// Documents of these lengths, of random words, the first of them frequent.
Corpus corpus_of(const std::vector<int>& lengths, std::int32_t words) {
  std::mt19937_64 random(7);
  std::vector<std::vector<std::int32_t>> documents;
  for (const int length : lengths) {
    auto& document = documents.emplace_back();
    for (int i = 0; i < length; ++i) {
      const auto word = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(words));
      document.push_back(random() % 4 == 0 ? word % 3 : word);
    }
  }
  return testing::make_corpus(documents, words);
}

std::vector<int> lengths_between(int least, int most, int count) {
  std::mt19937_64 random(5);
  std::vector<int> lengths;
  for (int i = 0; i < count; ++i)
    lengths.push_back(least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1)));
  return lengths;
}

// One token for each topic, and again from the first: no list of so many tokens is longer.
std::vector<std::int32_t> topics_in_turn(const Corpus& corpus, std::int32_t topics) {
  std::vector<std::int32_t> z(static_cast<std::size_t>(corpus.tokens()));
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = static_cast<std::int32_t>(i) % topics;
  return z;
}

class SparseLanes : public ::testing::TestWithParam<Sampler> {};

// Numbers of topics around those that registers hold, and around whole depths.
TEST_P(SparseLanes, DrawAsOneByOneForAnyNumberOfTopics) {
  const Corpus corpus = corpus_of(lengths_between(150, 400, 40), 60);
  for (const std::int32_t topics : {31, 32, 33, 48, 64, 65, 96, 100, 127, 128, 129, 144, 300, 1000}) {
    SCOPED_TRACE(topics);
    expect_as_the_oracle(corpus, options(GetParam(), topics));
  }
}

// Documents of one token beside those that have nearly all topics; words of one token and of thousands.
TEST_P(SparseLanes, TakeListsOfVeryDifferentLengths) {
  std::vector<int> lengths = lengths_between(1, 30, 80);
  for (std::size_t d = 0; d < lengths.size(); d += 7) lengths[d] = 900;
  lengths[3] = 5000;
  for (const std::int32_t words : {5, 900}) {
    const Corpus corpus = corpus_of(lengths, words);
    for (const std::int32_t topics : {100, 700}) {
      SCOPED_TRACE(topics);
      expect_as_the_oracle(corpus, options(GetParam(), topics));
    }
  }
}

// Lists that a batch has room for one by one only.
TEST_P(SparseLanes, TakeListsThatFillTheirMemory) {
  constexpr std::int32_t topics = 5000;
  TrainOptions o = options(GetParam(), topics);
  o.sweeps = 1;  // lists are longest in the first
  const Corpus corpus = corpus_of({4600, 300, 4200, 40}, 4000);
  expect_as_the_oracle(corpus, o, topics_in_turn(corpus, topics));
}

// A document of all topics, each of which has one token. With 2,040 the block of its list has all memory that there is.
TEST_P(SparseLanes, TakeAListThatFillsItsBlock) {
  for (const std::int32_t topics : {512, 2040, 4080}) {
    SCOPED_TRACE(topics);
    const Corpus corpus = corpus_of({topics, 50}, 300);
    TrainOptions o = options(GetParam(), topics);
    o.sweeps = 1;
    expect_as_the_oracle(corpus, o, topics_in_turn(corpus, topics));
  }
}

// The most that 16 bits hold: the topics are the last ones.
TEST_P(SparseLanes, TakeNarrowEntriesOfTheLastTopics) {
  constexpr std::int32_t topics = 65'536;
  const Corpus corpus = corpus_of({200, 70, 1}, 8);
  std::vector<std::int32_t> z(static_cast<std::size_t>(corpus.tokens()));
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = topics - 1 - static_cast<std::int32_t>(i) % 90;
  expect_as_the_oracle(corpus, options(GetParam(), topics), z);
}

// More than 16 bits in an entry.
TEST_P(SparseLanes, TakeWideEntries) {
  expect_as_the_oracle(corpus_of({66000, 500, 300, 2}, 40), options(GetParam(), 130));
}

// The weights of most topics are 0 in float: sums are repeated before the end of a list, too.
TEST_P(SparseLanes, NeverFindWhatHasNoWeight) {
  TrainOptions o = options(GetParam(), 100);
  o.beta = 1e-300;
  expect_as_the_oracle(corpus_of(lengths_between(150, 400, 30), 60), o);
}

// Whatever K is, there is room for the sums of a list of all topics, one by one, and of two in lanes, without much
// more.
TEST(SparseScratch, HasRoomForTheLongestList) {
  namespace sparse = lda::sparse;
  static_assert(sparse::running_floats_for(2040) == 4096 && sparse::block_size(sparse::depth_of(2040)) == 4096);
  for (std::int32_t topics = 1; topics <= 70'000; ++topics) {
    const std::int64_t room = sparse::running_floats_for(topics);
    const std::int64_t depths = (topics + sparse::lanes - 1) / sparse::lanes;
    ASSERT_GE(room, (1 + depths) * sparse::lanes) << topics;
    ASSERT_GE(room, sparse::block_size(sparse::depth_of(static_cast<std::uint32_t>(topics)))) << topics;
    ASSERT_LE(room, std::max<std::int64_t>(sparse::least_running_floats, 2 * (topics + 15))) << topics;
  }
}

INSTANTIATE_TEST_SUITE_P(Samplers, SparseLanes, ::testing::Values(Sampler::mean_for_mode, Sampler::collapsed),
                         [](const auto& sampler) { return std::string(name(sampler.param)); });

}  // namespace
}  // namespace papilio
