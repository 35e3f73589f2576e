#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lda/io/files.h"
#include "papilio/corpus_formats.h"

namespace papilio::lda {
namespace {

// Words in order of first occurrence, letters only: what read_lines_of_text makes of text.
Corpus random_corpus() {
  const auto documents = *rc::gen::container<std::vector<std::vector<int>>>(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 300)));
  Corpus corpus;
  std::vector<std::int32_t> numbers(300, -1);
  for (const auto& words : documents) {
    for (const int word : words) {
      std::int32_t& number = numbers[static_cast<std::size_t>(word)];
      if (number < 0) {
        number = static_cast<std::int32_t>(corpus.vocabulary.size());
        corpus.vocabulary.push_back(
            {static_cast<char>('a' + word % 26), '\xc3', static_cast<char>(0xa0 + word / 26), 'z'});
      }
      corpus.words.push_back(number);
    }
    corpus.document_offsets.push_back(corpus.tokens());
  }
  return corpus;
}

RC_GTEST_PROP(RoundTrip, TextComesBackAsItWas, ()) {
  const Folder folder;
  const Corpus corpus = random_corpus();
  write_lines_of_text(corpus, folder.path("text"));
  RC_ASSERT(read_lines_of_text(folder.path("text")) == corpus);
}

RC_GTEST_PROP(RoundTrip, BagsOfWordsComeBackSorted, ()) {
  const Folder folder;
  Corpus corpus = random_corpus();
  corpus.vocabulary.push_back("unused");
  const CorpusFormat format = *rc::gen::element(CorpusFormat::uci, CorpusFormat::ldac, CorpusFormat::svmlight,
                                                CorpusFormat::matrix_market, CorpusFormat::npz);
  write_corpus(corpus, folder.path("corpus"), format, folder.path("corpus.vocab"));
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
    std::sort(corpus.words.begin() + corpus.document_offsets[d], corpus.words.begin() + corpus.document_offsets[d + 1]);
  }
  RC_ASSERT(read_corpus(folder.path("corpus"), {.format = format, .text = {.min_df = 0}}) == corpus);
}

}  // namespace
}  // namespace papilio::lda
