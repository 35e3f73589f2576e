#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/error.h"

// How the processes that train one model communicate. docs/distributed.md.

namespace papilio {

// A rank ended, stopped answering, or made another call than the others. Neither this call nor any later one can be
// completed: end the process, and start the job again from its checkpoint.
struct RankError : Error {
  RankError(const std::string& what, int of_rank) : Error(what), rank(of_rank) {}
  int rank;  // the rank that failed, if it is known; else -1
};

// The ranks of a job, one per process: 0, 1, ..., ranks() - 1.
//
// Calls are collective: every rank makes the same calls in the same order, with the same number of elements of the same
// type, and each returns when its own result is there. Only integers are added up, so a sum does not depend on the
// number of ranks, their order or the engine. One thread of a rank calls at a time, not always the same one.
//
// A call that names a rank out of range throws InvalidArgument. If some rank does not join a call within the engine's
// deadline, the call throws RankError, which names that rank if it can. After that every call throws.
//
// Engines: `mpi_ranks`, below, and in Python a process group of torch.distributed. Other programs derive their own.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;            // of this process, 0 to ranks() - 1
  virtual int ranks() const = 0;           // at least 1
  virtual std::string engine() const = 0;  // for messages: "MPI"

  // Replaces each element by its sum over all ranks, modulo 2^32 and 2^64.
  virtual void add_up(std::span<std::int32_t> values) = 0;
  virtual void add_up(std::span<std::int64_t> values) = 0;

  // Replaces `bytes` by those of rank `from`; every rank passes the same number.
  virtual void broadcast(std::span<std::byte> bytes, int from) = 0;

  // Returns on rank `to` the bytes of each rank, in their order, which may be of different lengths; on others nothing.
  virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int to) = 0;

  // Returns when every rank has called it.
  virtual void barrier() = 0;

  // How long a call waits for the slowest rank before it throws.
  virtual double deadline_seconds() const { return 300; }

  // Throws RankError if this rank has been told that another has failed. Called while a rank waits for something else,
  // such as a sum on a device. Not collective. The default does nothing.
  virtual void listen() {}

  // Tells the others, as far as the engine can, that this rank has failed and why, so that they need not wait for the
  // deadline. Not collective. No call follows it.
  virtual void fail(std::string_view reason) noexcept = 0;
};

// What a rank with this error tells others: what(), or "out of memory" for std::bad_alloc. Valid as long as `error`.
std::string_view reason_of(const std::exception& error);

// The ranks that mpirun started. One communicator per process, made and destroyed by the same thread. Throws RankError
// if MPI does not start, and DeviceUnavailable in a build without MPI (-DPAPILIO_MPI=ON).
//
// `deadline_seconds`, above 0: how long a call waits for the slowest rank.
std::unique_ptr<Communicator> mpi_ranks(double deadline_seconds = 300);

// How numbers in the memory of GPUs are summed over ranks, in one line: "NCCL 2.28.9", or "host memory: " and the
// reason why NCCL is not used. NCCL is looked for when it is first needed: libnccl.so.2 on the loader's path, or the
// file that the environment variable PAPILIO_NCCL names. With PAPILIO_NCCL=off sums go through host memory.
std::string describe_device_sums();

// The number of this process among those that a launcher (mpirun, srun, torchrun) has started on this host; 0 without
// one. For the choice of a GPU: Device::cuda(launched_local_rank()).
int launched_local_rank();

// How many processes a launcher of MPI says it has started (Open MPI, MPICH and what speaks PMI); 1 without one.
int launched_mpi_ranks();

}  // namespace papilio
