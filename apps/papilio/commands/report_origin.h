#pragma once

#include <string>

#include "papilio/corpus.h"
#include "papilio/model.h"
#include "papilio/report.h"
#include "support/corpus_arguments.h"

// How the model was made: the command that makes it again from the corpus, if its settings suffice and the corpus as
// read (null: none) is the one it was trained on; the hashes of the files; and the likelihoods of a training log (what
// train --progress json prints; empty: none).
papilio::ReportOrigin report_origin(const std::string& path, const papilio::Model& model, const CorpusArguments& corpus,
                                    const papilio::CorpusView* read, const std::string& training_log);
