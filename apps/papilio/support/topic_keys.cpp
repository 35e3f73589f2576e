#include "support/topic_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "support/text.h"

std::string topic_key(const papilio::Model& model, std::int32_t topic, int words) {
  std::string line = fmt::format("{}\t{:.5f}\t", topic, model.alpha[static_cast<std::size_t>(topic)]);
  for (const papilio::TopWord& word : papilio::counted_top_words(model, topic, words)) {
    line += model.vocabulary[static_cast<std::size_t>(word.word)];
    line += ' ';
  }
  return line + '\n';
}

double token_share(const papilio::Model& model, std::int32_t topic) {
  const std::int64_t tokens = std::accumulate(model.n_k.begin(), model.n_k.end(), std::int64_t{0});
  return tokens == 0 ? 0
                     : static_cast<double>(model.n_k[static_cast<std::size_t>(topic)]) / static_cast<double>(tokens);
}

std::vector<std::int32_t> topics_by_share(const papilio::Model& model) {
  std::vector<std::int32_t> order(model.n_k.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return model.n_k[static_cast<std::size_t>(a)] > model.n_k[static_cast<std::size_t>(b)];
  });
  return order;
}

std::string seeds_summary(const std::vector<papilio::SeedWord>& seed_words) {
  std::set<std::int32_t> topics;
  for (const papilio::SeedWord& seed : seed_words) topics.insert(seed.topic);
  return fmt::format("{} in {} topic{}", grouped(std::ssize(seed_words)), grouped(std::ssize(topics)),
                     topics.size() == 1 ? "" : "s");
}

std::string topic_table_header() { return "topic   share  words\n"; }

std::string topic_table_row(const papilio::Model& model, std::int32_t topic, int words) {
  const std::string& label = model.label(topic);
  std::string line = fmt::format("{:>5} {:>6.2f}% {}", topic, 100 * token_share(model, topic),
                                 label.empty() ? "" : fmt::format(" {}:", printable(label)));
  for (const papilio::TopWord& word : papilio::counted_top_words(model, topic, words)) {
    line += ' ' + printable(model.vocabulary[static_cast<std::size_t>(word.word)]);
  }
  return line + '\n';
}
