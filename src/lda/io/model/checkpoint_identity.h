#pragma once

#include <string>

#include "lda/io/model/safetensors.h"
#include "papilio/corpus.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"

// What decides how a chain goes on. A checkpoint contains it as text, and fits only if all of it agrees.

namespace papilio::lda {

// `of_corpus`: null for the identity in the options; if they have none, the corpus is read for it. Throws
// InvalidArgument if its sizes are not those of the corpus.
Metadata checkpoint_identity(const CorpusView& corpus, const TrainOptions& options, const CorpusIdentity* of_corpus,
                             const char* caller);

// A single text for all of it.
std::string hash_of_identity(const Metadata& identity);

// Throws OtherFormat or InvalidArgument, naming the first difference.
void require_identity(const SafetensorsFile& file, const Metadata& expected, const std::string& path);

// Throws InvalidArgument for priors that no chain can reach.
void require_checkpoint_priors(const ChainState& chain, const TrainOptions& options);

// The documents whose tokens' topics this process has.
RankDocuments own_documents(const CorpusView& corpus, const TrainOptions& options);

// Throws InvalidArgument unless the chain has the topics of this process's tokens.
void require_own_topics(const CorpusView& corpus, const TrainOptions& options, const ChainState& chain,
                        const char* caller);

}  // namespace papilio::lda
