#pragma once

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lda/corpora.h"
#include "lda/models.h"
#include "papilio/lda.h"

// Corpora and models that are sound, and those that everything refuses.

namespace papilio::testing {

using Topics = std::vector<std::int32_t>;
using Doubles = std::vector<double>;
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline const std::string no_such_folder = "/nonexistent/folder/file";

inline Corpus sound_corpus() { return make_corpus({{0, 1, 1}, {2, 0}}, 3); }
inline Model sound_model() { return make_model({{2, 0}, {1, 1}, {0, 1}}, {0.5, 0.5}, 0.1); }

// What is wrong with a corpus, and the corpus.
struct BadCorpus {
  std::string says;
  CorpusView view;
};

class LdaContract : public ::testing::Test {
 protected:
  LdaContract() { Corpus taken = std::move(moved_from_); }

  std::vector<BadCorpus> bad_corpora() {
    const CorpusView good = corpus_;
    std::vector<BadCorpus> bad(10, {"", good});
    bad[0] = {"document_offsets must begin with 0; it is empty", {}};
    bad[1] = {"document_offsets must begin with 0; it is empty", moved_from_};
    bad[2].says = "words[1] is 3, expected 0 <= word < 3";
    bad[2].view.words = word_beyond_;
    bad[3].says = "words[4] is -1, expected 0 <= word < 3";
    bad[3].view.words = word_before_;
    bad[4].says = "document_offsets[2] is 3, less than 4 before it";
    bad[4].view.document_offsets = falling_;
    bad[5].says = "document_offsets ends with 6, but there are 5 words";
    bad[5].view.document_offsets = long_;
    bad[6].says = "words is null, but 5 entries were given";
    bad[6].view.words = {static_cast<const std::int32_t*>(nullptr), 5};
    bad[7].says = "words is at address";
    bad[7].view.words = {misaligned(corpus_.words.data()), 4};
    bad[8].says = "document_offsets is null";
    bad[8].view.document_offsets = {static_cast<const std::int64_t*>(nullptr), 3};
    bad[9].says = "1 document names, expected none or one per document, 2";
    bad[9].view.document_names = one_name_;
    return bad;
  }

  void refuses_bad_corpora(const std::function<void(const CorpusView&)>& call) {
    for (const BadCorpus& bad : bad_corpora()) EXPECT_TRUE(refused(bad.says, [&] { call(bad.view); })) << bad.says;
  }

  static void refuses_bad_models(const std::function<void(const Model&)>& call) {
    Model moved_from = sound_model();
    const Model taken = std::move(moved_from);
    Model no_topics = sound_model(), short_counts = sound_model(), short_sums = sound_model(), negative = sound_model(),
          no_prior = sound_model(), wrong_sum = sound_model(), no_beta = sound_model();
    no_topics.topics = 0;
    short_counts.n_wk.pop_back();
    short_sums.n_k.pop_back();
    negative.n_wk[1] = -1;
    no_prior.alpha[1] = nan;
    wrong_sum.n_k[0] = huge;
    no_beta.beta = 0;
    EXPECT_TRUE(refused("the vocabulary is empty", [&] { call(moved_from); }));
    EXPECT_TRUE(refused("0 topics, expected at least 1", [&] { call(no_topics); }));
    EXPECT_TRUE(refused("n_wk has 5 entries, expected 3 words x 2 topics", [&] { call(short_counts); }));
    EXPECT_TRUE(refused("n_k has 1 entries", [&] { call(short_sums); }));
    EXPECT_TRUE(refused("n_wk of word 0, topic 1 is -1", [&] { call(negative); }));
    EXPECT_TRUE(refused("alpha of topic 1 is nan", [&] { call(no_prior); }));
    EXPECT_TRUE(refused("n_k of topic 0 is 9223372036854775807, but its column", [&] { call(wrong_sum); }));
    EXPECT_TRUE(refused("beta is 0, expected a number > 0", [&] { call(no_beta); }));
    EXPECT_TRUE(refused("0 topics", [&] { call({}); }));
  }

  const Corpus corpus_ = sound_corpus();
  const Model model_ = sound_model();
  const Topics z_ = {0, 1, 0, 1, 1};
  Corpus moved_from_ = sound_corpus();
  const Topics word_beyond_ = {0, 3, 1, 2, 0}, word_before_ = {0, 1, 1, 2, -1};
  const std::vector<std::int64_t> falling_ = {0, 4, 3}, long_ = {0, 3, 6};
  const std::vector<std::string> one_name_ = {"x"};
};

}  // namespace papilio::testing
