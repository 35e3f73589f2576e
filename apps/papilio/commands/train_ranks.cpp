#include "commands/train_ranks.h"

#include <fmt/format.h>

#include <exception>
#include <string>

#include "papilio/device.h"
#include "support/device_choice.h"
#include "support/output.h"

std::unique_ptr<papilio::Communicator> join_ranks(TrainArguments& arguments) {
  if (papilio::launched_mpi_ranks() == 1) return nullptr;
  std::unique_ptr<papilio::Communicator> ranks = papilio::mpi_ranks(arguments.rank_seconds);
  if (ranks->ranks() == 1) return nullptr;
  arguments.training.ranks = ranks.get();
  if (arguments.device.empty() || arguments.device == "auto") arguments.device = "cpu";
  if (arguments.device == "cuda") arguments.device = papilio::Device::cuda(papilio::launched_local_rank()).name();
  if (ranks->rank() != 0) {
    leave_telling_to_others();
    arguments.quiet = true;
    arguments.progress = ProgressStyle::none;
  }
  return ranks;
}

void require_for_ranks(const TrainArguments& arguments) {
  if (is_device_list(arguments.device)) {
    throw CommandError(
        ExitCode::usage,
        fmt::format("--device {} is for one process; expected cuda, the GPU of each rank's number on its "
                    "host, with {} ranks",
                    arguments.device, arguments.training.ranks->ranks()));
  }
  if (!arguments.input_state.empty()) {
    throw CommandError(ExitCode::usage, "--input-state does not go with several ranks; expected one process");
  }
  for (const std::string& path : {arguments.corpus.path, arguments.held_out, arguments.seed_words}) {
    if (path == "-") throw CommandError(ExitCode::usage, "several ranks cannot read standard input; expected a file");
  }
}

ExitCode as_rank(papilio::Communicator* ranks, const std::function<ExitCode()>& work) {
  if (ranks == nullptr) return work();
  try {
    return work();
  } catch (const papilio::RankError& error) {
    ranks->fail(error.what());
    const int speaker = error.rank == 0 ? 1 : 0;
    if (error.rank < 0 || ranks->rank() == speaker) throw;
    return ExitCode::try_again;
  } catch (const std::exception& error) {
    ranks->fail(error.what());
    write_message(fmt::format("papilio train: rank {} of {} has failed:\n", ranks->rank(), ranks->ranks()));
    throw;
  }
}
