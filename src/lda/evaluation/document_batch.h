#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/evaluation/known_document.h"
#include "papilio/corpus.h"
#include "papilio/evaluation.h"

// The documents of a corpus as a device reads them: in order, in parts that fit there.

namespace papilio::lda {

// Consecutive documents, and the words that a model knows of them. Each word has a row of a table.
struct CorpusCut {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::vector<std::int32_t> words = {};  // ascending, in the model's numbers
};

// Cuts a corpus into parts of at most `most_words` words. A document with more words is a part of its own.
std::vector<CorpusCut> parts_of_words(const CorpusView& corpus, const WordMap& map, std::int64_t most_words);

// Throws DeviceError if `part` has more than `most_words` words. The error says how many bytes its words need.
void require_room(const CorpusCut& part, std::int64_t most_words, std::int64_t bytes_per_word, const char* caller);

// Documents d = first ... end - 1. Document d has number d - first here.
struct DocumentBatch {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::vector<std::int64_t> lengths;               // number of known tokens of each document
  std::vector<std::int64_t> offsets;               // of the documents in rows; D + 1
  std::vector<std::int32_t> rows;                  // rows of the table of the part's words
  std::vector<std::int32_t> counts;                // of each row; empty if rows are tokens
  std::vector<std::uint64_t> keys;                 // of each document
  std::vector<std::int32_t> order;                 // documents to be inferred, by descending number of rows
  std::vector<std::int32_t> sizes;                 // the numbers of their rows
  std::vector<std::int64_t> scored_offsets;        // of the documents in scored_rows
  std::vector<std::int32_t> scored_rows;           // the words of tokens 1, 3, 5, ...
  std::vector<std::int64_t> scored_token_offsets;  // of the documents in scored_places
  std::vector<std::int32_t> scored_places;         // tokens 1, 3, 5, ... as places among scored_rows

  std::int64_t documents() const { return end - first; }
};

// What a batch holds of its documents.
enum class BatchOf : std::uint8_t {
  tokens,  // rows are tokens, in ascending order of words
  words,   // rows are distinct words, with their counts
  halves,  // rows are the distinct words of tokens 0, 2, 4, ... in the order of CompletionOptions; the other tokens
           // are scored; only documents with two tokens or more
};

// The batch of documents [first, end) of a part.
DocumentBatch document_batch(const CorpusView& corpus, const WordMap& map, const CorpusCut& part, std::int64_t first,
                             std::int64_t end, BatchOf of, const CompletionOptions& options);

// The end of the batch that begins with document `first` and has at most `most_documents` documents and `most_tokens`
// tokens, but at least one document.
std::int64_t end_of_batch(const CorpusView& corpus, const CorpusCut& part, std::int64_t first,
                          std::int64_t most_documents, std::int64_t most_tokens);

// Adds up, in order, ln of the probability of each document's tokens 1, 3, 5, ..., given the probability of each entry
// of scored_rows. `scores` has an entry per document of the batch.
void add_scores(const DocumentBatch& batch, std::span<const double> probabilities, int threads,
                std::span<double> scores);

}  // namespace papilio::lda
