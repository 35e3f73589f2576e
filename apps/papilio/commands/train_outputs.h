#pragma once

#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/lda.h"
#include "support/document_topics_file.h"

// What `papilio train` writes besides the model and the topic keys. An empty path: nothing.
struct TrainOutputs {
  DocumentTopicsOutput document_topics;
  std::string topic_words;
  std::string state;
  std::string diagnostics;
};

// The paths that are to be written, for checks before the work.
std::vector<std::string> paths_of(const TrainOutputs& outputs);

// Writes each that is asked for; throws CommandError for what cannot be written.
void write_outputs(const TrainOutputs& outputs, const papilio::CorpusView& corpus, const papilio::TrainResult& result,
                   int top_words);
