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

// An option and the path that it names.
struct NamedOutput {
  const char* option;
  std::string path;
};

// What is to be written, for checks before the work.
std::vector<NamedOutput> named_outputs(const TrainOutputs& outputs);

// Whether no output has a path.
bool are_empty(const TrainOutputs& outputs);

// Whether some output is made of the corpus's words.
bool needs_words(const TrainOutputs& outputs);

// Call before training. Throws CommandError for a corpus with words or names that one of the outputs cannot hold.
void require_writable(const TrainOutputs& outputs, const papilio::CorpusView& corpus);

// Writes each that is asked for; throws CommandError for what cannot be written.
void write_outputs(const TrainOutputs& outputs, const papilio::CorpusView& corpus, const papilio::TrainResult& result,
                   int top_words);
