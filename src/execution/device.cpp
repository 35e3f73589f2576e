#include "papilio/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/check.h"
#include "base/choices.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cuda.h"
#include "papilio/error.h"

namespace papilio {
namespace {

constexpr std::string_view expected = "expected auto, cpu, cuda or cuda:N, such as cuda:1";

// What the name of a device asks for: the number of a CUDA device,
// cpu or automatic; nothing if it is not the name of a device.
constexpr int cpu_number = -1, automatic = -2;

std::optional<int> number_of(std::string_view name) {
  if (name.empty() || name == "auto") return automatic;
  if (name == "cpu") return cpu_number;
  if (name == "cuda") return 0;
  constexpr std::string_view prefix = "cuda:";
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  const bool has_sign = digits.starts_with('-');  // from_chars would accept one
  int ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  return whole && !has_sign ? std::optional(ordinal) : std::nullopt;
}

Device numbered(int number) { return number == cpu_number ? Device::cpu() : Device::cuda(number); }

}  // namespace

Device Device::best() {
  const char* variable = std::getenv("PAPILIO_DEVICE");
  const std::string_view wanted = variable == nullptr ? "" : variable;
  const std::optional<int> number = number_of(wanted);
  if (!number) {
    throw DeviceUnavailable(
        fmt::format("papilio::Device::best: PAPILIO_DEVICE is {}, {}", base::quoted(wanted), expected));
  }
  if (*number != automatic) return numbered(*number);
  return execution::cuda_device_count() > 0 ? cuda() : cpu();
}

Device Device::parse(std::string_view name) {
  const std::optional<int> number = number_of(name);
  base::require(number.has_value(), "papilio::Device::parse: unknown device {}, {}", base::quoted(name), expected);
  return *number == automatic ? best() : numbered(*number);
}

std::vector<Device> parse_devices(std::string_view names) {
  constexpr std::string_view prefix = "cuda:";
  if (names == "cuda:all") {
    const int count = execution::cuda_device_count();
    if (count == 0) return {Device::cuda()};  // which throws, and says why there is none
    std::vector<Device> all;
    for (int number = 0; number < count; ++number) all.push_back(Device::cuda(number));
    return all;
  }
  if (!names.starts_with(prefix) || names.find(',') == std::string_view::npos) return {Device::parse(names)};
  std::vector<int> listed;
  for (std::string_view left = names.substr(prefix.size());;) {
    const std::size_t end = std::min(left.find(','), left.size());
    const std::optional<int> number = number_of(fmt::format("{}{}", prefix, left.substr(0, end)));
    base::require(number.has_value(),
                  "papilio::parse_devices: unknown devices {}, expected cuda:all, or numbers such as cuda:0,2",
                  base::quoted(names));
    base::require(std::find(listed.begin(), listed.end(), *number) == listed.end(),
                  "papilio::parse_devices: {} names cuda:{} twice", base::quoted(names), *number);
    listed.push_back(*number);
    if (end == left.size()) break;
    left.remove_prefix(end + 1);
  }
  std::vector<Device> devices;
  for (const int number : listed) devices.push_back(Device::cuda(number));
  return devices;
}

std::string Device::name() const { return is_cpu() ? "cpu" : fmt::format("cuda:{}", ordinal_); }

int default_threads() { return execution::thread_count(0); }

}  // namespace papilio
