#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>

#include "papilio/device.h"

// Whether a text is what papilio::Device::parse takes: "", "auto", "cpu", "cuda", "cuda:2". Unlike it, this never
// starts the driver, which would read CUDA_VISIBLE_DEVICES before the functions below set it.
bool is_device_name(std::string_view name);

// Whether a text names several devices: "cuda:all", "cuda:0,2".
bool is_device_list(std::string_view name);

// For a process that works only on the device of `name`, as DeviceChoice takes it: if that is the first GPU, hides the
// others, because the driver takes about 0.2 s to start and to leave each of them. Sets CUDA_VISIBLE_DEVICES, unless it
// is set. Call it before the first use of the driver and before other threads start.
void leave_other_gpus_alone(std::string_view name);

// The same for a process beside others on its host, each of which works on the GPU with its number, counted from 0
// among those that CUDA_VISIBLE_DEVICES lists. True if that GPU is from now on the first and only one; false if it does
// not exist, or if neither /dev nor the driver's folder in /proc tells how many there are.
bool leave_gpus_of_others_alone(int number);

// What CUDA_VISIBLE_DEVICES must become for that, given its value (null: not set) and the number of GPUs; or nothing.
std::optional<std::string> only_gpu(int number, const char* visible, std::int64_t gpus);

// How many GPUs have a file in the folder /dev: nvidia0, nvidia1 and so on. The driver needs these files, and a
// container has them only for the GPUs that it may use, whereas the driver's folder in /proc may be missing or list
// others too.
std::int64_t gpus_in(const std::filesystem::path& folder);

// For a process that works on one GPU: makes the driver create one queue of each kind instead of 8, each of which takes
// time to make and to take down. Sets CUDA_DEVICE_MAX_CONNECTIONS, unless it is set. Call it as early as
// leave_other_gpus_alone.
void ask_for_few_queues();

// Chooses the device to work on and starts it while the command reads its files.
class DeviceChoice {
 public:
  // `name` as for --device; empty or "auto": by PAPILIO_DEVICE. Throws
  // DeviceUnavailable at once for a named device that is absent.
  explicit DeviceChoice(const std::string& name);

  // Waits until the device is known. Call it once. The first work on the device waits until it has been started.
  papilio::Device get() { return chosen_.get_future().get(); }

 private:
  std::promise<papilio::Device> chosen_;
  std::future<void> start_;  // its thread ends before the promise does
};
