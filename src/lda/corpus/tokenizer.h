#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"

namespace papilio::lda {

// Cuts text into tokens as TextOptions describes them: runs of letters and
// combining marks that begin with a letter, joined by single punctuation
// characters (Unicode categories L, M, P), in NFC and, with `fold_case`, case-folded.
//
// One object serves one thread. Linear in the text; memory: the longest token.
class Tokenizer {
 public:
  explicit Tokenizer(int min_token_length, bool fold_case = true)
      : min_token_length_(min_token_length), fold_case_(fold_case) {}

  // Calls use(token) for each token of the text, in order; returns the number of
  // ill-formed UTF-8 sequences (maximal subparts, as Unicode counts them). The
  // token lives until `use` returns.
  std::int64_t tokenize(std::string_view text, base::FunctionRef<void(std::string_view)> use);

  // The whole text, always case-folded, and in NFC; ill-formed sequences are left as they are.
  std::string fold(std::string_view text);

 private:
  const char* ascii_token(const char* begin, const char* end, base::FunctionRef<void(std::string_view)> use);
  const char* unicode_token(const char* begin, const char* end, base::FunctionRef<void(std::string_view)> use);
  void append_decomposed(std::int32_t code_point, bool fold_case);
  std::int64_t finish_composed();

  int min_token_length_;
  bool fold_case_;
  std::string token_;
  std::vector<std::int32_t> code_points_;
};

}  // namespace papilio::lda
