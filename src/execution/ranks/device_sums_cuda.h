#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "execution/cuda/check.h"
#include "papilio/communicator.h"

namespace papilio::execution {

// Sums over ranks of numbers in the memory of their GPUs: by NCCL where every rank has it and a GPU of its own, else
// through host memory, by the communicator. Calls are collective, as those of a communicator, between which they are
// made by the same thread; the current device is that of the construction. Integers alone: both ways give the same.
class DeviceSums {
 public:
  virtual ~DeviceSums() = default;

  virtual std::string engine() const = 0;  // "NCCL 2.28.9", "MPI through host memory"

  // Replaces each number by its sum over all ranks, modulo 2^32 and 2^64, in the order of the stream. The call may
  // return before the sums are there. Throws RankError.
  virtual void add_up(std::int32_t* values, std::int64_t count, cudaStream_t stream) = 0;
  virtual void add_up(std::int64_t* values, std::int64_t count, cudaStream_t stream) = 0;

  // Waits for the work of a stream, which may wait for sums. Throws RankError where another rank has failed, or the
  // communicator's deadline has passed.
  virtual void wait(cudaStream_t stream) = 0;
};

// Keeps a reference to the communicator. Throws DeviceUnavailable where PAPILIO_NCCL names a file that is no NCCL.
std::unique_ptr<DeviceSums> make_device_sums(Communicator& ranks);

}  // namespace papilio::execution
