#pragma once

#include <optional>

#include "commands/train_arguments.h"
#include "papilio/corpus.h"
#include "papilio/lda.h"
#include "support/corpus_input.h"

// What `papilio train` reads besides its corpus. All of these throw CommandError for what cannot be read.

// Puts --seed-words, if any, into the options of training. Words that the corpus does not have are named: one more may
// be a spelling mistake.
void read_seed_words(TrainArguments& arguments, const papilio::CorpusView& corpus);

// The documents of --held-out, if any, with the phrases that the corpus has.
std::optional<InputCorpus> open_held_out(const TrainArguments& arguments, const papilio::CorpusView& corpus);

// The topics of --input-state; the priors are those of the command line.
papilio::ChainState read_state(const TrainArguments& arguments, const papilio::CorpusView& corpus);
