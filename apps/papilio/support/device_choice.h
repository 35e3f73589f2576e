#pragma once

#include <future>
#include <string>
#include <string_view>

#include "papilio/device.h"

// Whether a text names several devices: "cuda:all", "cuda:0,2".
bool is_device_list(std::string_view name);

// For a process that works on the device of `name`, as DeviceChoice takes it, and on no other: where that is the first
// GPU, leaves the others alone, each of which takes the driver about 0.2 s to start and to leave. Sets
// CUDA_VISIBLE_DEVICES, unless it is set; before the driver is first asked for anything, and before other threads.
void leave_other_gpus_alone(std::string_view name);

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
