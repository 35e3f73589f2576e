// What inference and evaluation refuse.

#include "lda/contracts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "papilio/diagnostics.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

using testing::huge;
using testing::LdaContract;
using testing::make_corpus;
using testing::no_enumerator;
using testing::no_such_folder;
using testing::refused;
using testing::Topics;

TEST_F(LdaContract, Infer) {
  const auto call = [&](InferOptions options) { return [=, this] { infer(model_, corpus_, options); }; };
  refuses_bad_corpora([&](const CorpusView& corpus) { infer(model_, corpus); });
  refuses_bad_corpora([&](const CorpusView& corpus) { map_words(model_, corpus); });
  refuses_bad_models([&](const Model& model) { infer(model, corpus_); });
  refuses_bad_models([&](const Model& model) { map_words(model, corpus_); });
  refuses_bad_corpora([&](const CorpusView& corpus) { unknown_words(model_, corpus); });
  refuses_bad_models([&](const Model& model) { unknown_words(model, corpus_); });
  const std::vector<std::string> words = {"a", "b"};
  const std::vector<std::int64_t> one_count = {1}, counts = {0, 3};
  EXPECT_TRUE(refused("counts has 1 entries", [&] { unknown_words(model_, words, one_count); }));
  const std::vector<std::int64_t> negative = {1, -1}, many = {INT64_MAX, 1};
  EXPECT_TRUE(refused("counts[1] is -1", [&] { unknown_words(model_, words, negative); }));
  EXPECT_TRUE(refused("of word 1 add up to 2^63 or more", [&] { unknown_words(model_, words, many); }));
  refuses_bad_models([&](const Model& model) { unknown_words(model, words, counts); });
  EXPECT_EQ(unknown_words(model_, words, counts), (LeftOutWords{.tokens = 3, .words = 1, .examples = {"b"}}));
  EXPECT_TRUE(refused("unknown method 99", call({.method = no_enumerator<InferMethod>()})));
  EXPECT_TRUE(refused("sweeps is 0", call({.sweeps = 0})));
  EXPECT_TRUE(refused("burn_in is -1", call({.burn_in = -1})));
  EXPECT_TRUE(refused("burn_in is 5", call({.sweeps = 5, .burn_in = 5})));
  EXPECT_TRUE(refused("em_steps is 0", call({.em_steps = 0})));
  EXPECT_TRUE(refused("threads", call({.threads = -1})));
  EXPECT_EQ(name(no_enumerator<InferMethod>()), "unknown");
  EXPECT_TRUE(refused("unknown method \"x\"", [] { parse_infer_method("x"); }));
  EXPECT_EQ(infer_methods().size(), 2u);
  DocumentTopics topics = infer(model_, corpus_, {.sweeps = 2, .burn_in = 1});
  EXPECT_EQ(topics.row(1), topics.theta.data() + 2);
  EXPECT_TRUE(refused("DocumentTopics::row: document 2, expected 0 <= document < 2", [&] { topics.row(2); }));
  EXPECT_TRUE(refused("DocumentTopics::row: document -1", [&] { topics.row(-1); }));
  const DocumentTopics taken = std::move(topics);
  EXPECT_TRUE(refused("theta has 0 numbers", [&] { topics.row(0); }));  // NOLINT(bugprone-use-after-move)
  const WordMap map = map_words(model_, Corpus());
  EXPECT_EQ(map.unknown_words, 0);
  EXPECT_EQ(infer(model_, Corpus()).documents, 0);
}

TEST_F(LdaContract, Inference) {
  const Inference inference(model_);
  refuses_bad_corpora([&](const CorpusView& corpus) { inference.infer(corpus); });
  refuses_bad_models([&](const Model& model) { const Inference made(model); });
  EXPECT_TRUE(refused("sweeps is 0", [&] { inference.infer(corpus_, {.sweeps = 0}); }));
  EXPECT_TRUE(refused("threads", [&] { inference.infer(corpus_, {.threads = -1}); }));
  refuses_bad_corpora([&](const CorpusView& corpus) { inference.complete_documents(corpus); });
  EXPECT_TRUE(refused("em_steps is 0", [&] { inference.complete_documents(corpus_, {.em_steps = 0}); }));
  EXPECT_TRUE(refused("threads", [&] { inference.complete_documents(corpus_, {.threads = -1}); }));
  EXPECT_EQ(inference.complete_documents(Corpus()).documents, 0);
  EXPECT_EQ(&inference.model(), &model_);
  EXPECT_EQ(inference.infer(Corpus()).documents, 0);
  Inference first = inference;
  const Inference taken = std::move(first);
  EXPECT_EQ(first.infer(corpus_).theta, taken.infer(corpus_).theta);  // NOLINT(bugprone-use-after-move)
}

TEST_F(LdaContract, CompletionAndLeftToRight) {
  refuses_bad_corpora([&](const CorpusView& corpus) { complete_documents(model_, corpus); });
  refuses_bad_models([&](const Model& model) { complete_documents(model, corpus_); });
  refuses_bad_corpora([&](const CorpusView& corpus) { left_to_right(model_, corpus); });
  refuses_bad_models([&](const Model& model) { left_to_right(model, corpus_); });
  const auto complete = [&](CompletionOptions options) {
    return [=, this] { complete_documents(model_, corpus_, options); };
  };
  const auto score = [&](LeftToRightOptions options) { return [=, this] { left_to_right(model_, corpus_, options); }; };
  EXPECT_TRUE(refused("em_steps is 0", complete({.em_steps = 0})));
  EXPECT_TRUE(refused("threads", complete({.threads = -1})));
  EXPECT_TRUE(refused("particles is 0, expected 1 to 1000000", score({.particles = 0})));
  EXPECT_TRUE(refused("particles is 2000000", score({.particles = 2'000'000})));
  EXPECT_TRUE(refused("threads", score({.threads = 5000})));
  EXPECT_TRUE(std::isnan(Completion().nats_per_token()));
  EXPECT_TRUE(std::isnan(Completion().perplexity()));
  EXPECT_TRUE(std::isnan(LeftToRight().nats_per_token()));
  EXPECT_TRUE(std::isnan(LeftToRight().perplexity()));
  EXPECT_EQ(complete_documents(model_, Corpus()).documents, 0);
}

TEST_F(LdaContract, CoherenceAndDiversity) {
  refuses_bad_corpora([&](const CorpusView& corpus) { coherence(model_, corpus); });
  refuses_bad_models([&](const Model& model) { coherence(model, corpus_); });
  refuses_bad_models([&](const Model& model) { diversity(model); });
  const auto call = [&](CoherenceOptions options) { return [=, this] { coherence(model_, corpus_, options); }; };
  const auto measure = no_enumerator<CoherenceMeasure>();
  EXPECT_TRUE(refused("unknown measure 99", call({.measure = measure})));
  EXPECT_TRUE(refused("top_words is 1, expected 2 to 1000", call({.top_words = 1})));
  EXPECT_TRUE(refused("top_words is 2147483647", call({.top_words = 2147483647})));
  EXPECT_TRUE(refused("window is -1", call({.window = -1})));
  EXPECT_TRUE(refused("umass counts documents", call({.measure = CoherenceMeasure::umass, .window = 5})));
  EXPECT_TRUE(refused("threads", call({.threads = -1})));
  EXPECT_NO_THROW(call({.window = 2147483647})());
  EXPECT_TRUE(refused("top_words is 0", [&] { diversity(model_, 0); }));
  EXPECT_GT(diversity(model_, 2147483647), 0);
  EXPECT_EQ(name(measure), "unknown");
  EXPECT_TRUE(refused("unknown measure", [] { parse_coherence_measure(""); }));
  EXPECT_EQ(coherence_measures().size(), 3u);
  const Coherence none = coherence(model_, Corpus());
  EXPECT_TRUE(std::isnan(none.mean));
}

TEST_F(LdaContract, HoldOutEvery) {
  refuses_bad_corpora([](const CorpusView& corpus) { hold_out_every(corpus, 2); });
  for (const std::int64_t every : {std::int64_t{1}, std::int64_t{0}, -huge}) {
    EXPECT_TRUE(refused("expected at least 2", [&] { hold_out_every(corpus_, every); }));
  }
  const HeldOutSplit split = hold_out_every(corpus_, huge);
  EXPECT_EQ(split.held_out.documents(), 0);
}

TEST_F(LdaContract, DiagnoseTopics) {
  refuses_bad_corpora([&](const CorpusView& corpus) { diagnose_topics(corpus, z_, model_); });
  refuses_bad_models([&](const Model& model) { diagnose_topics(corpus_, z_, model); });
  EXPECT_TRUE(refused("words is 0", [&] { diagnose_topics(corpus_, z_, model_, 0); }));
  EXPECT_TRUE(refused("z has 1 topics", [&] { diagnose_topics(corpus_, Topics{0}, model_); }));
  EXPECT_TRUE(refused("the topic of token 0 is 2", [&] { diagnose_topics(corpus_, Topics(5, 2), model_); }));
  EXPECT_TRUE(refused("the corpus has 1 words, the model 3",
                      [&] { diagnose_topics(make_corpus({{0}}, 1), Topics{0}, model_); }));
  std::vector<TopicDiagnostics> topics = diagnose_topics(corpus_, z_, model_, 2147483647);
  const auto write = [&](const std::vector<TopicDiagnostics>& of, const Model& model) {
    return [&, of] { write_diagnostics(of, model, no_such_folder); };
  };
  EXPECT_THROW(write(topics, model_)(), IoError);
  EXPECT_TRUE(refused("there are diagnostics of 0 topics, expected one per topic of the model, 2", write({}, model_)));
  topics[1].top_words = {{3, 0.5}};
  EXPECT_TRUE(refused("a top word of topic 1 is 3, expected 0 <= word < 3", write(topics, model_)));
  topics[1].top_words = {{-1, 0.5}};
  EXPECT_TRUE(refused("a top word of topic 1 is -1", write(topics, model_)));
  topics.resize(1);
  Model no_words;
  no_words.topics = 1;
  EXPECT_TRUE(refused("the vocabulary is empty", write(topics, no_words)));
}

}  // namespace
}  // namespace papilio
