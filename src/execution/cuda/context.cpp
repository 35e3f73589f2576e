#include "execution/cuda/context.h"

#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <type_traits>

namespace papilio::execution {
namespace {

// What the runtime has no function for. The driver's library is there once the runtime has found a device.
struct Driver {
  decltype(&cuCtxGetCurrent) get_context = nullptr;
  decltype(&cuCtxPushCurrent) push_context = nullptr;
  decltype(&cuCtxPopCurrent) pop_context = nullptr;
  decltype(&cuDevicePrimaryCtxRetain) retain_primary = nullptr;
  decltype(&cuDevicePrimaryCtxRelease) release_primary = nullptr;
  decltype(&cuPointerGetAttribute) get_attribute = nullptr;
  bool is_complete = false;
};

Driver load() {
  Driver driver;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return driver;
  bool is_complete = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    is_complete = is_complete && function != nullptr;
  };
  find(driver.get_context, "cuCtxGetCurrent");
  find(driver.push_context, "cuCtxPushCurrent_v2");
  find(driver.pop_context, "cuCtxPopCurrent_v2");
  find(driver.retain_primary, "cuDevicePrimaryCtxRetain");
  find(driver.release_primary, "cuDevicePrimaryCtxRelease_v2");
  find(driver.get_attribute, "cuPointerGetAttribute");
  driver.is_complete = is_complete;
  return driver;
}

const Driver& driver() {
  static const Driver loaded = load();
  return loaded;
}

// The two number their errors alike.
cudaError_t error_of(CUresult result) { return static_cast<cudaError_t>(result); }

}  // namespace

bool has_no_context() noexcept {
  CUcontext context = nullptr;
  return driver().is_complete && driver().get_context(&context) == CUDA_SUCCESS && context == nullptr;
}

// The runtime keeps the primary contexts that it has initialised, so that what is released here stays.
cudaError_t enter_device(int ordinal) noexcept {
  if (const cudaError_t error = cudaInitDevice(ordinal, 0, 0); error != cudaSuccess) return error;
  CUcontext context = nullptr;
  if (const CUresult result = driver().retain_primary(&context, ordinal); result != CUDA_SUCCESS)
    return error_of(result);
  const CUresult result = driver().push_context(context);
  if (result != CUDA_SUCCESS) driver().release_primary(ordinal);
  return error_of(result);
}

void leave_device(int ordinal) noexcept {
  CUcontext context = nullptr;
  driver().pop_context(&context);
  driver().release_primary(ordinal);
}

int device_of(const void* memory) noexcept {
  int ordinal = -1;
  const auto address = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(memory));
  const CUresult result = driver().get_attribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
  return result == CUDA_SUCCESS ? ordinal : -1;
}

}  // namespace papilio::execution
