#include "support/job_ranks.h"

#include <fmt/format.h>

#include <exception>

#include "papilio/device.h"
#include "support/output.h"

std::unique_ptr<papilio::Communicator> join_ranks(double deadline_seconds) {
  if (papilio::launched_mpi_ranks() == 1) return nullptr;
  std::unique_ptr<papilio::Communicator> ranks = papilio::mpi_ranks(deadline_seconds);
  if (ranks->ranks() == 1) return nullptr;
  if (ranks->rank() != 0) leave_telling_to_others();
  return ranks;
}

bool is_first(const papilio::Communicator* ranks) { return ranks == nullptr || ranks->rank() == 0; }

std::string device_of_rank(const std::string& name) {
  if (name.empty() || name == "auto") return "cpu";
  if (name == "cuda") return papilio::Device::cuda(papilio::launched_local_rank()).name();
  return name;
}

void require_no_standard_input(std::initializer_list<std::string> paths) {
  for (const std::string& path : paths) {
    if (path == "-") throw CommandError(ExitCode::usage, "several ranks cannot read standard input; expected a file");
  }
}

ExitCode as_rank(papilio::Communicator* ranks, std::string_view command, const std::function<ExitCode()>& work) {
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
    set_failure_heading(fmt::format("papilio {}: rank {} of {} has failed:\n", command, ranks->rank(), ranks->ranks()));
    throw;
  }
}
