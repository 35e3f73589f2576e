#include <cstddef>

#include "execution/cuda/memory.h"
#include "sampling/tables/table_memory.h"

namespace papilio::sampling {

std::shared_ptr<const void> copy_to_cuda(const void* from, std::int64_t bytes, Device device, const char* what) {
  const execution::OnDevice here(device);
  auto array = std::make_shared<execution::DeviceArray<std::byte>>(bytes, what);
  const execution::Stream stream;
  array->upload(static_cast<const std::byte*>(from), bytes, stream.get());
  stream.wait();
  const void* const data = array->data();
  return {std::move(array), data};
}

void copy_from_cuda(void* to, const void* from, std::int64_t bytes, Device device, void* cuda_stream) {
  const execution::OnDevice here(device);
  execution::download_bytes(to, from, bytes, static_cast<cudaStream_t>(cuda_stream));
}

}  // namespace papilio::sampling
