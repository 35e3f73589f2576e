#include "lda/evaluation/stability.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

#include "base/check.h"
#include "lda/evaluation/assignment.h"

namespace papilio {
namespace lda {
namespace {

// How many words each pair of topics shares, and how many each topic has.
struct SharedWords {
  std::size_t topics;
  std::vector<std::uint16_t> shared;  // K x K: topics of the first model by topics of the second
  std::vector<std::int32_t> first, second;

  std::int32_t together(std::size_t a, std::size_t b) const { return shared[a * topics + b]; }
  std::int32_t either(std::size_t a, std::size_t b) const { return first[a] + second[b] - together(a, b); }
};

std::vector<std::int32_t> lengths(std::span<const std::int32_t> lists, std::size_t topics) {
  const std::size_t width = lists.size() / topics;
  std::vector<std::int32_t> counts(topics);
  for (std::size_t k = 0; k < topics; ++k) {
    const auto list = lists.subspan(k * width, width);
    counts[k] = static_cast<std::int32_t>(std::count_if(list.begin(), list.end(), [](auto w) { return w >= 0; }));
  }
  return counts;
}

SharedWords count_shared(std::span<const std::int32_t> first, std::span<const std::int32_t> second, std::size_t topics,
                         std::int64_t vocabulary_size) {
  SharedWords words = {topics, std::vector<std::uint16_t>(topics * topics), lengths(first, topics),
                       lengths(second, topics)};
  std::vector<std::vector<std::uint32_t>> topics_with(static_cast<std::size_t>(vocabulary_size));  // of the second
  const std::size_t width = first.size() / topics;
  for (std::size_t i = 0; i < second.size(); ++i) {
    if (second[i] >= 0)
      topics_with[static_cast<std::size_t>(second[i])].push_back(static_cast<std::uint32_t>(i / width));
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] < 0) continue;
    for (const std::uint32_t b : topics_with[static_cast<std::size_t>(first[i])]) {
      ++words.shared[i / width * topics + b];
    }
  }
  return words;
}

// 1 minus the Jaccard index, in units of 2^-40.
std::int64_t dissimilarity(const SharedWords& words, std::size_t a, std::size_t b) {
  constexpr std::int64_t one = std::int64_t{1} << 40;
  const std::int64_t together = words.together(a, b);
  return together == 0 ? one : one - together * one / words.either(a, b);
}

}  // namespace

std::vector<std::int32_t> top_word_lists(const Model& model, int top_words) {
  const auto width = static_cast<std::size_t>(top_words);
  std::vector<std::int32_t> lists(static_cast<std::size_t>(model.topics) * width, -1);
  for (std::int32_t k = 0; k < model.topics; ++k) {
    auto place = lists.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * width);
    for (const TopWord& top : counted_top_words(model, k, top_words)) *place++ = top.word;
  }
  return lists;
}

TopicStability stability_of(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                            std::int32_t topics, std::int64_t vocabulary_size) {
  const auto count = static_cast<std::size_t>(topics);
  const SharedWords words = count_shared(first, second, count, vocabulary_size);
  TopicStability result;
  result.partner = least_assignment(count, [&](std::size_t a, std::size_t b) { return dissimilarity(words, a, b); });
  std::int64_t apart = 0;
  for (std::size_t a = 0; a < count; ++a) {
    const auto b = static_cast<std::size_t>(result.partner[a]);
    const std::int32_t either = words.either(a, b);
    result.similarity.push_back(either == 0 ? 0.0 : static_cast<double>(words.together(a, b)) / either);
    apart += dissimilarity(words, a, b);
  }
  // The integers give the same mean whichever of several best assignments was found.
  result.mean =
      1 - static_cast<double>(apart) / static_cast<double>(count) / static_cast<double>(std::int64_t{1} << 40);
  return result;
}

double diversity_of(std::span<const std::int32_t> words) {
  std::vector<std::int32_t> sorted;
  std::copy_if(words.begin(), words.end(), std::back_inserter(sorted), [](std::int32_t w) { return w >= 0; });
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto all = static_cast<double>(sorted.size());
  std::sort(sorted.begin(), sorted.end());
  return static_cast<double>(std::unique(sorted.begin(), sorted.end()) - sorted.begin()) / all;
}

}  // namespace lda

double diversity(const Model& model, int top_words) {
  base::require(top_words >= 1, "papilio::diversity: top_words is {}, expected at least 1", top_words);
  model.verify();
  const auto most = static_cast<int>(std::min<std::int64_t>(top_words, model.vocabulary_size()));
  return lda::diversity_of(lda::top_word_lists(model, most));
}

TopicStability topic_stability(const Model& first, const Model& second, int top_words) {
  base::require(1 <= top_words && top_words <= 1000, "papilio::topic_stability: top_words is {}, expected 1 to 1000",
                top_words);
  first.verify();
  second.verify();
  base::require(first.topics == second.topics, "papilio::topic_stability: one model has {} topics, the other {}",
                first.topics, second.topics);
  base::require(first.vocabulary == second.vocabulary,
                "papilio::topic_stability: the models have different words ({} and {}); compare models of one corpus",
                first.vocabulary_size(), second.vocabulary_size());
  return lda::stability_of(lda::top_word_lists(first, top_words), lda::top_word_lists(second, top_words), first.topics,
                           first.vocabulary_size());
}

}  // namespace papilio
