#include "lda/io/ranks/words_of_rank.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace papilio::lda {

WordsOfRank::WordsOfRank(std::int64_t tokens, const RankDocuments& own) {
  if (tokens == 0) return;
  const auto count = static_cast<std::size_t>(tokens);
  void* const address =
      ::mmap(nullptr, count * sizeof(std::int32_t), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  words_ = {static_cast<std::int32_t*>(address), count};
  own_ = words_.subspan(static_cast<std::size_t>(own.first_token), static_cast<std::size_t>(own.tokens()));
  if (own_.empty()) return;
  const auto words_of_page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / sizeof(std::int32_t);
  const std::size_t first = static_cast<std::size_t>(own.first_token) / words_of_page * words_of_page;
  const auto pages = words_.subspan(first, static_cast<std::size_t>(own.end_token) - first);
  if (::mprotect(pages.data(), pages.size_bytes(), PROT_READ | PROT_WRITE) == 0) return;
  ::munmap(address, words_.size_bytes());
  throw std::bad_alloc();
}

WordsOfRank::~WordsOfRank() {
  if (!words_.empty()) ::munmap(words_.data(), words_.size_bytes());
}

}  // namespace papilio::lda
