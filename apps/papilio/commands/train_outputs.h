#pragma once

#include <string>
#include <vector>

#include "commands.h"
#include "papilio/corpus.h"
#include "papilio/lda.h"

// What `papilio train` writes beside the model.

// The paths that are to be written, for checks before the work.
std::vector<std::string> paths_of(const TrainOutputs& outputs);

// Writes each that is asked for; throws CommandError for what cannot be written.
void write_outputs(const TrainOutputs& outputs, const papilio::CorpusView& corpus, const papilio::TrainResult& result,
                   int top_words);
