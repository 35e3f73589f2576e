#include <charconv>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <string_view>

#include "papilio/communicator.h"

namespace papilio {
namespace {

// The value of the first of these variables that is a number and at least `least`; `least` if there is none.
int number_of_launcher(std::initializer_list<const char*> variables, int least) {
  for (const char* name : variables) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    const std::string_view text(value);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= least) return number;
  }
  return least;
}

}  // namespace

std::string_view reason_of(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "out of memory" : error.what();
}

int launched_mpi_ranks() { return number_of_launcher({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}, 1); }

int launched_local_rank() {
  return number_of_launcher(
      {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "LOCAL_RANK", "SLURM_LOCALID"}, 0);
}

}  // namespace papilio
