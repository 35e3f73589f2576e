// One rank alone fails before the ranks have exchanged anything: the others hear at once which one and why.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/ranks.h"
#include "papilio/choose.h"
#include "papilio/corpus_formats.h"
#include "papilio/distributed.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

// What each of three ranks throws in `call`(its communicator, whether it is the one that fails).
std::vector<std::string> thrown(int failing, const std::function<void(Communicator&, bool)>& call) {
  std::vector<std::string> texts(3, "nothing");
  testing::on_ranks({.ranks = 3, .deadline = std::chrono::seconds(120)}, [&](Communicator& rank) {
    std::string& text = texts[static_cast<std::size_t>(rank.rank())];
    try {
      call(rank, rank.rank() == failing);
    } catch (const RankError& error) {
      text = "rank " + std::to_string(error.rank) + ": " + error.what();
    } catch (const std::exception& error) {
      text = error.what();
    }
  });
  return texts;
}

void expect_others_hear(const std::function<void(Communicator&, bool)>& call) {
  for (const int failing : {0, 2}) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<std::string> texts = thrown(failing, call);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
    const std::string& own = texts[static_cast<std::size_t>(failing)];
    EXPECT_NE(own, "nothing");
    const std::string expected = "rank " + std::to_string(failing) + ": papilio::Communicator: rank " +
                                 std::to_string(failing) + " of 3 has failed: " + own;
    for (int r = 0; r < 3; ++r) {
      if (r == failing) continue;
      EXPECT_EQ(texts[static_cast<std::size_t>(r)], expected);
    }
  }
}

class FailingRanks : public ::testing::Test {
 protected:
  const Corpus corpus_ = testing::small_generated_corpus().corpus;
  const Model model_ = train(corpus_, {.topics = 5, .sweeps = 2}).model;
};

TEST_F(FailingRanks, Training) {
  expect_others_hear(
      [&](Communicator& rank, bool fails) { train(corpus_, {.topics = fails ? -1 : 5, .sweeps = 2, .ranks = &rank}); });
  expect_others_hear([&](Communicator& rank, bool fails) {
    train(fails ? Corpus() : corpus_, {.topics = 5, .sweeps = 2, .ranks = &rank});
  });
  ChainState chain;
  chain.sweep = 5;
  expect_others_hear([&](Communicator& rank, bool fails) {
    train(corpus_, {.topics = 5, .sweeps = 2, .ranks = &rank}, fails ? &chain : nullptr);
  });
}

// Other options of infer and left_to_right differ from those of the others, which is what all say.
TEST_F(FailingRanks, InferenceAndScores) {
  const Inference prepared(model_);
  expect_others_hear([&](Communicator& rank, bool fails) { infer(fails ? Model() : model_, corpus_, {}, rank); });
  expect_others_hear(
      [&](Communicator& rank, bool fails) { complete_documents(model_, corpus_, {.em_steps = fails ? -1 : 5}, rank); });
  expect_others_hear([&](Communicator& rank, bool fails) {
    prepared.complete_documents(corpus_, {.em_steps = fails ? -1 : 5}, rank);
  });
  for (const int failing : {0, 2}) {
    const std::vector<std::string> texts = thrown(failing, [&](Communicator& rank, bool fails) {
      prepared.infer(corpus_, {.sweeps = fails ? 0 : 9, .burn_in = 2}, rank);
    });
    for (const std::string& text : texts) EXPECT_TRUE(text.starts_with("papilio::infer: ranks differ: rank ")) << text;
  }
}

TEST_F(FailingRanks, ChoiceOfTopics) {
  expect_others_hear([&](Communicator& rank, bool fails) {
    choose_topics(corpus_, {.topics = {fails ? 0 : 4}, .seeds = 1, .training = {.sweeps = 2}}, {}, rank);
  });
}

TEST_F(FailingRanks, Reading) {
  const lda::Folder folder;
  for (const CorpusFormat format : {CorpusFormat::text, CorpusFormat::uci, CorpusFormat::corpus_file}) {
    const std::string path = folder.path("corpus");
    write_corpus(corpus_, path, format);
    expect_others_hear(
        [&](Communicator& rank, bool fails) { read_corpus(fails ? folder.path("nowhere") : path, {}, rank); });
  }
}

}  // namespace
}  // namespace papilio
