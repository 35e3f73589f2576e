#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"
#include "papilio/corpus.h"

namespace papilio {
namespace lda {
namespace {

// The list, with room to grow, a copy in the options, and their index.
constexpr std::int64_t bytes_per_listed_word = 4 * sizeof(std::string) + 32;

}  // namespace
}  // namespace lda

std::vector<std::string> read_word_list(const std::string& path, std::int64_t max_memory) {
  constexpr const char* blanks = " \t";
  constexpr const char* caller = "papilio::read_word_list";
  base::require(max_memory >= 0, "{}: max_memory is {}, expected at least 0", caller, max_memory);
  lda::MemoryLimit memory_limit(max_memory);
  lda::MemoryShare memory(memory_limit);
  std::int64_t bytes = 0;
  lda::LineReader reader({caller, path}, memory_limit, std::int64_t{1} << 20);
  std::vector<std::string> words;
  std::string_view line;
  while (reader.next_line(line)) {
    reader.require_utf8(line);
    line = line.substr(0, line.find('#'));
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    line = line.substr(0, line.find_last_not_of(blanks) + 1);
    if (line.empty()) continue;
    words.emplace_back(line);
    bytes += lda::bytes_per_listed_word + 4 * std::ssize(line);
    if (words.size() % 256 == 0 && !memory.set(bytes)) {
      memory_limit.refuse(reader.origin(), reader.line_number(),
                          fmt::format("the list of {} words up to here", words.size()));
    }
  }
  return words;
}

}  // namespace papilio
