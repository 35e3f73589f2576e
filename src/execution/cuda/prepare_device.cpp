#include "papilio/device.h"

#include <cuda_runtime_api.h>

#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"

namespace papilio {

void prepare_device(Device device) {
  if (device.is_cpu()) return;
  const execution::OnDevice here(device);
  execution::check(cudaFree(nullptr), "starting a device");
}

}  // namespace papilio
