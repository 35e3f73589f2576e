#include "support/job_ranks.h"

#include <fmt/format.h>

#include <exception>

#include "papilio/device.h"
#include "support/device_choice.h"
#include "support/output.h"

namespace {

// How long to wait for the others, which are about to join or have ended.
constexpr double farewell_seconds = 30;

bool sees_only_own_gpu = false;

void name_in_heading(std::string_view command, const papilio::Communicator& ranks) {
  set_failure_heading(fmt::format("papilio {}: rank {} of {} has failed:\n", command, ranks.rank(), ranks.ranks()));
}

}  // namespace

std::unique_ptr<papilio::Communicator> join_ranks(double deadline_seconds, std::string_view device) {
  if (papilio::launched_mpi_ranks() == 1) return nullptr;
  // Must happen before MPI starts, because MPI may start the driver.
  if (device == "cuda") sees_only_own_gpu = leave_gpus_of_others_alone(papilio::launched_local_rank());
  std::unique_ptr<papilio::Communicator> ranks = papilio::mpi_ranks(deadline_seconds);
  if (ranks->ranks() == 1) return nullptr;
  if (ranks->rank() != 0) leave_telling_to_others();
  return ranks;
}

void fail_before_joining(std::string_view command, std::string_view reason) noexcept {
  try {
    if (papilio::launched_mpi_ranks() == 1) return;
    const std::unique_ptr<papilio::Communicator> ranks = papilio::mpi_ranks(farewell_seconds);
    if (ranks->ranks() == 1) return;
    ranks->fail(reason);
    name_in_heading(command, *ranks);
  } catch (const std::exception&) {  // a build without MPI, or others that do not join
  }
}

bool is_first(const papilio::Communicator* ranks) { return ranks == nullptr || ranks->rank() == 0; }

std::string device_of_rank(const std::string& name) {
  if (name.empty() || name == "auto") return "cpu";
  if (name != "cuda") return name;
  // A driver that started too early to be told sees all GPUs.
  const bool is_alone = sees_only_own_gpu && papilio::parse_devices("cuda:all").size() == 1;
  return papilio::Device::cuda(is_alone ? 0 : papilio::launched_local_rank()).name();
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
    ranks->fail(papilio::reason_of(error));
    name_in_heading(command, *ranks);
    throw;
  }
}
