#include <cstddef>
#include <cstdint>

#include "corpus_checks.h"
#include "papilio/error.h"

// The input is the file. Its words, one per line, are the same list.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const InputFile file(as_text(data, size));
  try {
    const std::vector<std::string> words = papilio::read_word_list(file.path());
    std::string lines = "\n";  // so that no word passes for a byte-order mark; comments, so that none ends its line
    for (const std::string& word : words) {
      require(!word.empty() && word.find_first_of("#\n") == std::string::npos);
      require(word.find_first_of(" \t") != 0 && word.find_last_of(" \t") != word.size() - 1);
      lines += word + " #\n";
    }
    const InputFile again(lines);
    require(papilio::read_word_list(again.path()) == words);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
