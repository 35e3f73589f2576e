#include "execution/cuda/code_for_90.h"
#include "execution/cuda/memory.h"
#include "primitives/tridiagonal/chunk_kernel.h"
#include "primitives/tridiagonal/plan_cuda.h"
#include "primitives/tridiagonal/tridiagonal_cuda.h"

namespace papilio::primitives {

std::int64_t tridiagonal_workspace_on_cuda(std::int64_t systems, std::int64_t rows, bool interleaved,
                                           std::int64_t number_bytes, Device device) {
  const execution::OnDevice here(device);
  const std::int64_t most = most_resident_rows(interleaved, number_bytes, execution::runs_code_for_90());
  if (rows <= most) return 0;
  std::int64_t bytes = workspace_part(systems * 4);  // faults
  while (rows > most) {
    rows = base::ceil_div<std::int64_t>(rows, tridiagonal_kernel::chunk_rows);
    bytes += split_bytes(systems * rows, number_bytes);
  }
  return bytes;
}

}  // namespace papilio::primitives
