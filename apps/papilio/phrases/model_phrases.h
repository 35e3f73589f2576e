#pragma once

#include <string>

#include "papilio/model.h"
#include "support/corpus_arguments.h"

// Where one of several corpora is not a text, its phrases have been joined or never will be.
void ask_phrases_of_text_alone(CorpusArguments& arguments);

// Makes the phrases of a vocabulary those that text is read with, as far as options ask for phrases at all.
void use_phrases(const papilio::CorpusView& corpus, CorpusArguments& arguments);

// Before text is read for a model: makes `--phrases MODEL` the phrases of its vocabulary.
void use_phrases(const papilio::Model& model, const std::string& path, CorpusArguments& arguments);

// Throws CommandError (usage) for `--phrases auto`: phrases found in new text are no words of the model.
void require_no_new_phrases(const CorpusArguments& arguments);

// A line where text was read without the phrases that a model has as words; else nothing.
std::string missing_phrases(const papilio::Model& model, const std::string& path, const CorpusArguments& arguments,
                            const papilio::CorpusView& corpus);
