#pragma once

#include <cstdint>
#include <string_view>

#include "lda/io/bytes/memory_limit.h"
#include "papilio/communicator.h"

namespace papilio::lda {

// Counts towards the limit what each rank is about to hold; the first that has no room throws FormatError, "WHAT needs
// more than ...", and the others wait to hear of it. Collective.
void require_room(MemoryShare& share, std::int64_t bytes, const Origin& origin, std::string_view what,
                  Communicator& ranks);

}  // namespace papilio::lda
