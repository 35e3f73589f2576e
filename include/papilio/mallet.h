#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/lda.h"

namespace papilio {

// A chain and its corpus, as a state file of MALLET holds them.
struct MalletState {
  Corpus corpus;      // document_names: the sources, where any is other than "NA"
  ChainState topics;  // with alpha and beta
  std::int32_t topic_count = 0;
};

// Writes a chain as MALLET's --output-state does: gzip of the lines
//
//   #doc source pos typeindex type topic
//   #alpha : 0.1 0.1 ...
//   #beta : 0.01
//   0 NA 0 17 word 3
//
// with one line a token. `alpha` has K entries. Numbers are written so that they
// come back the same. Throws IoError, and InvalidArgument for topics that do not fit the
// corpus, and for words or names that would not come back: empty, or with blanks or line ends.
void write_mallet_state(const CorpusView& corpus, const std::vector<std::int32_t>& z, const std::vector<double>& alpha,
                        double beta, const std::string& path);

// Reads what MALLET or `write_mallet_state` wrote; plain, gzip, zstd, or "-". Documents are
// numbered from 0 without a gap behind the last one named: those that have no token
// become empty rows. Types are numbered as in the file, without those that never occur.
// Memory: the corpus and its topics, within max_memory bytes (0: half of the machine's).
// Throws IoError, and FormatError with path, line, what was expected and what was found.
MalletState read_mallet_state(const std::string& path, std::int64_t max_memory = 0);

// The topics of a state for a corpus of the same documents with the same words, in whatever
// order within a document and however numbered: the occurrences of a word in a document take
// the state's topics in order. The sweep is 0. Throws InvalidArgument naming the first
// document that differs.
ChainState match_topics(const MalletState& state, const CorpusView& corpus);

}  // namespace papilio
