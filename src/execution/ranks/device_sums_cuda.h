#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "execution/cuda/check.h"
#include "papilio/communicator.h"

namespace papilio::execution {

// Sums, over ranks, of numbers in the memory of their GPUs: by NCCL if every rank has it and a GPU of its own,
// else by the communicator, through host memory. Calls are collective and come between the communicator's, from
// the same thread, on the device that was current at construction. Integers only, so both ways give the same.
class DeviceSums {
 public:
  virtual ~DeviceSums() = default;

  virtual std::string engine() const = 0;  // "NCCL 2.28.9", "MPI through host memory"

  // Replaces each number by its sum over all ranks, modulo 2^32 or 2^64, in the order
  // of the stream. The call may return before the sums are complete. Throws RankError.
  virtual void add_up(std::int32_t* values, std::int64_t count, cudaStream_t stream) = 0;
  virtual void add_up(std::int64_t* values, std::int64_t count, cudaStream_t stream) = 0;

  // Waits for the work of a stream, which may be waiting for sums. Throws RankError
  // if another rank has failed or the communicator's deadline has passed.
  virtual void wait(cudaStream_t stream) = 0;
};

// Keeps a reference to the communicator. Throws DeviceUnavailable if PAPILIO_NCCL names a file that is not NCCL.
std::unique_ptr<DeviceSums> make_device_sums(Communicator& ranks);

}  // namespace papilio::execution
