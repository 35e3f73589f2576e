#include "support/topic_keys.h"

#include <fmt/format.h>

std::string topic_key(const papilio::Model& model, std::int32_t topic, int words) {
  std::string line = fmt::format("{}\t{:.5f}\t", topic, model.alpha[static_cast<std::size_t>(topic)]);
  for (const papilio::TopWord& word : papilio::counted_top_words(model, topic, words)) {
    line += model.vocabulary[static_cast<std::size_t>(word.word)];
    line += ' ';
  }
  return line + '\n';
}
