#include "papilio/corpus.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <span>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "lda/corpus/verify_corpus.h"

namespace papilio {
namespace {

constexpr std::int64_t tokens_per_task = std::int64_t{1} << 18;

bool are_below(std::span<const std::int32_t> words, std::int64_t vocabulary_size) {
  std::uint32_t largest = 0;  // as unsigned numbers, negative words are larger than any vocabulary
  for (const std::int32_t word : words) largest = std::max(largest, static_cast<std::uint32_t>(word));
  return words.empty() || static_cast<std::int64_t>(largest) < vocabulary_size;
}

}  // namespace

namespace lda {

void verify_documents(const CorpusView& corpus) {
  execution::require_span("Corpus::verify", "document_offsets", corpus.document_offsets);
  execution::require_span("Corpus::verify", "words", corpus.words);
  execution::require_span("Corpus::verify", "vocabulary", corpus.vocabulary);
  execution::require_span("Corpus::verify", "document_names", corpus.document_names);
  const auto& offsets = corpus.document_offsets;
  base::require(!offsets.empty() && offsets[0] == 0, "papilio::Corpus::verify: document_offsets must begin with 0; {}",
                offsets.empty() ? "it is empty" : "it begins with " + std::to_string(offsets[0]));
  for (std::size_t d = 1; d < offsets.size(); ++d) {
    base::require(offsets[d] >= offsets[d - 1],
                  "papilio::Corpus::verify: document_offsets[{}] is {}, less than {} before it", d, offsets[d],
                  offsets[d - 1]);
    base::require(offsets[d] - offsets[d - 1] <= most_document_tokens,
                  "papilio::Corpus::verify: document {} has {} tokens, expected at most 2^31 - 1; split it", d - 1,
                  offsets[d] - offsets[d - 1]);
  }
  base::require(offsets.back() == corpus.tokens(),
                "papilio::Corpus::verify: document_offsets ends with {}, but there are {} words", offsets.back(),
                corpus.tokens());
  base::require(corpus.document_names.empty() || std::ssize(corpus.document_names) == corpus.documents(),
                "papilio::Corpus::verify: there are {} document names, expected none or one per document, {}",
                corpus.document_names.size(), corpus.documents());
}

void verify_words(const CorpusView& corpus, std::int64_t begin, std::int64_t end, int threads) {
  const auto words = corpus.words.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  const std::int64_t vocabulary_size = corpus.vocabulary_size();
  std::atomic<bool> is_sound = true;
  execution::parallel_for(std::ssize(words), tokens_per_task, threads, [&](std::int64_t first, std::int64_t last) {
    const auto part = words.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    if (!are_below(part, vocabulary_size)) is_sound = false;
  });
  for (std::size_t i = 0; i < words.size() && !is_sound; ++i) {
    base::require(words[i] >= 0 && words[i] < vocabulary_size,
                  "papilio::Corpus::verify: words[{}] is {}, expected 0 <= word < {}",
                  begin + static_cast<std::int64_t>(i), words[i], vocabulary_size);
  }
}

}  // namespace lda

bool CorpusView::is_bag_of_words() const {
  lda::verify_documents(*this);
  for (std::size_t d = 1; d < document_offsets.size(); ++d) {
    if (!std::is_sorted(words.begin() + document_offsets[d - 1], words.begin() + document_offsets[d])) return false;
  }
  return true;
}

void CorpusView::verify(int threads) const {
  lda::verify_documents(*this);
  lda::verify_words(*this, 0, tokens(), threads);
}

}  // namespace papilio
