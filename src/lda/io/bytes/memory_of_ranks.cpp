#include "lda/io/bytes/memory_of_ranks.h"

#include <atomic>

#include "execution/ranks/work_in_turns.h"

namespace papilio::lda {

void require_room(MemoryShare& share, std::int64_t bytes, const Origin& origin, std::string_view what,
                  Communicator& ranks) {
  std::atomic<bool> is_over = false;
  execution::work_on_parts(ranks, is_over, [&] {
    if (!share.set(bytes)) share.limit().refuse(origin, 0, what);
  });
}

}  // namespace papilio::lda
