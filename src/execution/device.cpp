#include "papilio/device.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "execution/cpu/parallel_for.h"
#include "execution/cuda.h"
#include "papilio/error.h"

namespace papilio {
namespace {

// The device called `wanted`, the value of PAPILIO_DEVICE.
Device device_named(std::string_view wanted) {
  if (wanted == "cpu") return Device::cpu();
  if (wanted == "cuda") return Device::cuda();
  constexpr std::string_view prefix = "cuda:";
  if (wanted.starts_with(prefix)) {
    const char* first = wanted.data() + prefix.size();
    const char* last = wanted.data() + wanted.size();
    int ordinal = 0;
    const auto [end, error] = std::from_chars(first, last, ordinal);
    if (error == std::errc{} && end == last && ordinal >= 0) return Device::cuda(ordinal);
  }
  throw DeviceUnavailable(fmt::format(
      "papilio::Device::best: PAPILIO_DEVICE is \"{}\", expected cpu, cuda or a numbered one such as cuda:1", wanted));
}

}  // namespace

// A variable that is set to nothing counts as not set.
Device Device::best() {
  const char* wanted = std::getenv("PAPILIO_DEVICE");
  if (wanted != nullptr && *wanted != '\0') return device_named(wanted);
  return execution::cuda_device_count() > 0 ? cuda() : cpu();
}

std::string Device::name() const { return is_cpu() ? "cpu" : fmt::format("cuda:{}", ordinal_); }

int default_threads() { return execution::thread_count(0); }

}  // namespace papilio
