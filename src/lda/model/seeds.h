#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "papilio/model.h"

namespace papilio::lda {

// The entries of one word in a list of seed words that is sorted by word.
std::span<const SeedWord> seeds_of(std::span<const SeedWord> words, std::int64_t word);

// The seed words of a chain, as constant counts s_wk beside those of tokens.
//
// A Dirichlet prior of beta + s_wk acts as beta together with s_wk tokens that are never drawn. So a chain's tables
// hold n_wk + s_wk and n_k + s_k, and every sampler uses the prior without knowing of it. Models and documents' counts
// need the tokens alone: they take the seeds out again or count for themselves.
class Seeds {
 public:
  Seeds() = default;

  // Throws InvalidArgument for topics and weights out of range, and for a word that a topic lists twice.
  Seeds(std::vector<SeedWord> words, std::int32_t topics, const char* caller);

  bool empty() const { return words_.empty(); }
  const std::vector<SeedWord>& words() const { return words_; }  // ascending by word, then by topic
  std::span<const SeedWord> of_word(std::int64_t w) const { return seeds_of(words_, w); }
  const std::vector<std::int64_t>& s_k() const { return s_k_; }  // K; empty if there are none
  std::int64_t total() const { return total_; }

  // Calls use(its seed words) once for each word that has any, by ascending word.
  template <class Use>
  void for_each_word(Use use) const {
    for (std::size_t begin = 0, end = 0; begin < words_.size(); begin = end) {
      while (end < words_.size() && words_[end].word == words_[begin].word) ++end;
      use(std::span(words_).subspan(begin, end - begin));
    }
  }

  // n_wk: V x K; n_k: K.
  void add_to_words(std::span<std::int32_t> n_wk) const { add(n_wk, 1); }
  void add_to_topics(std::span<std::int64_t> n_k) const;
  void take_from_words(std::span<std::int32_t> n_wk) const { add(n_wk, -1); }
  void take_from_topics(std::span<std::int64_t> n_k) const;

 private:
  void add(std::span<std::int32_t> n_wk, std::int32_t sign) const;

  std::int64_t topics_ = 0;
  std::vector<SeedWord> words_;
  std::vector<std::int64_t> s_k_;
  std::int64_t total_ = 0;
};

}  // namespace papilio::lda
