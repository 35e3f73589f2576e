#pragma once

#include <string>

#include "commands/train_arguments.h"
#include "support/command_files.h"
#include "support/corpus_input.h"

// Where a run writes.
struct TrainFiles {
  std::string model;
  std::string checkpoint;
};

// The checkpoint of a model, unless one is named.
std::string default_checkpoint(const std::string& model);

TrainFiles plan_files(const TrainArguments& arguments);

// Finds before the work, not after it, what cannot be read or written.
void reserve_files(const TrainArguments& arguments, const TrainFiles& outputs, CommandFiles& files);

// Throws CommandError (cannot_create) where a model under its default name would replace one that was made from another
// corpus, without --force. (Where a run is resumed, its checkpoint tells whose it is.)
void require_own_model(const TrainArguments& arguments, const TrainFiles& outputs, const InputCorpus& corpus,
                       const papilio::ReadReport& report);
