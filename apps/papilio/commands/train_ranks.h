#pragma once

#include "commands/train_arguments.h"
#include "papilio/communicator.h"

// `papilio train` as one of several ranks.

// Throws CommandError for arguments that do not go with several ranks.
void require_for_ranks(const TrainArguments& arguments);

// Rank 0 alone reports progress. A rank works on the CPU unless a device is named; "cuda" is the GPU with the rank's
// number on its host.
void train_on_ranks(TrainArguments& arguments, papilio::Communicator& ranks);
