#pragma once

#include <cstdint>
#include <string_view>

#include "lda/io/bytes/memory_limit.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// Counts what each rank is about to hold towards the limit. The first rank without room throws FormatError, "WHAT needs
// more than ...", and the others wait to be told. Collective.
void require_room(MemoryShare& share, std::int64_t bytes, const Origin& origin, std::string_view what,
                  Communicator& ranks);

}  // namespace papilio::lda
