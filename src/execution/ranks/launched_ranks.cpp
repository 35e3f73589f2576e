#include <charconv>
#include <cstdlib>
#include <string_view>

#include "papilio/communicator.h"

namespace papilio {

int launched_mpi_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    const std::string_view text(value);
    int ranks = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
    if (error == std::errc() && end == text.data() + text.size() && ranks >= 1) return ranks;
  }
  return 1;
}

}  // namespace papilio
