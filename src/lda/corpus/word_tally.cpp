#include "lda/corpus/word_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "execution/ranks/collectives.h"

namespace papilio::lda {
namespace {

constexpr std::size_t most_examples = 3;

// The most frequent of the words shown to it.
class Examples {
 public:
  void show(std::int64_t count, std::string_view word) {
    const auto place =
        std::find_if(best_.begin(), best_.end(), [&](const auto& other) { return before(count, word, other); });
    if (place == best_.end() && best_.size() == most_examples) return;
    best_.emplace(place, count, word);
    if (best_.size() > most_examples) best_.pop_back();
  }

  std::vector<std::string> take() {
    std::vector<std::string> words;
    for (auto& [count, word] : best_) words.push_back(std::move(word));
    return words;
  }

 private:
  using Counted = std::pair<std::int64_t, std::string>;
  static bool before(std::int64_t count, std::string_view word, const Counted& other) {
    return count != other.first ? count > other.first : word < other.second;
  }

  std::vector<Counted> best_;
};

}  // namespace

std::string WordTally::word_at(std::size_t place) {
  const auto character = [](std::size_t code) { return static_cast<char>(first_plain + static_cast<int>(code) - 1); };
  std::string word(1, character(place / plain));
  if (place % plain != 0) word += character(place % plain);
  return word;
}

void WordTally::remember(std::string_view word, std::int64_t count) {
  tokens_ += count;
  const bool fits = word.size() <= longest_left_out_word;
  const bool may_grow = std::ssize(words_.words()) < most_words_;
  const std::int32_t number = !fits ? -1 : may_grow ? words_.number(word) : words_.find(word);
  if (number < 0) {
    has_more_words_ = true;
    return;
  }
  if (static_cast<std::size_t>(number) == counts_.size()) counts_.push_back(0);
  counts_[static_cast<std::size_t>(number)] += count;
}

void WordTally::add(const WordTally& next) {
  for (std::size_t place = 0; place < next.pairs_.size(); ++place) {
    if (next.pairs_[place] == 0) continue;
    pairs()[place] += next.pairs_[place];
    tokens_ += next.pairs_[place];
  }
  std::int64_t counted = 0;
  for (std::size_t w = 0; w < next.counts_.size(); ++w) {
    remember(next.words_.words()[w], next.counts_[w]);
    counted += next.counts_[w];
  }
  for (const std::int64_t count : next.pairs_) counted += count;
  tokens_ += next.tokens_ - counted;  // of words that were not remembered
  has_more_words_ |= next.has_more_words_;
}

// A word among the first of the whole text is among the first of the part in which it first occurs. So each rank in
// turn sends those of its words that no rank has sent before.
WordIndex WordTally::first_words(std::int64_t limit, Communicator& ranks) const {
  WordIndex all;
  for (int r = 0; r < ranks.ranks(); ++r) {
    std::vector<std::string> added;
    const std::int64_t room = limit - std::ssize(all.words());
    for (const std::string& word : words_.words()) {
      if (r != ranks.rank() || std::ssize(added) == room) break;
      if (all.find(word) < 0) added.push_back(word);
    }
    for (const std::string& word : execution::broadcast_texts(ranks, std::move(added), r)) all.number(word);
  }
  return all;
}

void WordTally::add_up(std::int64_t limit, Communicator& ranks) {
  WordIndex all = first_words(limit, ranks);
  std::vector<std::int64_t> sums(all.words().size());
  std::int64_t more = has_more_words_ ? 1 : 0;
  for (std::size_t w = 0; w < counts_.size(); ++w) {
    const std::int32_t number = all.find(words_.words()[w]);
    if (number < 0) {
      more = 1;
    } else {
      sums[static_cast<std::size_t>(number)] = counts_[w];
    }
  }
  sums.insert(sums.end(), pairs().begin(), pairs().end());
  sums.insert(sums.end(), {tokens_, more});
  ranks.add_up(sums);
  has_more_words_ = sums.back() > 0;
  tokens_ = sums[sums.size() - 2];
  const auto end_of_words = sums.begin() + std::ssize(all.words());
  std::copy_n(end_of_words, pairs_.size(), pairs_.begin());
  counts_.assign(sums.begin(), end_of_words);
  words_ = std::move(all);
}

void WordTally::clear() {
  if (tokens_ == 0) return;
  std::fill(pairs_.begin(), pairs_.end(), 0);
  words_.clear();
  counts_.clear();
  tokens_ = 0;
  has_more_words_ = false;
}

LeftOutWords WordTally::result() const {
  Examples examples;
  LeftOutWords result;
  result.tokens = tokens_;
  result.has_more_words = has_more_words_;
  for (std::size_t place = 0; place < pairs_.size(); ++place) {
    if (pairs_[place] == 0) continue;
    ++result.words;
    examples.show(pairs_[place], word_at(place));
  }
  for (std::size_t w = 0; w < counts_.size(); ++w) examples.show(counts_[w], words_.words()[w]);
  result.words += std::ssize(counts_);
  result.examples = examples.take();
  return result;
}

std::int64_t WordTally::memory() const {
  return words_.memory() + static_cast<std::int64_t>((pairs_.capacity() + counts_.capacity()) * sizeof(std::int64_t));
}

LeftOutWords pick_words(std::span<const std::string> words, std::span<const std::int64_t> counts,
                        base::FunctionRef<bool(std::size_t)> belongs) {
  Examples examples;
  LeftOutWords result;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (counts[w] == 0 || !belongs(w)) continue;
    ++result.words;
    result.tokens += counts[w];
    examples.show(counts[w], words[w]);
  }
  result.examples = examples.take();
  return result;
}

void TokenTally::add(const TokenTally& next) {
  too_short.add(next.too_short);
  numbers.add(next.numbers);
  outside_pattern.add(next.outside_pattern);
  unspaced += next.unspaced;
}

void TokenTally::add_up(std::int64_t limit, Communicator& ranks) {
  for (WordTally* const words : {&too_short, &numbers, &outside_pattern}) words->add_up(limit, ranks);
}

void TokenTally::clear() {
  too_short.clear();
  numbers.clear();
  outside_pattern.clear();
  unspaced = 0;
}

void TokenTally::tell(LeftOut& left_out) const {
  left_out[LeftOutReason::too_short] = too_short.result();
  left_out[LeftOutReason::number] = numbers.result();
  left_out[LeftOutReason::pattern] = outside_pattern.result();
}

}  // namespace papilio::lda
