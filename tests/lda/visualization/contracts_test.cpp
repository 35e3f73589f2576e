// What pages and charts of topics refuse.

#include "lda/contracts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "papilio/error.h"
#include "papilio/report.h"
#include "papilio/visualization.h"

namespace papilio {
namespace {

using testing::make_model;
using testing::nan;
using testing::no_such_folder;
using testing::refused;
using testing::sound_corpus;
using testing::sound_model;

TEST(ReportContract, RefusesOptionsAndDocumentsThatDoNotFit) {
  const Model model = sound_model();
  const Corpus corpus = sound_corpus();
  EXPECT_TRUE(refused("words is 0", [&] { report_page(model, {.words = 0}); }));
  EXPECT_TRUE(refused("documents is -1", [&] { report_page(model, {.documents = -1}); }));
  const Corpus few = sound_corpus();
  const auto typical = [&](const Model& of, const CorpusView& from, ReportOptions options) {
    return [=] { typical_documents(of, {.corpus = from}, options); };
  };
  EXPECT_TRUE(refused("typical_documents: documents is -1", typical(model, few, {.documents = -1})));
  EXPECT_TRUE(refused("typical_documents: excerpt is 0", typical(model, few, {.excerpt = 0})));
  EXPECT_TRUE(refused("0 topics", typical(papilio::Model(), few, {})));
  EXPECT_TRUE(refused("document_offsets must begin with 0", typical(model, CorpusView(), {})));
  EXPECT_LE(typical_documents(model, {.corpus = few}, {.documents = 2147483647})[0].size(), 2u);
  EXPECT_EQ(TypicalDocument().share, 0);
  EXPECT_TRUE(refused("excerpt is 0", [&] { report_page(model, {.excerpt = 0}); }));
  const ReportOptions usual;
  const ReportOrigin origin = {.facts = {}, .command = {}, .likelihood = {{1, nan}}};
  EXPECT_TRUE(refused("after sweep 1 is nan", [&] { report_page(model, usual, nullptr, origin); }));
  const std::vector<std::string> one_group = {"a"};
  ReportDocuments documents = {.corpus = corpus, .groups = one_group};
  EXPECT_TRUE(refused("groups has 1 entries", [&] { report_page(model, usual, &documents); }));
  documents.groups = {};
  documents.texts = [](std::span<const std::int64_t>) { return std::vector<std::string>(); };
  EXPECT_TRUE(refused("texts gave 0 texts for 2", [&] { report_page(model, usual, &documents); }));
  documents.corpus = {};
  EXPECT_TRUE(refused("document_offsets", [&] { report_page(model, usual, &documents); }));
  EXPECT_THROW(sha256_of_file(no_such_folder), IoError);
}

TEST(VisualizationContract, PrepareLdavis) {
  const Model model = make_model({{2, 0}, {1, 1}, {0, 1}}, {0.5, 0.5}, 0.1);
  const std::vector<double> tokens = {3, 2};
  const auto call = [&](std::span<const double> of, LdavisOptions options = {}) {
    return [&model, of, options] { return prepare_ldavis(model, of, options); };
  };
  LdavisData data = call(tokens)();
  EXPECT_TRUE(refused("topic_tokens has 1 entries", call({tokens.data(), 1})));
  EXPECT_TRUE(refused("topic_tokens is null", call({static_cast<const double*>(nullptr), 2})));
  for (const double bad : {-1.0, nan, HUGE_VAL}) {
    const std::vector<double> of = {1, bad};
    EXPECT_TRUE(refused("topic_tokens[1] is", call(of)));
    EXPECT_TRUE(refused("lambda_step is", call(tokens, {.lambda_step = bad})));
  }
  EXPECT_TRUE(refused("terms is 0", call(tokens, {.terms = 0})));
  EXPECT_TRUE(refused("threads", call(tokens, {.threads = -1})));
  EXPECT_NO_THROW(call(tokens, {.terms = 2147483647})());
  EXPECT_TRUE(refused("0 topics", [] { prepare_ldavis(Model()); }));
  Corpus beyond = sound_corpus(), moved_from = sound_corpus();
  beyond.words[1] = 3;
  const Corpus taken = std::move(moved_from);
  EXPECT_TRUE(refused("words[1] is 3, expected 0 <= word < 3", [&] { expected_topic_tokens(model, beyond); }));
  EXPECT_TRUE(refused("it is empty", [&] { expected_topic_tokens(model, moved_from); }));  // NOLINT: moved from
  EXPECT_TRUE(refused("it is empty", [&] { expected_topic_tokens(model, CorpusView()); }));
  EXPECT_EQ(expected_topic_tokens(model, Corpus()), std::vector<double>(2));

  EXPECT_NO_THROW(data.to_json());
  EXPECT_NO_THROW(LdavisData().to_json());
  const LdavisData sound = data;
  data.bars[0].word = 3;
  EXPECT_TRUE(refused("LdavisData::to_json: bars[0].word is 3, expected 0 <= word < 3", [&] { data.to_json(); }));
  data = sound;
  data.bars[0].place = -2;
  EXPECT_TRUE(refused("bars[0].place is -2, expected -1 <= place < 2", [&] { data.to_json(); }));
  data = sound;
  data.shares = {LdavisShare{.place = 2147483647, .word = 0, .share = 1}};
  EXPECT_TRUE(refused("shares[0].place is 2147483647, expected 0 <= place < 2", [&] { data.to_json(); }));
  const LdavisTerm bar = sound.bars[0];
  const LdavisTopic circle = sound.topics[0];
  EXPECT_LT(circle.topic + bar.word, 5);
}

}  // namespace
}  // namespace papilio
