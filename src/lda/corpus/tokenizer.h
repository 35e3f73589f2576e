#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "lda/corpus/white_space.h"
#include "lda/corpus/word_finder.h"
#include "lda/corpus/word_tally.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// Cuts text into tokens as TextOptions says, in NFC and, with `fold_case`, case-folded; counts what it leaves out.
// Tokens are runs of letters, combining marks and, if the rule says so, digits, joined by single punctuation characters
// (Unicode categories L, M, N, P); or they are what a WordFinder finds in each line.
//
// One object serves one thread. Linear in the text. Memory: the longest token, or with a WordFinder the longest line.
class Tokenizer {
 public:
  // The options are in range (require_text_options). A WordFinder is given lines of at most `longest_line` bytes at a
  // time; longer ones are searched in parts.
  explicit Tokenizer(const TextOptions& options, std::size_t longest_line = longest_found_line);
  explicit Tokenizer(int min_token_length, bool fold_case = true)
      : Tokenizer({.min_token_length = min_token_length, .fold_case = fold_case}) {}

  using Use = base::FunctionRef<void(std::string_view)>;

  // Calls use(token) for each token of the text, in order; returns the number of
  // ill-formed UTF-8 sequences (maximal subparts, as Unicode counts them). The
  // token lives until `use` returns.
  std::int64_t tokenize(std::string_view text, Use use);

  // From now on `between` is updated.
  void watch_between() { watches_between_ = true; }

  // While `use` runs: what stands before the token, back to the token before it or the beginning of the text. After
  // `tokenize`: what stands after the last token.
  const TextBetween& between() const { return between_; }

  // Whether a word has fewer code points than the options ask for.
  bool is_too_short(std::string_view word) const;

  // What has been left out since the last clear().
  TokenTally& left_out() { return left_out_; }
  const TokenTally& left_out() const { return left_out_; }

  // Whether tokens are found line by line; then the text must consist of whole lines.
  bool needs_lines() const { return finder_ != nullptr; }

  // Where a text can be cut without cutting a token or an ill-formed sequence: after the last end of a line if lines
  // are needed, else after the last ASCII character that separates tokens (a blank, a symbol); 0 if there is none.
  std::size_t after_last_cut(std::string_view text) const;

  // How many bytes to cut off the front of a text: at most `most` if they contain such a place, else up to the first.
  std::size_t part_size(std::string_view text, std::size_t most) const;

  // The most bytes of memory that a token of `bytes` bytes takes while it is made.
  static constexpr std::int64_t memory_for(std::size_t bytes) { return 16 * static_cast<std::int64_t>(bytes); }
  static constexpr std::size_t long_word = std::size_t{1} << 16;  // from here on, readers account for that memory

  // The whole text in NFC, case-folded unless `fold_case` is unset; ill-formed sequences are left as they are.
  std::string fold(std::string_view text, bool fold_case = true);

 private:
  const char* ascii_token(const char* begin, const char* end, Use use);
  const char* unicode_token(const char* begin, const char* end, Use use);
  const char* number(const char* begin, const char* end);
  std::string_view folded_ascii(std::string_view raw);
  void use_ascii(std::string_view raw, Use use);
  std::int64_t tokenize_line(std::string_view line, Use use);
  void find_in_line(Use use);
  bool is_cut(char c) const;
  void use_token(const char* begin, const char* end, std::string_view token, Use use);
  void append_decomposed(std::int32_t code_point, bool fold_case);
  std::int64_t finish_composed();

  int min_length_;
  int min_length_with_digit_;
  bool fold_case_;
  bool keeps_digits_;
  bool keeps_numbers_;
  std::size_t longest_line_;
  std::unique_ptr<WordFinder> finder_;  // null: by classes of characters
  std::unique_ptr<Tokenizer> rest_;     // cuts what a pattern does not match
  TokenTally left_out_;
  std::string token_;                      // or the line
  std::array<char, 64> short_token_ = {};  // of ASCII
  bool watches_between_ = false;
  const char* last_end_ = nullptr;  // of the last token, in the text or in the line
  TextBetween between_;
  std::vector<std::int32_t> code_points_;
};

}  // namespace papilio::lda
