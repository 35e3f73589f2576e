#include "tokens.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "papilio/corpus.h"

namespace {

// SplitMix64.
class Uniform {
 public:
  double operator()() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }
  std::uint64_t below(std::uint64_t bound) { return bits() % bound; }

 private:
  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t x = state_;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
  }
  std::uint64_t state_ = 1;
};

// Lengths by a gamma law of shape 2, moved by ones to the exact total.
std::vector<std::int64_t> lengths(std::size_t documents, std::int64_t tokens, Uniform& uniform) {
  constexpr std::int64_t shortest = 4, longest = 307;
  const double scale = static_cast<double>(tokens) / static_cast<double>(documents) / 2;
  std::vector<std::int64_t> all;
  std::int64_t total = 0;
  for (std::size_t d = 0; d < documents; ++d) {
    const double x = -scale * (std::log(uniform()) + std::log(uniform()));
    all.push_back(std::clamp(std::llround(x) + 0LL, 0LL + shortest, 0LL + longest));
    total += all.back();
  }
  while (total != tokens) {
    std::int64_t& length = all[uniform.below(documents)];
    const std::int64_t step = total < tokens ? 1 : -1;
    if (length + step < shortest || length + step > longest) continue;
    length += step;
    total += step;
  }
  return all;
}

}  // namespace

Tokens read_tokens(const std::string& docword) {
  const papilio::Corpus corpus = papilio::read_uci_bag_of_words(docword, "");
  Tokens tokens;
  tokens.name = docword.substr(docword.find_last_of('/') + 1);
  tokens.document_count = static_cast<std::int32_t>(corpus.documents());
  tokens.vocabulary_size = static_cast<std::int32_t>(corpus.vocabulary_size());
  tokens.words = corpus.words;
  for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d)
    tokens.documents.insert(tokens.documents.end(),
                            static_cast<std::size_t>(corpus.document_offsets[d + 1] - corpus.document_offsets[d]),
                            static_cast<std::int32_t>(d));
  return tokens;
}

Tokens generate_tokens(const std::string& name, double shift) {
  Tokens tokens;
  tokens.name = name;
  tokens.document_count = 43556;
  tokens.vocabulary_size = 37286;
  Uniform uniform;
  std::vector<double> sums;
  std::vector<std::int32_t> word_of_rank;
  for (std::int32_t rank = 0; rank < tokens.vocabulary_size; ++rank) {
    sums.push_back((sums.empty() ? 0 : sums.back()) + std::pow(rank + shift, -1.07));
    word_of_rank.push_back(rank);
  }
  for (std::size_t i = word_of_rank.size() - 1; i > 0; --i)
    std::swap(word_of_rank[i], word_of_rank[uniform.below(i + 1)]);

  const auto all = lengths(static_cast<std::size_t>(tokens.document_count), 3072662, uniform);
  for (std::size_t d = 0; d < all.size(); ++d)
    for (std::int64_t i = 0; i < all[d]; ++i) {
      const auto rank = std::upper_bound(sums.begin(), sums.end() - 1, uniform() * sums.back()) - sums.begin();
      tokens.documents.push_back(static_cast<std::int32_t>(d));
      tokens.words.push_back(word_of_rank[static_cast<std::size_t>(rank)]);
    }
  return tokens;
}
