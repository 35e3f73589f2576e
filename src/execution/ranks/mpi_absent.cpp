#include "base/check.h"
#include "papilio/communicator.h"

namespace papilio {

std::unique_ptr<Communicator> mpi_ranks(double deadline_seconds) {
  base::require(deadline_seconds > 0, "papilio::mpi_ranks: deadline_seconds is {}, expected more than 0",
                deadline_seconds);
  throw DeviceUnavailable(
      "papilio::mpi_ranks: this build has no MPI; configure with -DPAPILIO_MPI=ON, where an MPI is installed");
}

}  // namespace papilio
