#pragma once

#include "commands/train_arguments.h"
#include "papilio/communicator.h"

// `papilio train` as one of several ranks.

// Throws CommandError for arguments that do not go with several ranks.
void require_for_ranks(const TrainArguments& arguments);

// Of the ranks 0 alone reports progress; the device is the CPU, if none is named, and for "cuda" the GPU of the
// rank's number on its host.
void train_on_ranks(TrainArguments& arguments, papilio::Communicator& ranks);
