#pragma once

#include <compare>
#include <string>
#include <vector>

namespace papilio {

// Where arrays live and work runs. The CPU is always there; CUDA devices are
// there when the library was built with CUDA and the driver finds one.
class Device {
 public:
  static Device cpu() { return Device(-1); }

  // Throws DeviceUnavailable where the build or the machine has no such device.
  static Device cuda(int ordinal = 0);

  // PAPILIO_DEVICE (`cpu`, `cuda`, `cuda:1`) where it is set, else CUDA where it
  // is built in and present, else the CPU. A device named there and absent is
  // an error (DeviceUnavailable), never a silent fallback.
  static Device best();

  bool is_cpu() const { return ordinal_ < 0; }

  // The number of a CUDA device, as the driver counts them; -1 for the CPU.
  int ordinal() const { return ordinal_; }

  // "cpu", "cuda:0", ...
  std::string name() const;

  friend auto operator<=>(Device, Device) = default;

 private:
  explicit Device(int ordinal) : ordinal_(ordinal) {}
  int ordinal_;
};

// The CUDA devices of this machine, a line each ("cuda:0  NVIDIA H200, 139.8 GiB,
// compute capability 9.0"), or one line that says why there is none.
std::vector<std::string> describe_cuda_devices();

// Names of the instruction-set targets that this build holds and this machine
// runs, slowest first: "baseline" (SSE2 on x86-64), "avx2", "avx512", "neon".
// Every target gives the same results, bit for bit.
std::vector<std::string> cpu_targets();

// The target in use: the last of `cpu_targets()`, or the one that the environment
// variable PAPILIO_CPU_TARGET named when it was first needed. Throws
// DeviceUnavailable where that name is unknown or not to be had here.
std::string cpu_target();

// How many threads work on a call that does not say: the number of processors
// that this process may use.
int default_threads();

}  // namespace papilio
