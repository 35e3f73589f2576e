#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/lda.h"

namespace papilio {

// The content of a MALLET state file: a chain and its corpus.
struct MalletState {
  Corpus corpus;      // document_names: the sources, if any differs from "NA"
  ChainState topics;  // with alpha and beta
  std::int32_t topic_count = 0;
};

// Writes a chain as MALLET's --output-state does: gzip of lines
//
//   #doc source pos typeindex type topic
//   #alpha : 0.1 0.1 ...
//   #beta : 0.01
//   0 NA 0 17 word 3
//
// with one line per token. `z` has N topics in [0, K), `alpha` has K entries. Numbers are written so that they read
// back the same. Documents without tokens have no line, so their names are not kept. Throws IoError, and
// InvalidArgument for topics that do not fit the corpus, and for words or names that would not read back: words that
// are empty, not UTF-8, or contain blanks or line ends; names that contain line ends, begin or end with a blank, or are
// "NA".
void write_mallet_state(const CorpusView& corpus, std::span<const std::int32_t> z, std::span<const double> alpha,
                        double beta, const std::string& path);

// Throws InvalidArgument naming the first word or name that write_mallet_state would refuse. Call it before training,
// whose result could otherwise not be written.
void require_mallet_names(const CorpusView& corpus);

// Reads what MALLET or `write_mallet_state` wrote; plain, gzip, zstd, or "-" (standard input). Documents are numbered
// from 0 to the last one that the file names; those without tokens become empty documents. Words keep the numbers of
// the file, without those that never occur. Memory: the corpus and its topics, at most max_memory bytes (0: half of the
// machine's memory). Throws IoError, and FormatError with path, line, what was expected and what was found.
MalletState read_mallet_state(const std::string& path, std::int64_t max_memory = 0);

// Returns the topics of a state for a corpus that has the same words in each document, in any order and with any
// numbering: the occurrences of a word in a document take the topics of the state in order. The sweep is 0. Throws
// InvalidArgument naming the first document that differs, and for a state or a corpus that does not verify.
ChainState match_topics(const MalletState& state, const CorpusView& corpus);

}  // namespace papilio
