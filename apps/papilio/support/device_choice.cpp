#include "support/device_choice.h"

#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

#include "papilio/device.h"
#include "papilio/error.h"

namespace {

bool is_any(std::string_view name) { return name.empty() || name == "auto"; }

papilio::Device started(papilio::Device device) {
  try {
    papilio::prepare_device(device);
  } catch (const papilio::DeviceError&) {  // the first work on it will say what is wrong
  }
  return device;
}

}  // namespace

bool is_device_list(std::string_view name) {
  return name == "cuda:all" || (name.starts_with("cuda:") && name.find(',') != std::string_view::npos);
}

void leave_other_gpus_alone(std::string_view name) {
  const char* variable = std::getenv("PAPILIO_DEVICE");
  if (is_any(name) && variable != nullptr) name = variable;
  if (!is_any(name) && name != "cuda" && name != "cuda:0") return;
  setenv("CUDA_VISIBLE_DEVICES", "0", 0);
}

DeviceChoice::DeviceChoice(const std::string& name) {
  const char* variable = std::getenv("PAPILIO_DEVICE");
  std::optional<papilio::Device> named;
  if (!is_any(name) || !is_any(variable == nullptr ? "" : variable)) named = papilio::Device::parse(name);
  const auto choose = [named] { return started(named ? *named : papilio::Device::best()); };
  try {
    choice_ = std::async(std::launch::async, choose);
  } catch (const std::system_error&) {  // no thread to be had
    choice_ = std::async(std::launch::deferred, choose);
  }
}
