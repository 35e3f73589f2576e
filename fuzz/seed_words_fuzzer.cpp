#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "corpus_checks.h"
#include "papilio/error.h"
#include "papilio/seed_words.h"

// The input is the file. Its words, written one per line, are the same ones.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::string> vocabulary = {"a", "b", "c", "bank", "money", "0", "weight", "a:b", "c#"};
  const papilio::SeedWordsOptions options = {.topics = 12};
  const InputFile file(as_text(data, size));
  try {
    papilio::SeedWordsReport report;
    const std::vector<papilio::SeedWord> words = papilio::read_seed_words(file.path(), vocabulary, options, &report);
    require(report.words == static_cast<std::int64_t>(words.size()));
    std::string lines;
    for (const papilio::SeedWord& seed : words) {
      require(0 <= seed.topic && seed.topic < options.topics && 1 <= seed.weight &&
              seed.weight <= papilio::largest_seed_weight);
      lines += std::to_string(seed.topic) + " weight " + std::to_string(seed.weight) + ": " +
               vocabulary.at(static_cast<std::size_t>(seed.word)) + "\n";
    }
    const InputFile again(lines);
    require(papilio::read_seed_words(again.path(), vocabulary, options) == words);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
