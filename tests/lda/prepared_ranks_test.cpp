// A model made ready infers and scores over ranks as by one process.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lda/corpora.h"
#include "lda/ranks.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using testing::on_ranks;

Corpus corpus() { return testing::small_generated_corpus().corpus; }

Model model_of(const Corpus& corpus) { return train(corpus, {.topics = 7, .sweeps = 12, .seed = 3}).model; }

void expect_as_one_process(const Inference& inference, const CorpusView& view) {
  const InferOptions options = {.sweeps = 9, .burn_in = 2, .seed = 3, .threads = 2};
  const DocumentTopics expected = inference.infer(view, options);
  const Completion completion = inference.complete_documents(view, {.seed = 4});
  for (const int ranks : {1, 2, 3, 7}) {
    on_ranks({.ranks = ranks}, [&](Communicator& rank) {
      for (int times = 0; times < 2; ++times) {  // the second time the model's hash is known
        const DocumentTopics found = inference.infer(view, options, rank);
        EXPECT_EQ(found.theta, rank.rank() == 0 ? expected.theta : std::vector<float>());
        EXPECT_EQ(found.document_tokens, rank.rank() == 0 ? expected.document_tokens : std::vector<std::int64_t>());
        EXPECT_EQ(found.known_tokens, expected.known_tokens);
        EXPECT_EQ(found.unknown_tokens, expected.unknown_tokens);
        EXPECT_EQ(found.unknown_words, expected.unknown_words);
        const Completion scored = inference.complete_documents(view, {.seed = 4}, rank);
        EXPECT_EQ(scored.log_likelihood, completion.log_likelihood);
        EXPECT_EQ(scored.tokens, completion.tokens);
        EXPECT_EQ(scored.unknown_tokens, completion.unknown_tokens);
      }
    });
  }
}

TEST(PreparedRanks, InferAndScoreAsOneProcess) {
  const Corpus trained = corpus();
  const Model model = model_of(trained);
  CorpusView by_number = trained;
  by_number.vocabulary = model.vocabulary;  // which need not be looked up
  expect_as_one_process(Inference(model), by_number);
  Model other = model;
  other.vocabulary[5] = "unknown to the corpus";
  const Inference inference(other);
  EXPECT_GT(inference.infer(trained, {.sweeps = 2, .burn_in = 1}).unknown_tokens, 0);
  expect_as_one_process(inference, trained);
}

TEST(PreparedRanks, NameDifferencesAndRefuseWhatOneProcessRefuses) {
  const Corpus trained = corpus();
  const Model model = model_of(trained);
  Model other = model;
  other.beta = 0.5;
  const Inference inferences[] = {Inference(model), Inference(other)};
  const auto thrown = [&](const auto& work) -> std::string {
    try {
      on_ranks({.ranks = 2}, [&](Communicator& rank) { work(rank, inferences[rank.rank()]); });
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::string of_infer = thrown([&](auto& rank, auto& own) { own.infer(trained, {}, rank); });
  EXPECT_TRUE(of_infer.starts_with("papilio::infer: ranks differ: rank 1 has \"model.hash ")) << of_infer;
  const std::string of_score = thrown([&](auto& rank, auto& own) { own.complete_documents(trained, {}, rank); });
  EXPECT_TRUE(of_score.starts_with("papilio::complete_documents: ranks differ: rank 1 has \"model.hash ")) << of_score;
  EXPECT_EQ(thrown([&](auto& rank, auto&) {
              inferences[0].infer(trained, {.seed = static_cast<std::uint64_t>(rank.rank())}, rank);
            }),
            "papilio::infer: ranks differ: rank 1 has \"options.seed 1\", rank 0 \"options.seed 0\"; expected the same "
            "on every rank");
  const std::string steps =
      thrown([&](auto& rank, auto&) { inferences[0].complete_documents(trained, {.em_steps = 0}, rank); });
  EXPECT_TRUE(steps.starts_with("papilio::complete_documents: em_steps is 0")) << steps;
}

}  // namespace
}  // namespace papilio
