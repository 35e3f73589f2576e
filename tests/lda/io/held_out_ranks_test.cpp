// Ranks that train with held-out documents, of which each has the words of its own part alone.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/ranks.h"
#include "papilio/corpus_formats.h"
#include "papilio/distributed.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

using testing::on_ranks;

class HeldOutOverRanks : public ::testing::Test {
 protected:
  // Held-out documents have words that the corpus lacks, and some have none of its words.
  HeldOutOverRanks() {
    const HeldOutSplit split = hold_out_every(testing::awkward_corpus(), 3);
    corpus_ = split.training;
    Corpus held_out = split.held_out;
    for (std::size_t i = 0; i < held_out.words.size(); i += 5) {
      held_out.words[i] = static_cast<std::int32_t>(held_out.vocabulary.size());
    }
    held_out.vocabulary.push_back("unknown");
    write_uci_bag_of_words(held_out, path_, folder_.path("vocab.h.txt"));
    held_out_ = read_corpus(path_);
  }

  TrainOptions short_run() const {
    TrainOptions options = {.topics = 12, .sweeps = 4, .seed = 3, .threads = 1};
    options.held_out_every = 2;
    return options;
  }

  const Folder folder_;
  const std::string path_ = folder_.path("docword.h.txt");
  Corpus corpus_;
  Corpus held_out_;
};

void expect_scores(const TrainResult& found, const TrainResult& expected) {
  ASSERT_EQ(found.held_out.size(), expected.held_out.size());
  for (std::size_t i = 0; i < expected.held_out.size(); ++i) {
    const Completion &a = found.held_out[i].completion, &b = expected.held_out[i].completion;
    EXPECT_EQ(a.documents, b.documents);
    EXPECT_EQ(a.left_out, b.left_out);
    EXPECT_EQ(a.tokens_seen, b.tokens_seen);
    EXPECT_EQ(a.tokens, b.tokens);
    EXPECT_EQ(a.unknown_tokens, b.unknown_tokens);
    EXPECT_EQ(a.log_likelihood, b.log_likelihood);
  }
}

// The words of other ranks' documents are memory that nobody may touch.
TEST_F(HeldOutOverRanks, ARankReadsItsPartAlone) {
  for (const Start start : {Start::uniform, Start::progressive}) {
    TrainOptions of_run = short_run();
    of_run.start = start;
    of_run.held_out = held_out_.view();
    const TrainResult expected = train(corpus_, of_run);
    ASSERT_GT(expected.held_out.back().completion.unknown_tokens, 0);
    for (const int number : {1, 2, 3, 7}) {
      on_ranks({.ranks = number}, [&](Communicator& ranks) {
        const RankCorpus read = read_corpus(path_, {}, ranks);
        TrainOptions options = of_run;
        options.ranks = &ranks;
        options.held_out = read.view();
        options.held_out_identity = &read.identity();
        expect_scores(train(corpus_, options), expected);
        // Where the whole is there, too.
        options.held_out = held_out_.view();
        options.held_out_identity = nullptr;
        expect_scores(train(corpus_, options), expected);
      });
    }
  }
}

// Also of the words of one document: those of another rank alone.
TEST_F(HeldOutOverRanks, PartsWithoutKnownWords) {
  const std::string path = folder_.write(
      "h.txt", "nothing known\n" + corpus_.vocabulary[3] + " and " + corpus_.vocabulary[7] + "\nnothing at all\n\n");
  TrainOptions of_run = short_run();
  const CorpusOptions all = {.text = {.min_token_length = 1, .words = WordRule::numbers}};
  const Corpus whole = read_corpus(path, all);
  of_run.held_out = whole.view();
  const TrainResult expected = train(corpus_, of_run);
  on_ranks({.ranks = 3}, [&](Communicator& ranks) {
    const RankCorpus read = read_corpus(path, all, ranks);
    TrainOptions options = of_run;
    options.ranks = &ranks;
    options.held_out = read.view();
    options.held_out_identity = &read.identity();
    expect_scores(train(corpus_, options), expected);
  });
}

TEST_F(HeldOutOverRanks, WhatDoesNotFitIsRefused) {
  TrainOptions options = short_run();
  options.held_out = held_out_.view();
  CorpusIdentity identity = identity_of(held_out_);
  ++identity.tokens;
  options.held_out_identity = &identity;
  EXPECT_THROW(train(corpus_, options), InvalidArgument);

  // No document of any rank has two known words.
  const std::string path = folder_.write("h.txt", "nothing known\nnothing at all\n");
  std::vector<std::string> messages(3);
  on_ranks({.ranks = 3}, [&](Communicator& ranks) {
    const RankCorpus read = read_corpus(path, {}, ranks);
    TrainOptions of_rank = short_run();
    of_rank.ranks = &ranks;
    of_rank.held_out = read.view();
    of_rank.held_out_identity = &read.identity();
    messages[static_cast<std::size_t>(ranks.rank())] =
        folder_.message<InvalidArgument>([&] { train(corpus_, of_rank); });
  });
  EXPECT_EQ(messages, std::vector<std::string>(3,
                                               "papilio::train: no held-out document has two words of the training "
                                               "corpus (2 documents)"));

  // Documents that begin elsewhere are others.
  Corpus moved = held_out_;
  for (std::size_t d = 1; d + 1 < moved.document_offsets.size(); ++d) moved.document_offsets[d] = 0;
  on_ranks({.ranks = 2}, [&](Communicator& ranks) {
    TrainOptions of_rank = short_run();
    of_rank.ranks = &ranks;
    of_rank.held_out = ranks.rank() == 1 ? moved.view() : held_out_.view();
    const std::string message = folder_.message<InvalidArgument>([&] { train(corpus_, of_rank); });
    EXPECT_NE(message.find("ranks differ: rank 1 has \"held_out."), std::string::npos) << message;
  });

  // Given to one rank alone.
  for (const int given : {0, 1}) {
    on_ranks({.ranks = 2}, [&](Communicator& ranks) {
      TrainOptions of_rank = short_run();
      of_rank.ranks = &ranks;
      if (ranks.rank() == given) of_rank.held_out = held_out_.view();
      const std::string message = folder_.message<InvalidArgument>([&] { train(corpus_, of_rank); });
      EXPECT_NE(message.find("ranks differ: rank 1 has \"held_out.hash_of_document_offsets "), std::string::npos)
          << message;
      EXPECT_NE(message.find(std::string("rank ") + (given == 0 ? "1 has" : "0") +
                             " \"held_out.hash_of_document_offsets none\""),
                std::string::npos)
          << message;
    });
  }
}

}  // namespace
}  // namespace papilio::lda
