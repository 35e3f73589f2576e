#include "lda/io/counts/vocabulary_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/check.h"
#include "lda/corpus/tokenizer.h"
#include "lda/corpus/utf8.h"
#include "lda/corpus/word_index.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"

namespace papilio::lda {

std::vector<std::string> read_vocabulary(const Origin& origin, const TextOptions& options, MemoryShare& memory) {
  LineReader reader(origin, memory.limit(), options.max_line_bytes);
  WordIndex words;
  std::size_t longest = 0;
  std::string_view line;
  while (reader.next_line(line)) {
    if (line.empty()) reader.format_error(1, "expected a word, got an empty line");
    reader.require_utf8(line);
    const std::int32_t number = words.number(line);
    if (number + 1 != reader.line_number()) {
      reader.format_error(1, fmt::format("word {} is already on line {}", lda::quoted(line), number + 1));
    }
    longest = std::max(longest, line.size());  // it is folded if there are stop words
    const std::int64_t bytes =
        2 * words.memory() + (longest > Tokenizer::long_word ? Tokenizer::memory_for(longest) : 0);
    if (!memory.set(bytes)) {
      memory.limit().refuse(origin, number + 1, fmt::format("the vocabulary of {} words up to here", number + 1));
    }
  }
  return words.take_words();
}

std::vector<std::string> read_vocabulary(const Origin& origin, const TextOptions& options, MemoryShare& memory,
                                         std::int64_t expected, const std::string& where) {
  std::vector<std::string> words = read_vocabulary(origin, options, memory);
  if (std::ssize(words) != expected) {
    origin.format_error(0, 0, fmt::format("expected {} words ({}), got {}", expected, where, words.size()));
  }
  return words;
}

std::vector<std::string> numbers_as_words(std::int64_t first, std::int64_t count) {
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(count));
  for (std::int64_t w = 0; w < count; ++w) words.push_back(std::to_string(first + w));
  return words;
}

void require_writable(std::span<const std::string> vocabulary, const char* caller) {
  WordIndex index;
  for (std::size_t w = 0; w < vocabulary.size(); ++w) {
    const std::string& word = vocabulary[w];
    base::require(!word.empty() && word.find_first_of("\r\n") == std::string::npos,
                  "{}: word {} is {}, expected one line that is not empty", caller, w, lda::quoted(word));
    base::require(w > 0 || !word.starts_with("\xef\xbb\xbf"), "{}: word 0 is {}, which begins with a byte-order mark",
                  caller, lda::quoted(word));
    base::require(find_ill_formed(word) == std::string::npos, "{}: word {} is {}, expected UTF-8", caller, w,
                  lda::quoted(word));
    const std::int32_t number = index.number(word);
    base::require(number == static_cast<std::int32_t>(w), "{}: words {} and {} are both {}", caller, number, w,
                  lda::quoted(word));
  }
}

}  // namespace papilio::lda
