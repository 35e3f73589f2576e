// One hash of the topics for every number of threads and every CPU target: CTest
// runs this once for each target that the build holds (PAPILIO_CPU_TARGET).

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>

#include "lda/corpora.h"
#include "papilio/device.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

template <class T>
std::uint64_t hash(const std::vector<T>& values) {
  return XXH3_64bits(values.data(), values.size() * sizeof(T));
}

class GoldenTopics : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* target = std::getenv("PAPILIO_CPU_TARGET");
    if (target == nullptr) {
      return;
    }
    const std::vector<std::string> targets = cpu_targets();
    if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
      GTEST_SKIP() << "this machine does not run " << target;
    }
    ASSERT_EQ(cpu_target(), target);
  }
};

TEST_F(GoldenTopics, GeneratedCorpusIsTheSameEverywhere) {
  for (const int threads : {1, 2, 7}) {
    const GeneratedCorpus generated = generate_corpus(
        {.documents = 300, .vocabulary = 400, .topics = 7, .mean_length = 40, .seed = 5, .threads = threads});
    EXPECT_EQ(hash(generated.corpus.document_offsets), 7777915290178504574u);
    EXPECT_EQ(hash(generated.corpus.words), 7600477042507604513u);
    EXPECT_EQ(hash(generated.topics), 149139029122863211u);
    EXPECT_EQ(hash(generated.phi), 2233329845062562204u);
  }
}

TEST_F(GoldenTopics, TrainedTopicsAreTheSameEverywhere) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  struct Expected {
    Sampler sampler;
    Schedule schedule;
    std::uint64_t hash;
  };
  for (const Expected& expected : {Expected{Sampler::mean_for_mode, Schedule::parallel, 17625728830501916152u},
                                   Expected{Sampler::uncollapsed, Schedule::parallel, 12953186429330814356u},
                                   Expected{Sampler::theta_collapsed, Schedule::parallel, 532034237281424023u},
                                   Expected{Sampler::phi_collapsed, Schedule::parallel, 4673857695011151236u},
                                   Expected{Sampler::collapsed, Schedule::parallel, 13958931916732736345u},
                                   Expected{Sampler::phi_collapsed, Schedule::sequential, 10019011569940986018u},
                                   Expected{Sampler::collapsed, Schedule::sequential, 9225871343300073112u}}) {
    for (const int threads : {1, 2, 7}) {
      // 71 topics: not a multiple of any warp; 20 sweeps: each builds on the last.
      const TrainResult result = train(corpus, {.topics = 71,
                                                .sweeps = 20,
                                                .seed = 0x123456789abcdef,
                                                .threads = threads,
                                                .sampler = expected.sampler,
                                                .evaluate_every = 0,
                                                .schedule = expected.schedule,
                                                .draws = Draws::dense});
      EXPECT_EQ(hash(result.topics.z), expected.hash) << name(expected.sampler) << ", " << name(expected.schedule);
    }
  }
}

TEST_F(GoldenTopics, SparselyDrawnTopicsAreTheSameEverywhere) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  struct Expected {
    Sampler sampler;
    std::int32_t topics;
    std::uint64_t hash;
  };
  for (const Expected& expected : {Expected{Sampler::mean_for_mode, 71, 3840616929855400545u},
                                   Expected{Sampler::collapsed, 71, 16404972922124289896u},
                                   Expected{Sampler::collapsed, 2500, 10590162269086914661u}}) {
    for (const int threads : {1, 2, 7}) {
      const TrainResult result = train(corpus, {.topics = expected.topics,
                                                .sweeps = 20,
                                                .seed = 0x123456789abcdef,
                                                .threads = threads,
                                                .sampler = expected.sampler,
                                                .evaluate_every = 0,
                                                .draws = Draws::sparse});
      EXPECT_EQ(hash(result.topics.z), expected.hash) << name(expected.sampler) << ", " << expected.topics << " topics";
    }
  }
}

TEST_F(GoldenTopics, OfSparseSequentialDrawsAreTheSameEverywhere) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const int threads : {1, 2, 7}) {
    const TrainResult result = train(corpus, {.topics = 71,
                                              .sweeps = 20,
                                              .seed = 0x123456789abcdef,
                                              .threads = threads,
                                              .evaluate_every = 0,
                                              .schedule = Schedule::sequential,
                                              .draws = Draws::sparse});
    EXPECT_EQ(hash(result.topics.z), 13849028635089381191u);
  }
}

TEST_F(GoldenTopics, OfSparseThetaCollapsedAreTheSameEverywhere) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const int threads : {1, 2, 7}) {
    const TrainResult result = train(corpus, {.topics = 71,
                                              .sweeps = 20,
                                              .seed = 0x123456789abcdef,
                                              .threads = threads,
                                              .sampler = Sampler::theta_collapsed,
                                              .evaluate_every = 0,
                                              .draws = Draws::sparse});
    EXPECT_EQ(hash(result.topics.z), 6876860383832014855u);
  }
}

TEST_F(GoldenTopics, OfAliasDrawsAreTheSameEverywhere) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  struct Expected {
    Sampler sampler;
    std::uint64_t hash;
  };
  for (const Expected& expected : {Expected{Sampler::collapsed, 4062719601903182016u},
                                   Expected{Sampler::theta_collapsed, 17152399710634238760u}}) {
    for (const int threads : {1, 2, 7}) {
      const TrainResult result = train(corpus, {.topics = 71,
                                                .sweeps = 20,
                                                .seed = 0x123456789abcdef,
                                                .threads = threads,
                                                .sampler = expected.sampler,
                                                .evaluate_every = 0,
                                                .draws = Draws::alias});
      EXPECT_EQ(hash(result.topics.z), expected.hash) << name(expected.sampler);
    }
  }
}

// More topics than one segment of a row's sum.
TEST_F(GoldenTopics, OfAProgressiveStartAreTheSameEverywhere) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const int threads : {1, 2, 7}) {
    const TrainResult result = train(corpus, {.topics = 71,
                                              .sweeps = 43,
                                              .seed = 0x123456789abcdef,
                                              .threads = threads,
                                              .evaluate_every = 0,
                                              .start = Start::progressive});
    EXPECT_EQ(hash(result.topics.z), 11554760100127537558u);
  }
}

TEST_F(GoldenTopics, AlsoWithThousandsOfTopics) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const int threads : {1, 7}) {
    const TrainResult result = train(corpus, {.topics = 2500,
                                              .sweeps = 3,
                                              .seed = 1,
                                              .threads = threads,
                                              .sampler = Sampler::mean_for_mode,
                                              .evaluate_every = 0,
                                              .draws = Draws::dense});
    EXPECT_EQ(hash(result.topics.z), 8922016842920062082u);
  }
}

}  // namespace
}  // namespace papilio
