#pragma once

#include <functional>
#include <memory>

#include "commands/train_arguments.h"
#include "papilio/communicator.h"
#include "support/exit_code.h"

// `papilio train` as one of the processes that a launcher of MPI has started.

// Joins the others; null where there are none. Of the ranks 0 alone tells and reports progress; the device is the CPU,
// if none is named, and for "cuda" the GPU of the rank's number on its host.
std::unique_ptr<papilio::Communicator> join_ranks(TrainArguments& arguments);

// Throws CommandError for arguments that do not go with several ranks.
void require_for_ranks(const TrainArguments& arguments);

// Does the work of this rank (null: of the only process). One that fails names itself and tells the others; of these
// only one says what it has heard.
ExitCode as_rank(papilio::Communicator* ranks, const std::function<ExitCode()>& work);
