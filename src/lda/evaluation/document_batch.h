#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/evaluation/known_document.h"
#include "papilio/corpus.h"
#include "papilio/evaluation.h"

// The documents of a corpus as a device reads them: one after the other, in parts that have room there.

namespace papilio::lda {

// Documents that follow one another, and the words that a model knows of them: a row of a table each.
struct CorpusCut {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::vector<std::int32_t> words = {};  // ascending, in the model's numbers
};

// Cuts a corpus into parts of at most `most_words` words. A document of more is a part of its own.
std::vector<CorpusCut> parts_of_words(const CorpusView& corpus, const WordMap& map, std::int64_t most_words);

// Where `part` has more words than `most_words`, throws DeviceError, which says how many bytes its words need.
void require_room(const CorpusCut& part, std::int64_t most_words, std::int64_t bytes_per_word, const char* caller);

// Documents d = first ... end - 1, number d - first here.
struct DocumentBatch {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::vector<std::int64_t> lengths;               // known tokens of each document
  std::vector<std::int64_t> offsets;               // of rows; one more than documents
  std::vector<std::int32_t> rows;                  // in the table of the part's words
  std::vector<std::int32_t> counts;                // of each row; none where rows are tokens
  std::vector<std::uint64_t> keys;                 // of each document
  std::vector<std::int32_t> order;                 // documents to be inferred, those with more rows first
  std::vector<std::int32_t> sizes;                 // their rows
  std::vector<std::int64_t> scored_offsets;        // of scored_rows
  std::vector<std::int32_t> scored_rows;           // words of tokens 1, 3, 5, ...
  std::vector<std::int64_t> scored_token_offsets;  // of scored_places
  std::vector<std::int32_t> scored_places;         // tokens 1, 3, 5, ... as places among scored_rows

  std::int64_t documents() const { return end - first; }
};

// What a batch holds of its documents.
enum class BatchOf : std::uint8_t {
  tokens,  // rows are tokens, in ascending order of words
  words,   // rows are distinct words, and their counts
  halves,  // rows are the distinct words of tokens 0, 2, 4, ... in the order of CompletionOptions, the others are
           // scored; only documents of two tokens or more
};

// The batch of documents [first, end) of a part.
DocumentBatch document_batch(const CorpusView& corpus, const WordMap& map, const CorpusCut& part, std::int64_t first,
                             std::int64_t end, BatchOf of, const CompletionOptions& options);

// The end of a batch of at most `most_documents` documents and `most_tokens` tokens that begins with `first`; it has
// one document at least.
std::int64_t end_of_batch(const CorpusView& corpus, const CorpusCut& part, std::int64_t first,
                          std::int64_t most_documents, std::int64_t most_tokens);

// ln of the probability of each document's tokens 1, 3, 5, ..., added up in their order, given that of each entry of
// scored_rows. `scores` has an entry per document of the batch.
void add_scores(const DocumentBatch& batch, std::span<const double> probabilities, int threads,
                std::span<double> scores);

}  // namespace papilio::lda
