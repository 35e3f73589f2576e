#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace papilio {

// Where arrays are and where work runs: the CPU, or a CUDA device if the library was built with CUDA and the
// driver finds one.
class Device {
 public:
  static Device cpu() { return Device(-1); }

  // The CUDA device of that number, in the driver's numbering. Throws DeviceUnavailable where the build or the
  // machine has no such device.
  static Device cuda(int ordinal = 0);

  // The device that the environment variable PAPILIO_DEVICE names, in the form that `parse` reads.
  // Where it is not set, empty or "auto": CUDA device 0 if there is one, else the CPU.
  //
  // Throws DeviceUnavailable where PAPILIO_DEVICE names no device, or one that is absent: there is no
  // silent fallback to the CPU.
  static Device best();

  // The device of that name: "cpu", "cuda" (the same as "cuda:0"), "cuda:N", or "auto" and "" for `best()`.
  //
  // Throws InvalidArgument for any other text, and DeviceUnavailable where the build or the machine has no
  // such device. Reverses `name`.
  //
  //   const papilio::Device device = papilio::Device::parse("cuda:1");
  static Device parse(std::string_view name);

  bool is_cpu() const { return ordinal_ < 0; }

  // The number of a CUDA device; -1 for the CPU.
  int ordinal() const { return ordinal_; }

  // "cpu", "cuda:0", ...
  std::string name() const;

  friend auto operator<=>(Device, Device) = default;

 private:
  explicit Device(int ordinal) : ordinal_(ordinal) {}
  int ordinal_;
};

// The devices that a text lists: what `Device::parse` reads, "cuda:all" (every CUDA device of this machine), or
// several numbers, "cuda:0,2". Each device at most once. Throws as Device::parse.
std::vector<Device> parse_devices(std::string_view names);

// Describes the CUDA devices of this machine, one line each ("cuda:0  NVIDIA H200, 139.8 GiB, compute capability 9.0").
// If there is none, one line says why ("none: this build has no CUDA support").
std::vector<std::string> describe_cuda_devices();

// Does in advance what the first use of a device would do: creates the context of a CUDA device, in 0.1 to 0.3 s. A
// program can call it on a thread of its own while it reads its data; the current device of that thread stays the same.
// Does nothing for the CPU, or if it has been done. Throws DeviceError if the device cannot be used.
//
//   std::thread start([device] { papilio::prepare_device(device); });
void prepare_device(Device device);

// The instruction-set targets that this build has and this machine can run, slowest first: on x86-64 "baseline"
// (SSE2), ..., "avx512"; "neon" on aarch64. Every target gives the same results, bit for bit.
std::vector<std::string> cpu_targets();

// The target in use: the last of `cpu_targets()`, or the one that the environment variable PAPILIO_CPU_TARGET named
// when a target was first needed. Throws DeviceUnavailable if that name is unknown, or the build or the machine does
// not have that target.
std::string cpu_target();

// The number of threads of a call whose `threads` is 0: the number of processors that this process may use.
int default_threads();

}  // namespace papilio
