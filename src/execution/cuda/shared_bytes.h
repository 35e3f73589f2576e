#pragma once

#include <cstdint>

namespace papilio::execution {

// Allows a kernel this much dynamic shared memory per block on the current device. What has been allowed is never
// lowered: another thread may be about to launch the same kernel with more. Throws DeviceError, which names `what`.
void allow_shared_bytes(const void* kernel, std::int64_t bytes, const char* what);

template <class Result, class... Arguments>
void allow_shared_bytes(Result (*kernel)(Arguments...), std::int64_t bytes, const char* what) {
  allow_shared_bytes(reinterpret_cast<const void*>(kernel), bytes, what);
}

}  // namespace papilio::execution
