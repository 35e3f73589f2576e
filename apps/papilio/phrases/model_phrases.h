#pragma once

#include <string>

#include "papilio/communicator.h"
#include "papilio/model.h"
#include "support/corpus_arguments.h"

// If one of several corpora is not text, its phrases have already been joined or never will be. Over ranks (null: no
// others) the first looks at the file for all.
void ask_phrases_of_text_alone(CorpusArguments& arguments, papilio::Communicator* ranks);

// Makes the phrases in a vocabulary those with which text is read, if the options ask for phrases at all.
void use_phrases(const papilio::CorpusView& corpus, CorpusArguments& arguments);

// Call it before text is read for a model: turns `--phrases MODEL` into the phrases of the model's vocabulary.
void use_phrases(const papilio::Model& model, const std::string& path, CorpusArguments& arguments);

// Throws CommandError (usage) for `--phrases auto`: phrases found in new text are not words of the model.
void require_no_new_phrases(const CorpusArguments& arguments);

// A line if text was read without the phrases that the model has as words, and has them as neighbours; otherwise empty.
// Over ranks, the neighbours are those in the first one's documents.
std::string missing_phrases(const papilio::Model& model, const std::string& path, const CorpusArguments& arguments,
                            const papilio::CorpusView& corpus);
