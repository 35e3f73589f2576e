#include "papilio/device.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/choices.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cuda.h"
#include "papilio/error.h"

namespace papilio {
namespace {

constexpr std::string_view expected = "expected auto, cpu, cuda or cuda:N, such as cuda:1";

// What a device's name asks for: the number of a CUDA device, cpu or automatic; nothing where it is not a device's
// name.
constexpr int cpu_number = -1, automatic = -2;

std::optional<int> number_of(std::string_view name) {
  if (name.empty() || name == "auto") return automatic;
  if (name == "cpu") return cpu_number;
  if (name == "cuda") return 0;
  constexpr std::string_view prefix = "cuda:";
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  const bool has_sign = digits.starts_with('-');  // from_chars takes one
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

std::string Device::name() const { return is_cpu() ? "cpu" : fmt::format("cuda:{}", ordinal_); }

int default_threads() { return execution::thread_count(0); }

}  // namespace papilio
