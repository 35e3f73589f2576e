#include "papilio/device.h"

#include <fmt/format.h>

#include "execution/cuda.h"
#include "papilio/error.h"

namespace papilio {

Device Device::cuda(int ordinal) {
  throw DeviceUnavailable(
      fmt::format("papilio::Device::cuda: CUDA device {} was asked for, but this build has no CUDA support; "
                  "use Device::cpu(), or configure with -DPAPILIO_CUDA=ON",
                  ordinal));
}

int execution::cuda_device_count() { return 0; }

std::vector<std::string> describe_cuda_devices() { return {"none: this build has no CUDA support"}; }

}  // namespace papilio
