#include "lda/io/bytes/unfinished_files.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "papilio/output_file.h"

namespace papilio {
namespace lda {
namespace {

enum : int { free_slot, being_filled, in_use, claimed };

// Read by signal handlers: no allocation, no lock. A claimed slot stays the handler's forever.
struct Slot {
  std::atomic<int> state = free_slot;
  std::array<char, PATH_MAX> path;
};
constinit std::array<Slot, 64> slots = {};
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() >= slots[0].path.size()) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int expected = free_slot;
    if (!slots[i].state.compare_exchange_strong(expected, being_filled)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].state = in_use;
    slot_ = static_cast<int>(i);
    return;
  }
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ < 0) return;
  int expected = in_use;
  slots[static_cast<std::size_t>(slot_)].state.compare_exchange_strong(expected, free_slot);
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

}  // namespace lda

void remove_unfinished_files() noexcept {
  const int code = errno;
  for (lda::Slot& slot : lda::slots) {
    int expected = lda::in_use;
    if (slot.state.compare_exchange_strong(expected, lda::claimed)) ::unlink(slot.path.data());
  }
  errno = code;
}

}  // namespace papilio
