#include "papilio/model_edits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/files.h"
#include "lda/io/model/safetensors.h"
#include "lda/models.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"
#include "papilio/report.h"
#include "papilio/visualization.h"

namespace papilio {
namespace {

using Labels = std::vector<std::string>;

Model four_topics() { return testing::make_model({{5, 1, 0, 2}, {0, 3, 7, 2}}, {0.5, 0.25, 1, 2}, 0.1); }

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Word 0 is a seed word of topics 0, 1 and 3, word 1 of topics 1 and 2.
Model seeded_topics() {
  Model model = four_topics();
  model.seed_words = {{0, 0, 10}, {1, 0, 20}, {3, 0, 40}, {1, 1, 100}, {2, 1, 200}};
  model.s_k = {10, 120, 200, 40};
  model.verify();
  return model;
}

class File {
 public:
  explicit File(const char* name) : path(folder_.path(name)) {}

 private:
  const lda::Folder folder_;

 public:
  const std::string path;
};

TEST(MergeTopics, AddsCountsAndAlphas) {
  const Model before = four_topics();
  const Model model = merge_topics(before, {{3, 1}});
  EXPECT_EQ(model.topics, 3);
  EXPECT_EQ(model.n_wk, (std::vector<std::int32_t>{5, 3, 0, 0, 5, 7}));
  EXPECT_EQ(model.n_k, (std::vector<std::int64_t>{5, 8, 7}));
  EXPECT_EQ(model.alpha, (std::vector<double>{0.5, 2.25, 1}));
  EXPECT_EQ(model.beta, before.beta);
  EXPECT_EQ(model.vocabulary, before.vocabulary);
  EXPECT_EQ(model.edits, (std::vector<ModelEdit>{{{"merge", "3,1"}, model_hash(before)}}));
  model.verify();
  const Model two = merge_topics(before, {{0, 2}, {3, 1}});
  EXPECT_EQ(two.n_wk, (std::vector<std::int32_t>{5, 3, 7, 5}));
  EXPECT_EQ(merge_topics(before, {{0, 1, 2, 3}}).n_k, (std::vector<std::int64_t>{20}));
}

// As if the sampler had never told the topics apart: the counts of z with both numbers made one.
TEST(MergeTopics, IsTheModelOfTheMergedState) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const TrainResult result = train(corpus, {.topics = 5, .sweeps = 10, .seed = 3});
  const std::vector<std::int32_t> to = {0, 1, 2, 1, 3};  // 3 joins 1, and 4 moves down
  std::vector<std::int32_t> expected(static_cast<std::size_t>(corpus.vocabulary_size()) * 4);
  for (std::size_t i = 0; i < corpus.words.size(); ++i) {
    const auto topic = static_cast<std::size_t>(to[static_cast<std::size_t>(result.topics.z[i])]);
    ++expected[static_cast<std::size_t>(corpus.words[i]) * 4 + topic];
  }
  EXPECT_EQ(merge_topics(result.model, {{1, 3}}).n_wk, expected);
}

// The probability that the tokens of a document, in any order, have these numbers of topics: theta integrated out.
double probability(const std::vector<int>& counts, const std::vector<double>& alpha) {
  double sum = 0, tokens = 0, log = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    sum += alpha[k];
    tokens += counts[k];
    log += std::lgamma(counts[k] + alpha[k]) - std::lgamma(alpha[k]) - std::lgamma(counts[k] + 1.0);
  }
  return std::exp(log + std::lgamma(sum) - std::lgamma(sum + tokens) + std::lgamma(tokens + 1));
}

// By enumeration of all counts of six tokens.
TEST(MergeTopics, KeepsTheLawOfTheSumOfShares) {
  const Model model = testing::make_model({{1, 1, 1}}, {0.3, 0.5, 0.7}, 0.1);
  const std::vector<double> alpha = merge_topics(model, {{0, 1}}).alpha;
  for (int both = 0; both <= 6; ++both) {
    double sum = 0;
    for (int first = 0; first <= both; ++first) sum += probability({first, both - first, 6 - both}, model.alpha);
    EXPECT_NEAR(sum, probability({both, 6 - both}, alpha), 1e-14) << both;
  }
}

TEST(DropTopics, MakesWordsWithoutATokenUnknown) {
  const Model model = testing::make_model({{5, 0}, {0, 7}, {3, 3}}, {0.1, 0.2}, 0.01);
  const Corpus corpus = testing::make_corpus({{0, 1, 2, 1}}, 3);
  EXPECT_EQ(map_words(model, corpus).unknown_tokens, 0);
  const Model dropped = drop_topics(model, std::vector<std::int32_t>{1});
  EXPECT_EQ(map_words(dropped, corpus).model_words, (std::vector<std::int32_t>{0, -1, 2}));
  EXPECT_EQ(infer(dropped, corpus).known_tokens, 2);
  EXPECT_EQ(dropped.phi(1, 0), 0.01 / (8 + 3 * 0.01));
}

TEST(DropTopics, KeepsTheLawOfTheOtherShares) {
  const Model model = testing::make_model({{1, 1, 1}}, {0.3, 0.5, 0.7}, 0.1);
  const std::vector<double> alpha = drop_topics(model, std::vector<std::int32_t>{1}).alpha;
  double all = 0;
  for (int first = 0; first <= 6; ++first) all += probability({first, 0, 6 - first}, model.alpha);
  for (int first = 0; first <= 6; ++first) {
    EXPECT_NEAR(probability({first, 0, 6 - first}, model.alpha) / all, probability({first, 6 - first}, alpha), 1e-14);
  }
}

TEST(DropTopics, LeavesTheirTokensOut) {
  const Model before = four_topics();
  const Model model = drop_topics(before, std::vector<std::int32_t>{2, 0});
  EXPECT_EQ(model.n_wk, (std::vector<std::int32_t>{1, 2, 3, 2}));
  EXPECT_EQ(model.n_k, (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(model.alpha, (std::vector<double>{0.25, 2}));
  EXPECT_EQ(model.vocabulary, before.vocabulary);
  EXPECT_EQ(model.edits, (std::vector<ModelEdit>{{{"drop", "2", "0"}, model_hash(before)}}));
  model.verify();
}

TEST(MergeTopics, AddsSeedWeights) {
  const Model before = seeded_topics();
  const Model model = merge_topics(before, {{3, 1}});
  EXPECT_EQ(model.seed_words, (std::vector<SeedWord>{{0, 0, 10}, {1, 0, 60}, {1, 1, 100}, {2, 1, 200}}));
  EXPECT_EQ(model.s_k, (std::vector<std::int64_t>{10, 160, 200}));
  EXPECT_DOUBLE_EQ(model.phi(0, 1), (3 + 60 + 0.1) / (8 + 160 + 2 * 0.1));
  model.verify();
  EXPECT_EQ(merge_topics(before, {{0, 1, 2, 3}}).seed_words, (std::vector<SeedWord>{{0, 0, 70}, {0, 1, 300}}));
}

TEST(MergeTopics, RefusesSeedWeightsThatNoModelHas) {
  Model model = four_topics();
  model.seed_words = {{0, 1, largest_seed_weight - 7}, {2, 1, 7}, {3, 1, 8}};
  model.s_k = {largest_seed_weight - 7, 0, 7, 8};
  EXPECT_EQ(merge_topics(model, {{0, 2}}).seed_weight(1, 0), largest_seed_weight);
  try {
    merge_topics(model, {{0, 3}});
    FAIL() << "merged";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "papilio::merge_topics: seed word 1 would weigh 1000001 in topic 0, expected at most 1000000");
  }
  EXPECT_EQ(drop_topics(model, std::vector<std::int32_t>{3}).seed_weight(1, 0), largest_seed_weight - 7);
}

TEST(DropTopics, TakesTheirSeedWordsAway) {
  const Model before = seeded_topics();
  const Model model = drop_topics(before, std::vector<std::int32_t>{1});
  EXPECT_EQ(model.seed_words, (std::vector<SeedWord>{{0, 0, 10}, {2, 0, 40}, {1, 1, 200}}));
  EXPECT_EQ(model.s_k, (std::vector<std::int64_t>{10, 200, 40}));
  model.verify();
  Model one = four_topics();
  one.seed_words = {{2, 1, 5}};
  one.s_k = {0, 0, 5, 0};
  const Model none = drop_topics(one, std::vector<std::int32_t>{2});
  EXPECT_TRUE(none.seed_words.empty());
  EXPECT_TRUE(none.s_k.empty());
  none.verify();
}

TEST(LabelTopics, FollowTheirTopics) {
  Model model = label_topics(four_topics(), {{1, "Sport"}, {3, "Politics and law"}});
  EXPECT_EQ(model.labels, (Labels{"", "Sport", "", "Politics and law"}));
  EXPECT_EQ(model.label(0), "");
  EXPECT_EQ(four_topics().label(3), "");
  EXPECT_EQ(model.edits[0].change, (std::vector<std::string>{"label", "1=Sport", "3=Politics and law"}));
  EXPECT_EQ(drop_topics(model, std::vector<std::int32_t>{0}).labels, (Labels{"Sport", "", "Politics and law"}));
  EXPECT_EQ(merge_topics(model, {{0, 2}}).labels, (Labels{"", "Sport", "Politics and law"}));
  EXPECT_EQ(merge_topics(model, {{0, 3}}).labels, (Labels{"Politics and law", "Sport", ""}));
  EXPECT_EQ(merge_topics(model, {{1, 3}}).labels, (Labels{"", "Sport", ""}));
  EXPECT_EQ(merge_topics(model, {{3, 1}}).labels, (Labels{"", "Politics and law", ""}));
  EXPECT_EQ(drop_topics(model, std::vector<std::int32_t>{1, 3}).labels, Labels());
  model = label_topics(model, {{1, ""}, {0, "Sport"}});
  EXPECT_EQ(model.labels, (Labels{"Sport", "", "", "Politics and law"}));
  EXPECT_EQ(model.edits.size(), 2u);
}

TEST(LabelTopics, AreWhatAFileAndALineCanHold) {
  const auto refusal = [](const std::string& label) -> std::string {
    try {
      label_topics(four_topics(), {{1, "Sport"}, {2, label}});
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  const std::string begin = "papilio::label_topics: the label of topic 2 ";
  EXPECT_EQ(refusal("a\tb"), begin + "has a control character, such as a tab or the end of a line");
  EXPECT_EQ(refusal("a\n"), begin + "has a control character, such as a tab or the end of a line");
  EXPECT_EQ(refusal("a\xc2\x85z"), begin + "has a control character, such as a tab or the end of a line");
  EXPECT_EQ(refusal("\xc3"), begin + "is not well-formed UTF-8");
  EXPECT_EQ(refusal(" a"), begin + "begins or ends with a blank");
  EXPECT_EQ(refusal("a "), begin + "begins or ends with a blank");
  EXPECT_EQ(refusal("17"), begin + "is a number, which would be taken for a topic's");
  EXPECT_EQ(refusal(std::string(201, 'x')), begin + "is 201 bytes long, expected at most 200");
  EXPECT_EQ(refusal("Sport"), "papilio::label_topics: topics 1 and 2 have the same label, Sport");
  EXPECT_EQ(refusal(std::string(200, 'x')), "");
  EXPECT_EQ(refusal("caf\xc3\xa9 \xc2\xa0 21st"), "");
}

TEST(EditedModelFile, IsReadAsItWasWritten) {
  const File file("file");
  Model model = merge_topics(label_topics(four_topics(), {{3, "Politics"}}), {{0, 2}});
  model.settings["sampler"] = "collapsed";
  save_model(model, file.path);
  const Model read = load_model(file.path);
  EXPECT_EQ(read.labels, model.labels);
  EXPECT_EQ(read.edits, model.edits);
  EXPECT_EQ(read.n_wk, model.n_wk);
  EXPECT_EQ(read.alpha, model.alpha);
  EXPECT_EQ(read.settings, model.settings);
  EXPECT_NE(contents(file.path).find(R"("format_version":"3")"), std::string::npos);
  EXPECT_EQ(model_hash(read), model_hash(model));
}

TEST(EditedModelFile, HoldsSeedWordsLabelsAndEdits) {
  const File file("all");
  const Model model = drop_topics(merge_topics(label_topics(seeded_topics(), {{3, "Politics"}}), {{1, 3}}),
                                  std::vector<std::int32_t>{0});
  save_model(model, file.path);
  const Model read = load_model(file.path);
  EXPECT_EQ(read.seed_words, (std::vector<SeedWord>{{0, 0, 60}, {0, 1, 100}, {1, 1, 200}}));
  EXPECT_EQ(read.s_k, (std::vector<std::int64_t>{160, 200}));
  EXPECT_EQ(read.labels, (Labels{"Politics", ""}));
  ASSERT_EQ(read.edits.size(), 3u);
  EXPECT_EQ(read.edits, model.edits);
  EXPECT_EQ(model_hash(read), model_hash(model));
}

// xxhsum -H2 prints the hash of a model's file.
TEST(EditedModelFile, HashIsThatOfTheFile) {
  const File file("hash");
  for (const Model& model : {four_topics(), label_topics(four_topics(), {{0, "a"}})}) {
    save_model(model, file.path);
    const std::string bytes = contents(file.path);
    EXPECT_EQ(model_hash(model), lda::xxh3_128(std::as_bytes(std::span(bytes))));
  }
}

// Models that nobody edited keep their version, which earlier versions of papilio read.
TEST(EditedModelFile, IsAnotherVersionOnlyWhereItMustBe) {
  const File file("version");
  save_model(four_topics(), file.path);
  const std::string bytes = contents(file.path);
  EXPECT_NE(bytes.find(R"("format_version":"2")"), std::string::npos);
  EXPECT_EQ(bytes.find("label"), std::string::npos);
  EXPECT_EQ(bytes.find("edits"), std::string::npos);
}

TEST(EditedModelFile, ThatIsNoneIsRefused) {
  const File file("refused");
  const auto refusal = [&](const char* version, const std::string& edits, const Labels& labels) -> std::string {
    const Model model = four_topics();
    lda::Metadata metadata = {{"format", "papilio-model"}, {"format_version", version}, {"beta", "0.5"}};
    if (!edits.empty()) metadata["edits"] = edits;
    const std::vector<std::int64_t> offsets = {0, 2, 4};
    const std::vector<std::uint8_t> words = {'w', '0', 'w', '1'};
    std::vector<std::int64_t> label_offsets = {0};
    std::vector<std::uint8_t> letters;
    for (const std::string& label : labels) {
      letters.insert(letters.end(), label.begin(), label.end());
      label_offsets.push_back(std::ssize(letters));
    }
    std::vector<lda::TensorView> tensors = {
        lda::tensor_view("alpha", {4}, model.alpha), lda::tensor_view("n_k", {4}, model.n_k),
        lda::tensor_view("vocabulary_offsets", {3}, offsets), lda::tensor_view("n_wk", {2, 4}, model.n_wk),
        lda::tensor_view("vocabulary", {4}, words)};
    if (!labels.empty()) {
      tensors.insert(tensors.begin(), lda::tensor_view("label_offsets", {std::ssize(label_offsets)}, label_offsets));
      tensors.push_back(lda::tensor_view("labels", {std::ssize(letters)}, letters));
    }
    lda::write_safetensors(file.path, metadata, tensors, "test");
    try {
      load_model(file.path);
    } catch (const FormatError& error) {
      const std::string message = error.what();
      return message.substr(message.find(file.path) + file.path.size() + 2);
    }
    return "";
  };
  const std::string hash(32, 'a');
  EXPECT_EQ(refusal("3", "", {}), "");
  EXPECT_EQ(refusal("3", hash + "\tmerge\t1,2\n", {"a", "", "b", ""}), "");
  EXPECT_EQ(refusal("2", hash + "\tmerge\t1,2\n", {}), "unknown entry \"edits\" in the metadata");
  EXPECT_NE(refusal("2", "", {"a", "", "b", ""}).find("the file holds 7 tensors, expected 5"), std::string::npos);
  EXPECT_EQ(refusal("3", hash + "\tmerge", {}), "the edits in the metadata are not whole lines");
  for (const std::string& edit : {std::string(), hash, hash.substr(1) + "\tmerge", hash + "\t", hash + "\ta\t",
                                  std::string(32, 'X') + "\tmerge", hash + "\tm\x01"}) {
    EXPECT_NE(refusal("3", edit + "\n", {}).find("expected a hash and words"), std::string::npos) << edit;
  }
  EXPECT_NE(refusal("3", "", {"a", "a", "", ""}).find("topics 0 and 1 have the same label"), std::string::npos);
  EXPECT_NE(refusal("3", "", {"a", "\x1b[2J", "", ""}).find("has a control character"), std::string::npos);
  EXPECT_NE(refusal("3", "", {"a"}).find("tensor \"label_offsets\""), std::string::npos);
  EXPECT_NE(refusal("5", "", {}).find("expected a papilio-model of version 1, 2, 3 or 4"), std::string::npos);
}

TEST(EditedModel, IsUsedAsAnyOther) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const Model trained = train(corpus, {.topics = 5, .sweeps = 10, .seed = 3}).model;
  const Model model = drop_topics(merge_topics(trained, {{1, 3}}), std::vector<std::int32_t>{0});
  const DocumentTopics theta = infer(model, corpus, {.sweeps = 20, .burn_in = 5});
  EXPECT_EQ(theta.topics, 3);
  for (std::int64_t d = 0; d < theta.documents; ++d) {
    EXPECT_NEAR(theta.row(d)[0] + theta.row(d)[1] + theta.row(d)[2], 1, 1e-5);
  }
  const Model labelled = label_topics(model, {{1, "</script>Sport"}});
  const std::string page = report_page(labelled);
  EXPECT_NE(page.find(R"("label":"\u003c/script\u003eSport")"), std::string::npos);
  EXPECT_NE(page.find("\"edit 3\""), std::string::npos);
  EXPECT_EQ(report_page(model).find("\"label\":"), std::string::npos);
  EXPECT_NE(
      prepare_ldavis(labelled, {.sort_topics = false}).to_json().find(R"("topic.labels": ["", "</script>Sport", ""])"),
      std::string::npos);
  EXPECT_EQ(prepare_ldavis(model).to_json().find("topic.labels"), std::string::npos);
}

TEST(TypicalDocuments, HaveTheLargestShares) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const Model model = train(corpus, {.topics = 4, .sweeps = 10, .seed = 3}).model;
  const ReportOptions options = {.documents = 3, .excerpt = 9, .seed = 7, .threads = 2};
  std::vector<std::int64_t> asked;
  const ReportDocuments documents = {.corpus = corpus, .texts = [&](std::span<const std::int64_t> numbers) {
                                       asked.assign(numbers.begin(), numbers.end());
                                       std::vector<std::string> texts;
                                       for (const std::int64_t d : numbers)
                                         texts.push_back("no " + std::to_string(d) + "\n!");
                                       return texts;
                                     }};
  const auto typical = typical_documents(model, documents, options);
  const DocumentTopics theta = infer(model, corpus, {.sweeps = 30, .burn_in = 10, .seed = 7});
  ASSERT_EQ(typical.size(), 4u);
  std::vector<std::int64_t> shown;
  for (std::int32_t k = 0; k < 4; ++k) {
    std::vector<std::pair<float, std::int64_t>> order;
    for (std::int64_t d = 0; d < corpus.documents(); ++d) {
      const bool has_words = corpus.document_offsets[static_cast<std::size_t>(d)] <
                             corpus.document_offsets[static_cast<std::size_t>(d) + 1];
      if (has_words) order.emplace_back(-theta.row(d)[k], d);
    }
    std::sort(order.begin(), order.end());
    ASSERT_EQ(typical[static_cast<std::size_t>(k)].size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const TypicalDocument& found = typical[static_cast<std::size_t>(k)][i];
      EXPECT_EQ(found.document, order[i].second);
      EXPECT_EQ(found.share, -order[i].first);
      EXPECT_EQ(found.text, "no " + std::to_string(found.document) + " !");
      shown.push_back(found.document);
    }
  }
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  EXPECT_EQ(asked, shown);
  EXPECT_NE(typical_documents(model, {.corpus = corpus}, options)[0][0].text, "");
  EXPECT_TRUE(typical_documents(model, {.corpus = corpus}, {.documents = 0})[3].empty());
}

}  // namespace
}  // namespace papilio
