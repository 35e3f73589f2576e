#include "sampling/tokens/tokens_cuda.h"

#include "base/check.h"

namespace papilio::sampling {

void sample_tokens_on_cuda(const DeviceLogits& logits, const TokenResults&, const TokenFilters&, const TokenOptions&) {
  throw InvalidArgument(
      fmt::format("papilio::sample_tokens: the matrix of logits is on {}, expected cpu; copy it to the CPU first",
                  logits.device.name()));
}

std::int64_t tokens_workspace_on_cuda(std::int64_t, std::int64_t, Device) { return 0; }

}  // namespace papilio::sampling
