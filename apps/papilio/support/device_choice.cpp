#include "support/device_choice.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "papilio/device.h"
#include "papilio/error.h"

namespace {

bool is_any(std::string_view name) { return name.empty() || name == "auto"; }

void start(papilio::Device device) {
  try {
    papilio::prepare_device(device);
  } catch (const papilio::DeviceError&) {  // the first work on the device will report the problem
  }
}

// How many files in the folder have a name that is counted; 0 if the folder cannot be read.
template <class F>
std::int64_t count_files(const std::filesystem::path& folder, F is_counted) {
  std::error_code error;
  const std::filesystem::directory_iterator files(folder, error);
  if (error) return 0;
  return std::count_if(begin(files), end(files),
                       [&](const auto& file) { return is_counted(file.path().filename().string()); });
}

bool is_file_of_gpu(std::string_view name) {
  constexpr std::string_view begin = "nvidia";
  return name.starts_with(begin) && name.size() > begin.size() &&
         name.find_first_not_of("0123456789", begin.size()) == name.npos;
}

}  // namespace

bool is_device_name(std::string_view name) {
  if (is_any(name) || name == "cpu" || name == "cuda") return true;
  constexpr std::string_view prefix = "cuda:";
  if (!name.starts_with(prefix) || name.starts_with("cuda:-")) return false;  // from_chars would accept a sign
  int number = 0;
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size();
}

bool is_device_list(std::string_view name) {
  return name == "cuda:all" || (name.starts_with("cuda:") && name.find(',') != std::string_view::npos);
}

void leave_other_gpus_alone(std::string_view name) {
  const char* variable = std::getenv("PAPILIO_DEVICE");
  if (is_any(name) && variable != nullptr) name = variable;
  if (!is_any(name) && name != "cuda" && name != "cuda:0") return;
  setenv("CUDA_VISIBLE_DEVICES", "0", 0);
}

void ask_for_few_queues() { setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0); }

std::int64_t gpus_in(const std::filesystem::path& folder) { return count_files(folder, is_file_of_gpu); }

std::optional<std::string> only_gpu(int number, const char* visible, std::int64_t gpus) {
  if (visible == nullptr) return number < gpus ? std::optional(std::to_string(number)) : std::nullopt;
  std::string_view listed = visible;
  for (; number > 0 && listed.find(',') != listed.npos; --number) {
    if (listed.starts_with('-')) return std::nullopt;  // the driver shows only what comes before
    listed.remove_prefix(listed.find(',') + 1);
  }
  listed = listed.substr(0, listed.find(','));
  if (number > 0 || listed.empty() || listed.starts_with('-')) return std::nullopt;
  return std::string(listed);
}

bool leave_gpus_of_others_alone(int number) {
  // The driver may create the files in /dev only when it starts.
  std::int64_t gpus = gpus_in("/dev");
  if (gpus == 0) gpus = count_files("/proc/driver/nvidia/gpus", [](std::string_view) { return true; });
  const std::optional<std::string> own = only_gpu(number, std::getenv("CUDA_VISIBLE_DEVICES"), gpus);
  if (own) setenv("CUDA_VISIBLE_DEVICES", own->c_str(), 1);
  return own.has_value();
}

DeviceChoice::DeviceChoice(const std::string& name) {
  const char* variable = std::getenv("PAPILIO_DEVICE");
  std::optional<papilio::Device> named;
  if (!is_any(name) || !is_any(variable == nullptr ? "" : variable)) named = papilio::Device::parse(name);
  const auto choose_and_start = [this, named] {
    papilio::Device device = papilio::Device::cpu();
    try {
      device = named ? *named : papilio::Device::best();
    } catch (...) {
      return chosen_.set_exception(std::current_exception());
    }
    chosen_.set_value(device);
    start(device);
  };
  try {
    start_ = std::async(std::launch::async, choose_and_start);
  } catch (const std::system_error&) {  // no thread available
    choose_and_start();
  }
}
