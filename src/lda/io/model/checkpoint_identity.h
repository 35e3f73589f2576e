#pragma once

#include <string>

#include "lda/io/model/safetensors.h"
#include "papilio/corpus.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"

// What decides how a chain goes on. A checkpoint holds it in words, and fits only where all of them agree.

namespace papilio::lda {

// `of_corpus`: null for that of the options, or the corpus is read for it. Throws InvalidArgument where its sizes are
// not the corpus's.
Metadata checkpoint_identity(const CorpusView& corpus, const TrainOptions& options, const CorpusIdentity* of_corpus,
                             const char* caller);

// One text for all of it.
std::string hash_of_identity(const Metadata& identity);

// Throws OtherFormat and InvalidArgument, which name the first difference.
void require_identity(const SafetensorsFile& file, const Metadata& expected, const std::string& path);

// Throws InvalidArgument for priors that no chain can have reached.
void require_checkpoint_priors(const ChainState& chain, const TrainOptions& options);

// Which tokens' topics this process has.
RankDocuments own_documents(const CorpusView& corpus, const TrainOptions& options);

// Throws InvalidArgument unless the topics of a chain are its tokens'.
void require_own_topics(const CorpusView& corpus, const TrainOptions& options, const ChainState& chain,
                        const char* caller);

}  // namespace papilio::lda
