#include "lda/training/progressive/progressive_start.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/model/options.h"
#include "lda/training/parameters/initial_topics_cpu.h"
#include "papilio/lda.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio {
namespace {

using Z = std::vector<std::int32_t>;

TEST(StartStages, FollowTokensATopic) {
  const auto stages = [](std::int32_t topics, std::int64_t tokens) {
    return lda::start_stages(topics, Start::progressive, tokens);
  };
  EXPECT_EQ(stages(1000, 1'800'000), 4);  // nips: 1,800 tokens per topic, from every 16th document on
  EXPECT_EQ(stages(1000, 2'900'000), 3);
  EXPECT_EQ(stages(300, 1'800'000), 2);
  EXPECT_EQ(stages(180, 1'800'000), 2);
  EXPECT_EQ(stages(100, 1'800'000), 1);
  EXPECT_EQ(stages(1, 1'800'000), 1);
  EXPECT_EQ(stages(100'000, 1'800'000), 4);
  EXPECT_EQ(stages(1000, 1), 4);
}

// No rule was found by which a progressive start would never do worse.
TEST(StartStages, AreNoneUnlessAskedFor) {
  for (const std::int64_t tokens : {std::int64_t{1}, std::int64_t{1'800'000}, std::int64_t{1} << 40}) {
    EXPECT_EQ(lda::start_stages(1000, Start::uniform, tokens), 0);
    EXPECT_EQ(lda::start_stages(1000, Start::automatic, tokens), 0);
  }
}

TEST(StartSchedule, DoublesTheDocumentsInFortySweeps) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const lda::StartSchedule four(corpus, {.topics = 1000}, Start::progressive);
  for (std::int64_t sweep = 1; sweep <= 10; ++sweep) {
    EXPECT_EQ(four.stride(sweep), 16);
    EXPECT_EQ(four.stride(sweep + 10), 8);
    EXPECT_EQ(four.stride(sweep + 20), 4);
    EXPECT_EQ(four.stride(sweep + 30), 2);
    EXPECT_EQ(four.stride(sweep + 40), 1);
  }
  EXPECT_EQ(four.stride(std::int64_t{1} << 32), 1);
  const lda::StartSchedule one(corpus, {.topics = 1}, Start::progressive);
  EXPECT_EQ(one.stride(40), 2);
  EXPECT_EQ(one.stride(41), 1);
  EXPECT_EQ(lda::StartSchedule(corpus, {.topics = 1000}, Start::uniform).stride(1), 1);
}

// The first stage has tokens: documents 0 and 2 have none.
TEST(StartSchedule, LeavesOutStagesWithoutTokens) {
  const Corpus corpus = testing::make_corpus({{}, {0}, {}, {1}}, 2);
  EXPECT_EQ(lda::StartSchedule(corpus, {.topics = 5}, Start::progressive).stride(1), 1);
  const Corpus fifth = testing::make_corpus({{}, {0}, {}, {1}, {1}}, 2);
  EXPECT_EQ(lda::StartSchedule(fifth, {.topics = 5}, Start::progressive).stride(1), 4);
}

TEST(PartOfCorpus, HoldsEveryNthDocument) {
  const Corpus corpus = testing::make_corpus({{0, 1}, {2}, {}, {1}, {2, 2, 0}}, 3);
  const lda::PartOfCorpus part(corpus, 2);
  EXPECT_EQ(Z(part.view().words.begin(), part.view().words.end()), (Z{0, 1, 2, 2, 0}));
  EXPECT_EQ(part.view().documents(), 3);
  EXPECT_NO_THROW(part.view().verify());
  Z z = {10, 11, 12, 13, 14, 15, 16};
  EXPECT_EQ(part.take(z), (Z{10, 11, 14, 15, 16}));
  part.spread({.topics = 3}, 1, {20, 21, 24, 25, 26}, z);
  EXPECT_EQ(part.take(z), (Z{20, 21, 24, 25, 26}));
  EXPECT_TRUE(z[2] == 24 || z[2] == 25);  // word 2
  EXPECT_EQ(z[3], 21);                    // word 1
}

// Word 0 has topic 4 twice and 2 once in the part, word 1 none: 60,000 tokens of each elsewhere. Six standard
// deviations.
TEST(PartOfCorpus, SpreadsTheTopicsOfTheSameWord) {
  constexpr int count = 60'000, topics = 5;
  const Corpus corpus = testing::make_corpus({{0, 0, 0}, Z(count, 0), {}, Z(count, 1)}, 2);
  Z z(corpus.words.size(), -1);
  lda::PartOfCorpus(corpus, 2).spread({.topics = topics}, 10, {4, 2, 4}, z);
  EXPECT_EQ(Z(z.begin(), z.begin() + 3), (Z{4, 2, 4}));
  std::map<std::int32_t, int> known, unknown;
  for (std::size_t i = 0; i < count; ++i) ++known[z[3 + i]], ++unknown[z[3 + count + i]];
  EXPECT_EQ(known.size(), 2u);
  EXPECT_NEAR(known[4], 2 * count / 3, 6 * std::sqrt(count * 2.0 / 9));
  EXPECT_EQ(unknown.size(), std::size_t{topics});
  for (const auto& [topic, tokens] : unknown) EXPECT_NEAR(tokens, count / topics, 6 * std::sqrt(count * 0.16)) << topic;
}

// The whole start in the plainest way: each stage a chain of its own over a corpus of its documents.
class ByStages {
 public:
  ByStages(const Corpus& corpus, const TrainOptions& options) : corpus_(corpus), options_(options) {}

  ChainState topics_after(std::int64_t sweeps) {
    Z z = lda::initial_topics(corpus_.tokens(), options_.topics, options_.seed, 1);
    std::int64_t sweep = 0;
    for (const int stride : {16, 8, 4, 2, 1}) {
      const std::int64_t end = stride == 1 ? sweeps : std::min(sweeps, sweep + 10);
      if (sweep == end) break;
      Corpus part;
      part.vocabulary = corpus_.vocabulary;
      ChainState topics = {.sweep = sweep, .z = {}};
      for_each_token(
          stride, [&](std::size_t i) { topics.z.push_back(z[i]), part.words.push_back(corpus_.words[i]); },
          [&] { part.document_offsets.push_back(part.tokens()); });
      TrainOptions options = options_;
      options.start = Start::uniform;
      options.sweeps = sweep = end;
      const Z drawn = train(part, options, &topics).topics.z;
      std::vector<Z> of_word(corpus_.vocabulary.size());
      auto next = drawn.begin();
      std::vector<bool> has(z.size());
      for_each_token(stride, [&](std::size_t i) {
        has[i] = true;
        of_word[static_cast<std::size_t>(corpus_.words[i])].push_back(z[i] = *next++);
      });
      for (std::size_t i = 0; i < z.size(); ++i) {
        if (!has[i]) z[i] = newcomer(of_word[static_cast<std::size_t>(corpus_.words[i])], sweep, i);
      }
    }
    return {.sweep = sweep, .z = z};
  }

 private:
  void for_each_token(int stride, auto use, auto end_document) {
    for (std::size_t d = 0; d + 1 < corpus_.document_offsets.size(); d += static_cast<std::size_t>(stride)) {
      for (std::int64_t i = corpus_.document_offsets[d]; i < corpus_.document_offsets[d + 1]; ++i) {
        use(static_cast<std::size_t>(i));
      }
      end_document();
    }
  }
  void for_each_token(int stride, auto use) {
    for_each_token(stride, use, [] {});
  }

  std::int32_t newcomer(const Z& same, std::int64_t sweep, std::size_t token) const {
    const auto stream = random::stream(random::Purpose::spread_topics, static_cast<std::uint32_t>(sweep));
    const random::Block block = random::draw_block(options_.seed, stream, token);
    const double u = random::uniform53(block.word[0], block.word[1]);
    return same.empty() ? static_cast<std::int32_t>(u * options_.topics)
                        : same[static_cast<std::size_t>(u * static_cast<double>(same.size()))];
  }

  const Corpus& corpus_;
  const TrainOptions& options_;
};

TrainOptions progressive(std::int64_t sweeps) {
  return {.topics = 40, .sweeps = sweeps, .seed = 3, .threads = 2, .evaluate_every = 0, .start = Start::progressive};
}

TEST(ProgressiveStart, IsAChainOfEachStage) {
  for (const Corpus& corpus : {testing::small_generated_corpus().corpus, testing::awkward_corpus()}) {
    for (const Sampler sampler : {Sampler::collapsed, Sampler::theta_collapsed, Sampler::mean_for_mode}) {
      for (const std::int64_t sweeps : {1, 10, 11, 35, 40, 41, 44}) {
        TrainOptions options = progressive(sweeps);
        options.sampler = sampler;
        EXPECT_EQ(train(corpus, options).topics.z, ByStages(corpus, options).topics_after(sweeps).z)
            << name(sampler) << ", sweep " << sweeps;
      }
    }
  }
}

TEST(ProgressiveStart, IsTheSameForAnyThreads) {
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions options = progressive(25);
  const Z z = train(corpus, options).topics.z;
  for (const int threads : {1, 3, 7}) {
    options.threads = threads;
    EXPECT_EQ(train(corpus, options).topics.z, z) << threads << " threads";
  }
  options.seed = 4;
  EXPECT_NE(train(corpus, options).topics.z, z);
}

// After any sweep, through a file.
TEST(ProgressiveStart, ResumedIsTheSameAsUninterrupted) {
  const lda::Folder folder;
  const Corpus corpus = testing::awkward_corpus();
  TrainOptions options = progressive(43);
  options.optimize_every = 7;
  options.optimize_after = 5;
  const TrainResult whole = train(corpus, options);
  int shown = 0;
  options.checkpoint_every = 1;
  options.checkpoint = [&](const ChainState& topics) {
    EXPECT_EQ(topics.sweep, ++shown);
    save_checkpoint(topics, corpus, options, folder.path("chain"));
    TrainOptions rest = progressive(43);
    rest.optimize_every = 7;
    rest.optimize_after = 5;
    const ChainState loaded = load_checkpoint(corpus, rest, folder.path("chain"));
    EXPECT_EQ(loaded.z, topics.z);
    EXPECT_EQ(loaded.start, topics.start);
    const TrainResult resumed = train(corpus, rest, &loaded);
    EXPECT_EQ(resumed.topics.z, whole.topics.z) << "resumed after sweep " << topics.sweep;
    EXPECT_EQ(resumed.model.alpha, whole.model.alpha);
  };
  EXPECT_EQ(train(corpus, options).topics.z, whole.topics.z);
  EXPECT_EQ(shown, 42);
}

// Where the options name none, the topics know how their chain began.
TEST(ProgressiveStart, IsOfTheTopicsWhereAChainGoesOn) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const TrainOptions options = progressive(30);
  const ChainState begun = train(corpus, progressive(12)).topics;
  EXPECT_EQ(begun.start, Start::progressive);
  TrainOptions other = options;
  other.start = Start::automatic;
  EXPECT_EQ(train(corpus, other, &begun).topics.z, train(corpus, options).topics.z);
  const ChainState given = {.z = begun.z};  // topics of sweep 0: of a uniform start
  const Z from_given = train(corpus, other, &given).topics.z;
  other.start = Start::uniform;
  EXPECT_EQ(train(corpus, other, &given).topics.z, from_given);
  EXPECT_EQ(train(corpus, other).topics.start, Start::uniform);
}

TEST(ProgressiveStart, OfAnotherChainIsRefused) {
  const lda::Folder folder;
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions other = progressive(30);
  other.start = Start::uniform;
  for (const auto& pair : {std::pair(progressive(12), other), std::pair(other, progressive(40))}) {
    const TrainOptions& begun_by = pair.first;
    const TrainOptions& resumed_by = pair.second;
    const ChainState begun = train(corpus, begun_by).topics;
    EXPECT_EQ(
        folder.message<InvalidArgument>([&] { train(corpus, resumed_by, &begun); }),
        fmt::format("papilio::train: start is {}, but the chain to resume started as {}; expected {} or automatic",
                    name(resumed_by.start), name(begun_by.start), name(begun_by.start)));
  }
  // Where no stage has tokens, a progressive start is a uniform one, and goes on as such.
  const Corpus late = testing::make_corpus({{}, {0, 1, 1}}, 2);
  TrainOptions options = {.topics = 2, .sweeps = 3, .start = Start::progressive};
  const ChainState begun = train(late, options).topics;
  EXPECT_EQ(begun.start, Start::uniform);
  options.sweeps = 5;
  EXPECT_EQ(train(late, options, &begun).topics.sweep, 5);
}

TEST(ProgressiveStart, StoppedOnTheWayIsAModelOfAllTokens) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  TrainOptions options = progressive(100);
  std::vector<double> shares;
  options.evaluate_every = 5;
  double joint = 0;
  options.progress = [&](const Progress& progress) {
    shares.push_back(progress.share);
    if (progress.evaluated) joint = progress.log_joint_per_token;
    return progress.sweep < 15;
  };
  const TrainResult result = train(corpus, options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.topics.sweep, 15);
  EXPECT_EQ(std::accumulate(result.model.n_k.begin(), result.model.n_k.end(), std::int64_t{0}), corpus.tokens());
  EXPECT_EQ(joint,
            log_joint(corpus, result.topics.z, 40, options.alpha, options.beta) / static_cast<double>(corpus.tokens()));
  std::int64_t sixteenth = 0;
  for (std::size_t d = 0; d < 300; d += 16) sixteenth += corpus.document_offsets[d + 1] - corpus.document_offsets[d];
  EXPECT_EQ(shares.front(), static_cast<double>(sixteenth) / static_cast<double>(corpus.tokens()));
  EXPECT_GT(shares[10], shares[9]);
}

}  // namespace
}  // namespace papilio
