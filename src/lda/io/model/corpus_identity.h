#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lda/io/model/safetensors.h"
#include "papilio/corpus.h"
#include "papilio/lda.h"

namespace papilio::lda {

// The hash as an identity has it.
std::string hash_of_vocabulary(std::span<const std::string> vocabulary);

// The identity that is given, or that of the options; if there is neither, the corpus is read for it. Throws
// InvalidArgument if its sizes are not those of the corpus.
CorpusIdentity known_identity(const CorpusView& corpus, const TrainOptions& options, const CorpusIdentity* given,
                              const char* caller);

// Throws InvalidArgument if its sizes are not those of the corpus.
void require_sizes(const CorpusIdentity& identity, const CorpusView& corpus, const char* caller);

void add_corpus_identity(Metadata& metadata, const CorpusIdentity& identity);
void add_corpus_identity(Metadata& metadata, const CorpusView& corpus);

// Throws InvalidArgument unless both have the same corpus identity. `what` begins the message and ends in a verb: "x:
// the checkpoint belongs to". An entry that `found` lacks is a difference.
void require_same_corpus(const Metadata& found, const Metadata& expected, std::string_view what);

}  // namespace papilio::lda
