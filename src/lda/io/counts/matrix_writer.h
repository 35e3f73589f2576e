#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/function_ref.h"
#include "lda/io/bytes/atomic_file.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The common part of the writers of matrices of counts.

struct WordCount {
  std::int32_t word;  // from 0
  std::int64_t count;
};

// Calls use(words) for each document with its distinct words, sorted, and their counts.
void for_each_document(const CorpusView& corpus, base::FunctionRef<void(std::span<const WordCount>)> use);

// The number of pairs (document, word) with a count above 0.
std::int64_t count_entries(const CorpusView& corpus);

// Writes lines "document word count", numbers from 1.
void write_entries(const CorpusView& corpus, AtomicFile& file);

// Writes `path` by `write_body` and the words, one per line, to `vocabulary` unless
// that is empty; each file appears completely or not at all. Throws IoError, and
// InvalidArgument for an invalid corpus, for words that would not read back (empty,
// repeated, not UTF-8, with the end of a line), and if "-" is given twice.
void write_matrix(const CorpusView& corpus, const std::string& path, const std::string& vocabulary,
                  base::FunctionRef<void(AtomicFile&)> write_body, const char* caller);

}  // namespace papilio::lda
