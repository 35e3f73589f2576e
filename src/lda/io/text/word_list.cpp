#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/bytes/line_reader.h"
#include "papilio/corpus.h"

namespace papilio {
std::vector<std::string> read_word_list(const std::string& path) {
  constexpr const char* blanks = " \t";
  lda::LineReader reader({"papilio::read_word_list", path}, std::int64_t{1} << 20);
  std::vector<std::string> words;
  std::string_view line;
  while (reader.next_line(line)) {
    reader.require_utf8(line);
    line = line.substr(0, line.find('#'));
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    line = line.substr(0, line.find_last_not_of(blanks) + 1);
    if (!line.empty()) words.emplace_back(line);
  }
  return words;
}

}  // namespace papilio
