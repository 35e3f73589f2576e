#pragma once

#include <future>
#include <string>

#include "papilio/device.h"

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
