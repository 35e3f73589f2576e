#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/function_ref.h"

namespace papilio::lda {

// Finds the words of a line of text, which is UTF-8 in NFC. One object serves one thread.
class WordFinder {
 public:
  using Use = base::FunctionRef<void(std::string_view)>;

  virtual ~WordFinder() = default;

  // Calls word(w) for each word, in order, and rest(r) for everything else that may contain words which are left out.
  virtual void find(std::string_view line, Use word, Use rest) = 0;
};

// Words are the matches of a regular expression, or of its first group; the rest is what lies between them. Throws
// InvalidArgument unless token_pattern_fault() is empty.
std::unique_ptr<WordFinder> make_pattern_finder(const std::string& pattern);

// Words are what lies between ICU's word boundaries and has a letter;
// the rest are numbers. Throws InvalidArgument in a build without ICU.
std::unique_ptr<WordFinder> make_boundary_finder();

// The longest line that a finder is given, in bytes: both finders count in 32 bits.
inline constexpr std::size_t longest_found_line = std::size_t{1} << 28;

}  // namespace papilio::lda
