#pragma once

#include <span>
#include <string_view>

namespace papilio::lda {

// A file of stop_words/, unchanged: words between blanks, and lines that begin with '#', which describe the words.
struct StopWordText {
  std::string_view language;
  std::string_view text;
};

// Generated from the files by cmake/embed_stop_words.cmake; sorted by language. English is in stop_words.cpp.
extern const std::span<const StopWordText> stop_word_texts;

}  // namespace papilio::lda
