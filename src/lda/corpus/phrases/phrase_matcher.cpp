#include "lda/corpus/phrases/phrase_matcher.h"

#include <algorithm>
#include <utility>

#include "lda/corpus/word_index.h"

namespace papilio::lda {

PhraseMatcher::PhraseMatcher(std::span<const std::string> words, std::vector<std::string> phrases,
                             std::string_view delimiter)
    : phrases_(std::move(phrases)), nodes_(1) {
  WordIndex numbers;
  std::vector<std::pair<std::vector<std::int32_t>, std::int32_t>> sorted;  // parts, phrase
  for (std::size_t p = 0; p < phrases_.size(); ++p) {
    sorted.push_back({{}, static_cast<std::int32_t>(p)});
    for (const std::string_view part : split_at(phrases_[p], delimiter)) {
      sorted.back().first.push_back(numbers.number(part));
    }
    unit_of_.push_back(static_cast<std::int32_t>(words.size() + p));
    most_words_ = std::max(most_words_, static_cast<int>(sorted.back().first.size()));
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [parts, phrase] : sorted) {
    std::int32_t node = 0;
    for (const std::int32_t part : parts) {
      const std::vector<Child>& children = nodes_[static_cast<std::size_t>(node)].children;
      if (children.empty() || children.back().part != part) {
        const auto next = static_cast<std::int32_t>(nodes_.size());
        nodes_[static_cast<std::size_t>(node)].children.push_back({part, next});
        nodes_.emplace_back();
        node = next;
      } else {
        node = children.back().node;
      }
    }
    nodes_[static_cast<std::size_t>(node)].phrase = phrase;
  }
  after_first_.reserve(words.size());
  part_offsets_.reserve(words.size() + 1);
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (!phrases_.empty() && count_parts(words[w], delimiter) > 0) {
      const std::size_t before = parts_.size();
      for (const std::string_view part : split_at(words[w], delimiter)) parts_.push_back(numbers.find(part));
      if (std::find(parts_.begin() + static_cast<std::ptrdiff_t>(before), parts_.end(), -1) != parts_.end()) {
        parts_.resize(before);
      }
    }
    part_offsets_.push_back(std::ssize(parts_));
    const bool is_known = part_offsets_[w] < part_offsets_[w + 1];
    after_first_.push_back(is_known ? walk(0, static_cast<std::int32_t>(w)) : -1);
    if (after_first_.back() < 0) continue;
    const std::int32_t phrase = nodes_[static_cast<std::size_t>(after_first_.back())].phrase;
    if (phrase >= 0) unit_of_[static_cast<std::size_t>(phrase)] = static_cast<std::int32_t>(w);
  }
}

PhraseMatcher::Match PhraseMatcher::longest(std::span<const std::int32_t> words) const {
  Match match = {words[0], 1};
  std::int32_t node = after_first_[static_cast<std::size_t>(words[0])];
  for (std::size_t i = 1; i < words.size() && node >= 0; ++i) {
    node = walk(node, words[i]);
    if (node < 0) break;
    const std::int32_t phrase = nodes_[static_cast<std::size_t>(node)].phrase;
    if (phrase >= 0) match = {unit_of_[static_cast<std::size_t>(phrase)], static_cast<int>(i) + 1};
  }
  return match;
}

std::int32_t PhraseMatcher::child(std::int32_t node, std::int32_t part) const {
  const std::vector<Child>& children = nodes_[static_cast<std::size_t>(node)].children;
  const auto place = std::lower_bound(children.begin(), children.end(), part,
                                      [](const Child& c, std::int32_t wanted) { return c.part < wanted; });
  return place != children.end() && place->part == part ? place->node : -1;
}

// The node that is reached from a node by the word's parts, or -1.
std::int32_t PhraseMatcher::walk(std::int32_t node, std::int32_t word) const {
  const auto begin = static_cast<std::size_t>(part_offsets_[static_cast<std::size_t>(word)]);
  const auto end = static_cast<std::size_t>(part_offsets_[static_cast<std::size_t>(word) + 1]);
  if (begin == end) return -1;
  for (std::size_t i = begin; i < end && node >= 0; ++i) node = child(node, parts_[i]);
  return node;
}

}  // namespace papilio::lda
