#pragma once

#include <string>
#include <string_view>

#include "papilio/communicator.h"
#include "papilio/lda.h"

namespace papilio::lda {

// Throws InvalidArgument on every rank where the ranks' corpora or options are not the same, naming the first rank
// that differs from rank 0 and in what. Collective.
void require_agreement(const CorpusView& corpus, const TrainOptions& options);

// The same of lines "key value" of what must be the same for a function. Collective.
void require_same_lines(const std::string& lines, Communicator& ranks, std::string_view function);

}  // namespace papilio::lda
