#include "lda/io/bytes/memory_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace papilio::lda {
namespace {

std::int64_t machine_memory() {
  return std::max(std::int64_t{::sysconf(_SC_PHYS_PAGES)}, std::int64_t{1}) * ::sysconf(_SC_PAGE_SIZE);
}

}  // namespace

MemoryLimit::MemoryLimit(std::int64_t max_memory) : bytes_(max_memory > 0 ? max_memory : machine_memory() / 2) {}

void MemoryLimit::refuse(const Origin& at, std::int64_t line, std::int64_t tokens, std::int64_t documents) const {
  at.format_error(line, 0,
                  fmt::format("the corpus up to here ({} tokens, {} documents) needs more than {} bytes of memory, "
                              "the limit (max_memory; by default half of the machine's)",
                              tokens, documents, bytes_));
}

}  // namespace papilio::lda
