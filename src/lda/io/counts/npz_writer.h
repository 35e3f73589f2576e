#pragma once

#include <string>

#include "papilio/corpus.h"

namespace papilio::lda {

// Writes a corpus as scipy.sparse.save_npz writes its counts, one row per document; see Format::write.
void write_npz(const CorpusView& corpus, const std::string& path, const std::string& vocabulary);

}  // namespace papilio::lda
