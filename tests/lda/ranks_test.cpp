// Training over ranks gives the bytes of training in one process, for every sampler that can; what cannot says so.

#include "ranks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "corpora.h"
#include "lda/training/sparse/token_numbers_kernel.h"
#include "papilio/distributed.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"
#include "papilio/model.h"
#include "support/contracts.h"
#include "warp/simd_warp.h"
#include "ways.h"

namespace papilio {
namespace {

using testing::awkward_corpus;
using testing::on_ranks;
using testing::refused;
using testing::train_on_ranks;

TrainOptions short_run(std::int32_t topics) {
  TrainOptions options;
  options.topics = topics;
  options.sweeps = 6;
  options.seed = 11;
  options.threads = 2;
  options.start = Start::uniform;
  options.evaluate_every = 3;
  return options;
}

void expect_same(const TrainResult& found, const TrainResult& expected) {
  EXPECT_EQ(model_hash(found.model), model_hash(expected.model));
  EXPECT_EQ(found.topics.z, expected.topics.z);
  EXPECT_EQ(found.log_joint_per_token, expected.log_joint_per_token);
  ASSERT_EQ(found.held_out.size(), expected.held_out.size());
  for (std::size_t i = 0; i < found.held_out.size(); ++i) {
    EXPECT_EQ(found.held_out[i].completion.log_likelihood, expected.held_out[i].completion.log_likelihood);
    EXPECT_EQ(found.held_out[i].completion.tokens, expected.held_out[i].completion.tokens);
    EXPECT_EQ(found.held_out[i].completion.left_out, expected.held_out[i].completion.left_out);
  }
}

struct Combination {
  Sampler sampler;
  Draws draws;
};

std::vector<Combination> parallel_combinations() {
  std::vector<Combination> all;
  for (const SamplerChoice& sampler : samplers()) {
    all.push_back({sampler.value, Draws::dense});
    if (sampler.sparse_draws) all.push_back({sampler.value, Draws::sparse});
    if (sampler.alias_draws) all.push_back({sampler.value, Draws::alias});
  }
  return all;
}

class RanksOfSampler : public ::testing::TestWithParam<Combination> {};

TEST_P(RanksOfSampler, GiveTheModelOfOneProcess) {
  const Corpus corpus = awkward_corpus();
  TrainOptions options = short_run(40);
  options.sampler = GetParam().sampler;
  options.draws = GetParam().draws;
  options.optimize_every = 2;
  options.optimize_after = 2;
  options.seed_words = {{.topic = 3, .word = 7, .weight = 5}, {.topic = 4, .word = 121, .weight = 2}};
  options.held_out = corpus.view();
  options.held_out_every = 3;
  const TrainResult expected = train(corpus, options);
  for (const int ranks : {1, 2, 3}) {
    SCOPED_TRACE(ranks);
    expect_same(train_on_ranks(ranks, corpus, options), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RanksOfSampler, ::testing::ValuesIn(parallel_combinations()), [](const auto& test) {
  return std::string(name(test.param.sampler)) + "_" + std::string(name(test.param.draws));
});

// A document of more than 2^16 tokens: wide entries on the rank that has it, narrow ones on the others. More topics
// times words than one block of counts holds.
TEST(Ranks, BlocksOfWordsAndKindsOfEntriesChangeNothing) {
  Corpus corpus = testing::small_generated_corpus().corpus;
  for (std::int32_t i = 0; i < 70'000; ++i) corpus.words.push_back(i * 37 % 400);
  corpus.document_offsets.push_back(static_cast<std::int64_t>(corpus.words.size()));
  TrainOptions options = short_run(4000);
  options.sweeps = 3;
  const TrainResult expected = train(corpus, options);
  expect_same(train_on_ranks(3, corpus, options), expected);
}

TEST(Ranks, ManyMoreThanDocuments) {
  const Corpus corpus = testing::make_corpus({{0, 1, 2}, {}, {1, 1}}, 3);
  for (const Draws draws : {Draws::dense, Draws::sparse, Draws::alias}) {
    TrainOptions options = short_run(2);
    options.draws = draws;
    expect_same(train_on_ranks(7, corpus, options), train(corpus, options));
  }
}

TEST(Ranks, ResumeOnAnyOtherNumber) {
  const Corpus corpus = awkward_corpus();
  const TrainOptions options = short_run(40);
  const TrainResult expected = train(corpus, options);
  TrainOptions half = options;
  half.sweeps = 3;
  const TrainResult first = train_on_ranks(3, corpus, half);
  expect_same(train_on_ranks(2, corpus, options, &first.topics), expected);
  expect_same(train(corpus, options, &first.topics), expected);
}

// Numbers of tokens beyond 2^32: the high word follows the carry, lane by lane.
TEST(Ranks, TokensAreNumberedWith64Bits) {
  using W = warp::SimdWarp<8, 16>;
  const std::uint32_t places[] = {0, 1, 4, 5, 6, 7, 0x80000000u, 0xffffffffu};
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xfffffffb}, std::uint64_t{0x7'ffff'fffa}}) {
    const auto number = sparse_kernel::token_numbers<W>(first, W::load(places));
    std::uint32_t low[8], high[8];
    W::store(low, number.low);
    W::store(high, number.high);
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(low[i] | std::uint64_t{high[i]} << 32, first + places[i]) << first << " " << i;
  }
}

// Stages of a progressive start, stopped and evaluated in one of them, then in the chain of all documents.
TEST(Ranks, ProgressiveStart) {
  const Corpus corpus = awkward_corpus();
  for (const std::int64_t sweeps : {9, 43}) {
    TrainOptions options = short_run(40);
    options.start = Start::progressive;
    options.sweeps = sweeps;
    options.evaluate_every = 4;
    options.optimize_every = 7;
    options.optimize_after = 3;
    options.held_out = corpus.view();
    options.held_out_every = 5;
    options.seed_words = {{.topic = 3, .word = 7, .weight = 5}};
    const TrainResult expected = train(corpus, options);
    ASSERT_EQ(expected.topics.start, Start::progressive);
    for (const int ranks : {2, 3, 7}) expect_same(train_on_ranks(ranks, corpus, options), expected);
    TrainOptions first = options;
    first.sweeps = 6;
    const TrainResult stopped = train_on_ranks(3, corpus, first);
    TrainOptions rest = options;
    rest.held_out.reset();
    EXPECT_EQ(model_hash(train_on_ranks(2, corpus, rest, &stopped.topics).model), model_hash(expected.model));
    EXPECT_EQ(model_hash(train(corpus, rest, &stopped.topics).model), model_hash(expected.model));
  }
}

TEST(Ranks, DocumentsArePartedByTokens) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  for (const int ranks : {1, 2, 3, 16, 400}) {
    RankDocuments before;
    for (int rank = 0; rank < ranks; ++rank) {
      const RankDocuments own = documents_of_rank(corpus, rank, ranks);
      EXPECT_EQ(own.first_document, before.end_document);
      EXPECT_EQ(own.first_token, before.end_token);
      EXPECT_EQ(own.end_token, corpus.document_offsets[static_cast<std::size_t>(own.end_document)]);
      // Off by half of the longest document at each end.
      if (ranks <= 16) {
        EXPECT_NEAR(static_cast<double>(own.tokens()), static_cast<double>(corpus.tokens()) / ranks, 90);
      }
      before = own;
    }
    EXPECT_EQ(before.end_document, corpus.documents());
  }
}

TEST(Ranks, OneThatStopsStopsAll) {
  const Corpus corpus = awkward_corpus();
  TrainOptions options = short_run(10);
  options.progress = [](const Progress& progress) { return progress.sweep < 2; };
  const TrainResult result = train_on_ranks(3, corpus, options);  // on rank 0 alone
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.topics.sweep, 2);
}

TEST(Ranks, CheckpointsAreOfTheSameSweep) {
  const Corpus corpus = awkward_corpus();
  std::vector<std::vector<std::int64_t>> sweeps(2);
  std::vector<std::size_t> tokens(2);
  on_ranks({.ranks = 2}, [&](Communicator& rank) {
    TrainOptions options = short_run(10);
    options.ranks = &rank;
    options.checkpoint_every = 4;
    options.checkpoint_seconds = rank.rank() == 0 ? 1e-9 : 0;  // what one wants, all do
    const auto r = static_cast<std::size_t>(rank.rank());
    options.checkpoint = [&sweeps, &tokens, r](const ChainState& state) {
      sweeps[r].push_back(state.sweep);
      tokens[r] = state.z.size();
    };
    train(corpus, options);
  });
  EXPECT_EQ(sweeps[0], (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(sweeps[1], sweeps[0]);
  EXPECT_EQ(tokens[0] + tokens[1], corpus.words.size());
}

TEST(Ranks, WhatCannotRunSaysSo) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const auto run = [&](TrainOptions options) { return [&corpus, options] { train_on_ranks(2, corpus, options); }; };
  TrainOptions options = short_run(7);
  options.schedule = Schedule::sequential;
  EXPECT_TRUE(refused("papilio::train: the sequential schedule draws one token after the other", run(options)));
}

// Ranks that are threads of one call: what the caller sees is what one process shows.
TEST(RanksOfOneProcess, GiveWhatOneGives) {
  const Corpus corpus = awkward_corpus();
  TrainOptions options = short_run(40);
  options.held_out = corpus.view();
  options.checkpoint_every = 2;
  std::vector<ChainState> checkpoints[2];
  std::vector<double> likelihoods[2];
  TrainResult results[2];
  for (int i = 0; i < 2; ++i) {
    if (i == 1) options.devices.assign(3, Device::cpu());
    options.checkpoint = [&](const ChainState& state) { checkpoints[i].push_back(state); };
    options.progress = [&](const Progress& progress) {
      if (progress.evaluated) likelihoods[i].push_back(progress.log_joint_per_token);
      return true;
    };
    results[i] = train(corpus, options);
  }
  expect_same(results[1], results[0]);
  EXPECT_EQ(likelihoods[1], likelihoods[0]);
  ASSERT_EQ(checkpoints[1].size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(checkpoints[1][i].z, checkpoints[0][i].z);
  options.devices.assign(2, Device::cpu());
  options.checkpoint = {};
  options.progress = {};
  EXPECT_EQ(train(corpus, options, &checkpoints[1][1]).topics.z, results[0].topics.z);
}

TEST(RanksOfOneProcess, StopAndFailAsOneDoes) {
  const Corpus corpus = awkward_corpus();
  TrainOptions options = short_run(10);
  options.devices.assign(3, Device::cpu());
  options.progress = [](const Progress& progress) { return progress.sweep < 2; };
  const TrainResult stopped = train(corpus, options);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_EQ(stopped.topics.z.size(), corpus.words.size());
  options.progress = [](const Progress&) -> bool { throw IoError("disk full", 28); };
  EXPECT_THROW(train(corpus, options), IoError);
  options.progress = {};
  on_ranks({.ranks = 1}, [&](Communicator& rank) {
    options.ranks = &rank;
    EXPECT_TRUE(refused("papilio::train: devices and ranks are both given", [&] { train(corpus, options); }));
  });
}

TEST(Ranks, DifferencesAreNamed) {
  const Corpus corpus = awkward_corpus();
  EXPECT_TRUE(refused("papilio::train: ranks differ: rank 2 has \"options.seed 13\", rank 0 \"options.seed 11\"", [&] {
    on_ranks({.ranks = 3}, [&](Communicator& rank) {
      TrainOptions options = short_run(5);
      options.ranks = &rank;
      if (rank.rank() == 2) options.seed = 13;
      train(corpus, options);
    });
  }));
}

// Whatever call a rank does not join, the others end by the deadline and name it.
TEST(Ranks, FailuresAreNamedWhereverTheyHappen) {
  const Corpus corpus = awkward_corpus();
  for (const auto kind : {execution::RankFault::Kind::drop, execution::RankFault::Kind::fail}) {
    // A dropped call takes the deadline, which is long enough for a machine that is busy.
    const bool is_dropped = kind == execution::RankFault::Kind::drop;
    for (const std::int64_t call :
         is_dropped ? std::vector<std::int64_t>{3, 16} : std::vector<std::int64_t>{0, 3, 9, 24}) {
      SCOPED_TRACE(call);
      execution::ThreadRanksOptions ranks = {.ranks = 3, .deadline = std::chrono::seconds(4)};
      ranks.faults = {{kind, 1, call, std::chrono::milliseconds(0)}};
      std::atomic<int> named = 0;
      EXPECT_THROW(on_ranks(ranks,
                            [&](Communicator& rank) {
                              TrainOptions options = short_run(40);
                              options.ranks = &rank;
                              try {
                                train(corpus, options);
                              } catch (const RankError& error) {
                                named += error.rank == 1 ? 1 : 0;
                                throw;
                              }
                            }),
                   RankError);
      EXPECT_EQ(named, 3);
    }
  }
}

// A rank that cannot write its checkpoint takes the others with it, at once, and says why.
TEST(Ranks, OneThatThrowsIsNamed) {
  const Corpus corpus = awkward_corpus();
  std::vector<std::string> thrown(2);
  on_ranks({.ranks = 2, .deadline = std::chrono::seconds(100)}, [&](Communicator& rank) {
    TrainOptions options = short_run(10);
    options.ranks = &rank;
    options.checkpoint_every = 2;
    options.checkpoint = [&](const ChainState&) {
      if (rank.rank() == 1) throw IoError("disk full", 28);
    };
    try {
      train(corpus, options);
    } catch (const Error& error) {
      thrown[static_cast<std::size_t>(rank.rank())] = error.what();
    }
  });
  EXPECT_EQ(thrown[0], "papilio::Communicator: rank 1 of 2 has failed: disk full");
  EXPECT_EQ(thrown[1], "disk full");
}

// Names included: rank 0 has the documents in their order, and every rank the same scores.
TEST(Ranks, InferAndScoreAsOneProcess) {
  const Corpus corpus = awkward_corpus();
  TrainOptions training = short_run(12);
  training.optimize_every = 2;
  Model model = train(corpus, training).model;
  model.vocabulary[5] = "unknown to the corpus";  // so that some of the corpus's words are unknown too
  for (const InferMethod method : {InferMethod::gibbs, InferMethod::em}) {
    const InferOptions options = {.method = method, .sweeps = 9, .burn_in = 2, .seed = 3, .threads = 2};
    const DocumentTopics expected = infer(model, corpus, options);
    const Completion completion = complete_documents(model, corpus, {.seed = 4});
    const LeftToRight whole = left_to_right(model, corpus, {.particles = 2, .seed = 5});
    EXPECT_GT(expected.unknown_tokens, 0);
    for (const int ranks : {1, 2, 3, 7}) {
      on_ranks({.ranks = ranks}, [&](Communicator& rank) {
        const DocumentTopics found = infer(model, corpus, options, rank);
        EXPECT_EQ(found.documents, rank.rank() == 0 ? expected.documents : 0);
        EXPECT_EQ(found.theta, rank.rank() == 0 ? expected.theta : std::vector<float>());
        EXPECT_EQ(found.document_tokens, rank.rank() == 0 ? expected.document_tokens : std::vector<std::int64_t>());
        EXPECT_EQ(found.known_tokens, expected.known_tokens);
        EXPECT_EQ(found.unknown_tokens, expected.unknown_tokens);
        EXPECT_EQ(found.unknown_words, expected.unknown_words);
        const Completion scored = complete_documents(model, corpus, {.seed = 4}, rank);
        EXPECT_EQ(scored.log_likelihood, completion.log_likelihood);
        EXPECT_EQ(scored.documents, completion.documents);
        EXPECT_EQ(scored.left_out, completion.left_out);
        EXPECT_EQ(scored.tokens, completion.tokens);
        EXPECT_EQ(scored.tokens_seen, completion.tokens_seen);
        EXPECT_EQ(scored.unknown_tokens, completion.unknown_tokens);
        const LeftToRight estimated = left_to_right(model, corpus, {.particles = 2, .seed = 5}, rank);
        EXPECT_EQ(estimated.log_likelihoods, whole.log_likelihoods);
        EXPECT_EQ(estimated.log_likelihood, whole.log_likelihood);
        EXPECT_EQ(estimated.tokens, whole.tokens);
        EXPECT_EQ(estimated.unknown_tokens, whole.unknown_tokens);
      });
    }
  }
}

TEST(Ranks, InferenceNamesDifferencesAndRefusesWhatOneProcessRefuses) {
  const Corpus corpus = awkward_corpus();
  const Model model = train(corpus, short_run(5)).model;
  EXPECT_TRUE(refused("papilio::infer: ranks differ: rank 1 has \"options.seed 1\", rank 0 \"options.seed 0\"", [&] {
    on_ranks({.ranks = 2}, [&](Communicator& rank) {
      infer(model, corpus, {.seed = static_cast<std::uint64_t>(rank.rank())}, rank);
    });
  }));
  EXPECT_TRUE(refused("papilio::left_to_right: ranks differ: rank 1 has \"model.hash ", [&] {
    on_ranks({.ranks = 2}, [&](Communicator& rank) {
      Model own = model;
      if (rank.rank() == 1) own.beta = 0.5;
      left_to_right(own, corpus, {}, rank);
    });
  }));
  EXPECT_TRUE(refused("papilio::complete_documents: em_steps is 0", [&] {
    on_ranks({.ranks = 2}, [&](Communicator& rank) { complete_documents(model, corpus, {.em_steps = 0}, rank); });
  }));
}

}  // namespace
}  // namespace papilio
