#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"

namespace papilio::lda {

// Cuts text into tokens as TextOptions describes them: runs of letters and
// combining marks that begin with a letter, joined by single punctuation
// characters (Unicode categories L, M, P), case-folded and in NFC.
//
// One object serves one thread. Linear in the text; memory: the longest token.
class Tokenizer {
 public:
  explicit Tokenizer(int min_token_length) : min_token_length_(min_token_length) {}

  // Calls use(token) for each token of the text, in order; returns the number of
  // ill-formed UTF-8 sequences (maximal subparts, as Unicode counts them). The
  // token lives until `use` returns.
  std::int64_t tokenize(std::string_view text, base::FunctionRef<void(std::string_view)> use);

  // The whole text, case-folded and in NFC; ill-formed sequences are left as they are.
  std::string fold(std::string_view text);

 private:
  const char* ascii_token(const char* begin, const char* end, base::FunctionRef<void(std::string_view)> use);
  const char* unicode_token(const char* begin, const char* end, base::FunctionRef<void(std::string_view)> use);
  void append_folded(std::int32_t code_point);
  std::int64_t finish_folded();

  int min_token_length_;
  std::string token_;
  std::vector<std::int32_t> code_points_;
};

}  // namespace papilio::lda
