#include "lda/model/seeds.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace papilio::lda {

using base::require;

std::span<const SeedWord> seeds_of(std::span<const SeedWord> words, std::int64_t word) {
  const auto first = std::ranges::lower_bound(words, word, {}, &SeedWord::word);
  const auto end = std::ranges::find_if(first, words.end(), [&](const SeedWord& seed) { return seed.word != word; });
  return {first, end};
}

Seeds::Seeds(std::vector<SeedWord> words, std::int32_t topics, const char* caller)
    : topics_(topics), words_(std::move(words)) {
  if (words_.empty()) return;
  for (const SeedWord& seed : words_) {
    require(0 <= seed.topic && seed.topic < topics, "papilio::{}: a seed word is of topic {}, expected 0 <= topic < {}",
            caller, seed.topic, topics);
    require(seed.word >= 0, "papilio::{}: a seed word has the number {}, expected 0 or more", caller, seed.word);
    require(1 <= seed.weight && seed.weight <= largest_seed_weight,
            "papilio::{}: the weight of seed word {} is {}, expected 1 to {}", caller, seed.word, seed.weight,
            largest_seed_weight);
  }
  const auto key = [](const SeedWord& seed) { return std::pair(seed.word, seed.topic); };
  std::ranges::sort(words_, {}, key);
  const auto twice = std::ranges::adjacent_find(words_, {}, key);
  if (twice != words_.end()) {
    require(false, "papilio::{}: topic {} has seed word {} twice", caller, twice->topic, twice->word);
  }
  s_k_.resize(static_cast<std::size_t>(topics));
  for (const SeedWord& seed : words_) {
    s_k_[static_cast<std::size_t>(seed.topic)] += seed.weight;
    total_ += seed.weight;
  }
}

void Seeds::add_to_topics(std::span<std::int64_t> n_k) const {
  for (std::size_t k = 0; k < s_k_.size(); ++k) n_k[k] += s_k_[k];
}

void Seeds::take_from_topics(std::span<std::int64_t> n_k) const {
  for (std::size_t k = 0; k < s_k_.size(); ++k) n_k[k] -= s_k_[k];
}

void Seeds::add(std::span<std::int32_t> n_wk, std::int32_t sign) const {
  for (const SeedWord& seed : words_) {
    n_wk[static_cast<std::size_t>(seed.word * topics_ + seed.topic)] += sign * seed.weight;
  }
}

}  // namespace papilio::lda
