// What training takes, as the system counts it: a process of its own, for peaks stay.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

#include "papilio/corpus.h"
#include "papilio/lda.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PAPILIO_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAPILIO_TEST_SANITIZED 1
#endif
#endif

namespace papilio {
namespace {

// Since the program began; getrusage counts from what its parent had. 0 where the system does not say.
std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

// Eight bytes per token, of which the corpus's words are four, and the tables: 8 bytes per entry, 4 more where the
// model is kept beside them. Besides, 6 MiB for the program's own, threads and their blocks; one more int32 a token
// would be 20 MB.
TEST(Memory, IsEightBytesATokenAndTheTables) {
#if defined(PAPILIO_TEST_SANITIZED)
  GTEST_SKIP() << "a sanitizer takes memory of its own";
#endif
  constexpr std::int64_t tokens = 5'000'000, words = 5000, length = 200, topics = 8;
  const std::int64_t before = peak_bytes();
  if (before == 0) GTEST_SKIP() << "/proc/self/status has no VmHWM";
  Corpus corpus;
  corpus.words.resize(tokens);
  for (std::int64_t i = 0; i < tokens; ++i) {
    corpus.words[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((i * i + i / length) % words);
  }
  corpus.document_offsets.reserve(tokens / length + 1);
  for (std::int64_t i = length; i <= tokens; i += length) corpus.document_offsets.push_back(i);
  for (std::int64_t w = 0; w < words; ++w) corpus.vocabulary.push_back(std::to_string(w));

  TrainOptions options = {.topics = topics, .sweeps = 1, .threads = 2};
  constexpr std::int64_t most = 8 * tokens + 8 * (tokens / length) + 12 * words * topics + 6 * 1024 * 1024;
  TrainResult first = train(corpus, options);
  EXPECT_LE(peak_bytes() - before, most);
  EXPECT_GE(peak_bytes() - before, 7 * tokens);  // it does see them; the peak before is not all in use any more

  options.sweeps = 2;
  first.model = {};
  train(corpus, options, std::move(first.topics));
  EXPECT_LE(peak_bytes() - before, most);
}

}  // namespace
}  // namespace papilio
