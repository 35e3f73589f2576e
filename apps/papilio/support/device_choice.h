#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <string_view>

#include "papilio/device.h"

// Whether a text names several devices: "cuda:all", "cuda:0,2".
bool is_device_list(std::string_view name);

// For a process that works on the device of `name`, as DeviceChoice takes it, and on no other: where that is the first
// GPU, leaves the others alone, each of which takes the driver about 0.2 s to start and to leave. Sets
// CUDA_VISIBLE_DEVICES, unless it is set; before the driver is first asked for anything, and before other threads.
void leave_other_gpus_alone(std::string_view name);

// The same for a process beside others on its host, each of which works on the GPU of its number: counted from 0, among
// those that CUDA_VISIBLE_DEVICES lists. True where that GPU is the first and only one from now on; false where it is
// not there, or where the driver does not tell how many there are.
bool leave_gpus_of_others_alone(int number);

// What CUDA_VISIBLE_DEVICES is to be for that, from what it is (null: not set) and the number of GPUs; else nothing.
std::optional<std::string> only_gpu(int number, const char* visible, std::int64_t gpus);

// Chooses the device to work on and starts it, while the command reads its files.
class DeviceChoice {
 public:
  // `name` as for --device; empty or "auto": by PAPILIO_DEVICE. Throws DeviceUnavailable at once for a device that is
  // named and absent.
  explicit DeviceChoice(const std::string& name);

  // Waits for it. Once.
  papilio::Device get() { return choice_.get(); }

 private:
  std::future<papilio::Device> choice_;
};
