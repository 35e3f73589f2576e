#include "lda/corpus/word_index.h"

#include <limits>
#include <utility>

#include "base/check.h"
#include "lda/corpus/word_hash.h"

namespace papilio::lda {
namespace {

std::uint64_t hash_of(std::string_view word) { return WordHash{}(word); }

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

constexpr std::size_t first_slots = 1024;

}  // namespace

WordIndex::WordIndex() : slots_(first_slots, Slot{0, -1}) {}

std::int32_t WordIndex::number(std::string_view word) {
  const std::uint64_t hash = hash_of(word);
  std::size_t slot = slot_of(word, hash);
  if (slots_[slot].number >= 0) return slots_[slot].number;
  if (2 * (words_.size() + 1) > slots_.size()) {
    grow();
    slot = slot_of(word, hash);
  }
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  base::require(words_.size() < most, "papilio: more than {} distinct words", most);
  const auto number = static_cast<std::int32_t>(words_.size());
  words_.emplace_back(word);
  if (words_.back().capacity() > std::string().capacity()) {
    bytes_outside_ += static_cast<std::int64_t>(words_.back().capacity());
  }
  slots_[slot] = {tag_of(hash), number};
  return number;
}

std::int32_t WordIndex::find(std::string_view word) const { return slots_[slot_of(word, hash_of(word))].number; }

std::int64_t WordIndex::memory() const {
  return static_cast<std::int64_t>(slots_.size() * sizeof(Slot) + words_.capacity() * sizeof(std::string)) +
         bytes_outside_;
}

void WordIndex::clear() {
  slots_.assign(slots_.size(), Slot{0, -1});
  words_.clear();
  bytes_outside_ = 0;
}

std::vector<std::string> WordIndex::take_words() {
  std::vector<std::string> words = std::exchange(words_, {});
  clear();
  return words;
}

// The slot that holds the word, or the free slot where it belongs.
std::size_t WordIndex::slot_of(std::string_view word, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot].number >= 0 &&
         (slots_[slot].tag != tag_of(hash) || words_[static_cast<std::size_t>(slots_[slot].number)] != word)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void WordIndex::grow() {
  slots_.assign(2 * slots_.size(), Slot{0, -1});
  for (std::size_t number = 0; number < words_.size(); ++number) {
    const std::uint64_t hash = hash_of(words_[number]);
    slots_[slot_of(words_[number], hash)] = {tag_of(hash), static_cast<std::int32_t>(number)};
  }
}

}  // namespace papilio::lda
