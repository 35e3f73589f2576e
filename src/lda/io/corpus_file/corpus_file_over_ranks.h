#pragma once

#include <string>

#include "papilio/communicator.h"
#include "papilio/corpus_formats.h"

namespace papilio::lda {

// Each rank reads its documents (Format::read_parts), verified by verify_over_ranks. Rank 0 returns the names of all.
Corpus read_parts_of_corpus_file(const std::string& path, const CorpusOptions& options, ReadReport& report,
                                 Communicator& ranks);

}  // namespace papilio::lda
