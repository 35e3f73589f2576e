#include "commands/train_ranks.h"

#include <fmt/format.h>

#include "support/device_choice.h"
#include "support/job_ranks.h"

void require_for_ranks(const TrainArguments& arguments) {
  if (is_device_list(arguments.device)) {
    throw CommandError(
        ExitCode::usage,
        fmt::format("--device {} is for one process; expected cuda, the GPU of each rank's number on its "
                    "host, with {} ranks",
                    arguments.device, arguments.training.ranks->ranks()));
  }
  if (!arguments.input_state.empty()) {
    throw CommandError(ExitCode::usage, "--input-state cannot be used with several ranks; expected one process");
  }
  require_no_standard_input({arguments.corpus.path, arguments.held_out, arguments.seed_words});
}

void train_on_ranks(TrainArguments& arguments, papilio::Communicator& ranks) {
  arguments.training.ranks = &ranks;
  arguments.device = device_of_rank(arguments.device);
  if (is_first(&ranks)) return;
  arguments.quiet = true;
  arguments.progress = ProgressStyle::none;
}
