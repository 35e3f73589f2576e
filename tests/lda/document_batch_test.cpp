// Documents as a device reads them: nothing is lost, doubled or put elsewhere.

#include "lda/evaluation/document_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "lda/corpora.h"
#include "lda/evaluation/listed_phi.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

struct Known {
  Corpus corpus = testing::small_generated_corpus().corpus;
  Model model = train(corpus, {.topics = 9, .sweeps = 2, .evaluate_every = 0}).model;
  WordMap map = map_words(model, corpus);
};

TEST(DocumentBatch, CutsCorporaByTheirWords) {
  const Known known;
  for (const std::int64_t most : {60, 200, 400, 1000}) {
    std::int64_t next = 0;
    for (const CorpusCut& cut : parts_of_words(known.corpus, known.map, most)) {
      EXPECT_EQ(cut.first, next);
      EXPECT_GT(cut.end, cut.first);
      next = cut.end;
      EXPECT_LE(std::ssize(cut.words), most);
      std::vector<std::int32_t> words;
      for (std::int64_t d = cut.first; d < cut.end; ++d) {
        const std::vector<std::int32_t> more = known_document(known.corpus, known.map, d).words;
        words.insert(words.end(), more.begin(), more.end());
      }
      std::ranges::sort(words);
      words.erase(std::unique(words.begin(), words.end()), words.end());
      EXPECT_EQ(cut.words, words);
    }
    EXPECT_EQ(next, known.corpus.documents());
  }
  EXPECT_EQ(parts_of_words(known.corpus, known.map, 1000).size(), 1u);
}

TEST(DocumentBatch, RefusesADocumentWithoutRoom) {
  const Known known;
  const std::vector<CorpusCut> cuts = parts_of_words(known.corpus, known.map, 3);
  const auto large = std::ranges::find_if(cuts, [](const CorpusCut& cut) { return std::ssize(cut.words) > 3; });
  ASSERT_NE(large, cuts.end());
  EXPECT_EQ(large->end, large->first + 1);
  EXPECT_THROW(require_room(*large, 3, 8192, "infer"), DeviceError);
  EXPECT_NO_THROW(require_room(*large, std::ssize(large->words), 8192, "infer"));
}

TEST(DocumentBatch, HasTheTokensAndWordsOfItsDocuments) {
  const Known known;
  for (const CorpusCut& cut : parts_of_words(known.corpus, known.map, 200)) {
    const std::int64_t first = cut.first + (cut.end - cut.first > 2 ? 1 : 0);
    for (const BatchOf of : {BatchOf::tokens, BatchOf::words}) {
      const DocumentBatch batch = document_batch(known.corpus, known.map, cut, first, cut.end, of, {.threads = 2});
      ASSERT_EQ(batch.documents(), cut.end - first);
      EXPECT_TRUE(std::ranges::is_sorted(batch.sizes, std::greater()));
      std::vector<std::int32_t> order = batch.order;
      std::ranges::sort(order);
      std::vector<std::int32_t> all(static_cast<std::size_t>(batch.documents()));
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(order, all);
      for (std::size_t d = 0; d < all.size(); ++d) {
        const KnownDocument document = known_document(known.corpus, known.map, first + static_cast<std::int64_t>(d));
        EXPECT_EQ(batch.keys[d], document.key);
        EXPECT_EQ(batch.lengths[d], document.size());
        std::vector<std::int32_t> words;
        for (auto i = batch.offsets[d]; i < batch.offsets[d + 1]; ++i) {
          words.push_back(cut.words[static_cast<std::size_t>(batch.rows[static_cast<std::size_t>(i)])]);
        }
        if (of == BatchOf::words) {
          EXPECT_EQ(words, document.words);
          EXPECT_TRUE(
              std::equal(document.counts.begin(), document.counts.end(), batch.counts.begin() + batch.offsets[d]));
          continue;
        }
        ASSERT_EQ(std::ssize(words), document.size());
        for (std::size_t i = 0; i < words.size(); ++i) {
          EXPECT_EQ(words[i], document.words[static_cast<std::size_t>(document.tokens[i])]);
        }
      }
    }
  }
}

// With the CPU's theta and probabilities, the scores of a batch are those of complete_documents.
TEST(DocumentBatch, ScoresAsCompleteDocumentsDoes) {
  const Known known;
  for (const bool shuffle : {true, false}) {
    const CompletionOptions options = {.em_steps = 5, .seed = 3, .shuffle = shuffle, .threads = 2};
    double sum = 0;
    for (const CorpusCut& cut : parts_of_words(known.corpus, known.map, 150)) {
      const DocumentBatch batch =
          document_batch(known.corpus, known.map, cut, cut.first, cut.end, BatchOf::halves, options);
      std::vector<double> probabilities(batch.scored_rows.size()), scores(batch.lengths.size());
      ListedPhi phi(known.model);
      std::vector<double> theta;
      for (std::size_t d = 0; d < scores.size(); ++d) {
        KnownDocument document;  // the words that are seen, then those that are scored
        std::vector<std::int32_t> counts;
        for (auto i = static_cast<std::size_t>(batch.offsets[d]); i < static_cast<std::size_t>(batch.offsets[d + 1]);
             ++i) {
          document.words.push_back(cut.words[static_cast<std::size_t>(batch.rows[i])]);
          counts.push_back(batch.counts[i]);
        }
        const auto scored = static_cast<std::size_t>(batch.scored_offsets[d]);
        const auto scored_end = static_cast<std::size_t>(batch.scored_offsets[d + 1]);
        for (std::size_t i = scored; i < scored_end; ++i) {
          document.words.push_back(cut.words[static_cast<std::size_t>(batch.scored_rows[i])]);
          counts.push_back(0);
        }
        if (document.words.empty()) continue;
        phi.set_words(document);
        phi.fold_in(counts, options.em_steps, theta);
        const std::int64_t seen = batch.offsets[d + 1] - batch.offsets[d];
        for (std::size_t i = scored; i < scored_end; ++i) {
          probabilities[i] = phi.probability(static_cast<std::int32_t>(seen + static_cast<std::int64_t>(i - scored)));
        }
      }
      add_scores(batch, probabilities, 2, scores);
      for (const double score : scores) sum += score;
    }
    EXPECT_EQ(sum, complete_documents(known.model, known.corpus, options).log_likelihood);
  }
}

TEST(DocumentBatch, EndsWithItsPart) {
  const Corpus corpus = testing::make_corpus({{0}, {0, 1, 2}, {}, {1, 1}, {2}}, 3);
  const CorpusCut cut = {.first = 0, .end = 4};
  EXPECT_EQ(end_of_batch(corpus, cut, 0, 100, 100), 4);
  EXPECT_EQ(end_of_batch(corpus, cut, 0, 2, 100), 2);
  EXPECT_EQ(end_of_batch(corpus, cut, 0, 100, 4), 3);
  EXPECT_EQ(end_of_batch(corpus, cut, 1, 100, 1), 2);  // one document at least
}

}  // namespace
}  // namespace papilio::lda
