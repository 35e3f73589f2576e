#pragma once

#include <cstdint>

#include "collective/block.cuh"
#include "lda/training/sparse/parallel/document_part_cuda.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"
#include "random/philox.h"
#include "random/uniform.h"

// The draw of one token.

namespace papilio::lda {

enum class Part : std::uint8_t { own, document, word, prior };

struct Drawn {
  std::int32_t topic;
  Part part;
};

// A token that a thread draws.
struct SparseToken {
  std::uint32_t number;
  ListOfToken list;

  SparseToken() = default;

  template <class Entry>
  __device__ __forceinline__ SparseToken(const SparseDraw<Entry>& draw, std::int64_t by_word) {
    const std::int32_t d = draw.document[by_word];
    const bool is_short = d >= draw.short_entries.first_document && d < draw.listed_documents;
    sparse::ListPlace place = {0, 0};
    if (d < draw.listed_documents) {
      const SparseDocument document = load_document(draw.documents + d);
      number = document.first_token + draw.place[by_word];
      place = document.list;
    } else {
      number = __ldg(draw.single_tokens + (d - draw.listed_documents));
    }
    list = {place, static_cast<std::int32_t>(draw.z[number]), is_short};
  }
};

// The weights of a token's topics: its old topic, without the token; the others of its document's list; and, in
// integers, those of its word's topics and of all topics.
struct TokenWeights {
  double own;
  double until_others;     // `own`, and the document's other topics
  sparse::EntryPart part;  // of the old topic in the document part
  std::uint64_t of_word;   // what the old topic has in the word part
  std::uint64_t of_prior;  // and in the prior part; `others` leaves both out
  std::uint64_t others;    // of the word part and the prior part
};

template <class Word, class Document>
__device__ __forceinline__ TokenWeights weights_of(const Word& word, std::int32_t old, const Document& document,
                                                   bool removes) {
  const PaddedTopicMasses& masses = word.masses;
  const std::uint64_t all = word.mass + __ldg(masses.prior_sums + masses.topics - 1);
  if (!removes) return {0, document.total(), {0, 0}, 0, 0, all};
  const sparse::TopicMass topic = load_topic(masses.of + old);
  const std::int32_t n_wk = word.count(old);
  const double own = sparse::own_weight(document.old_count(), topic.alpha,
                                        sparse::word_without_token(n_wk, masses.beta), topic.without_token);
  const sparse::EntryPart part = document.old_part(old);
  const std::uint64_t of_word = topic.word_mass * static_cast<std::uint64_t>(n_wk);
  return {.own = own,
          .until_others = sparse::weight_until_others(own, document.total(), part.size),
          .part = part,
          .of_word = of_word,
          .of_prior = topic.prior_mass,
          .others = all - of_word - topic.prior_mass};
}

// Draws a token's topic. Word is WordOfItem, WordOfFewTopics, WordInTable or RareWord; Document is
// DocumentPart or DocumentPartOfPair.
template <class Entry, class Word, class Document>
__device__ __forceinline__ Drawn draw_token(const SparseDraw<Entry>& draw, const Word& word, const Document& document,
                                            const SparseToken& token) {
  const PaddedTopicMasses& masses = draw.masses;
  const std::int32_t old = token.list.old;
  const TokenWeights weights = weights_of(word, old, document, draw.removes);
  const double total = weights.until_others + sparse::weight_of(weights.others, masses.unit);
  const random::Block block = cuda::random::draw_block(draw.seed, draw.stream, draw.first_token + token.number);
  const double target = cuda::random::uniform53(block.word[0], block.word[1]) * total;
  if (target < weights.own) return {old, Part::own};
  if (target < weights.until_others) {
    double in_list = target;
    if (draw.removes) {
      in_list = sparse::target_below(
          sparse::target_in_list(target, weights.own, weights.part.before, weights.part.size), document.total(), true);
    }
    return {document.find(in_list, old), Part::document};
  }
  if (weights.others == 0) return {old, Part::own};
  const std::int32_t without = draw.removes ? old : -1;
  const std::uint64_t x = sparse::unit_below((target - weights.until_others) * masses.places, weights.others);
  const std::uint64_t of_word = word.mass - weights.of_word;
  if (x < of_word) return {word.find(x, without, weights.of_word), Part::word};
  return {find_in_prior(masses, x - of_word, without, weights.of_prior), Part::prior};
}

// Counts, by part, where the topics that a thread drew came from.
struct Tally {
  unsigned own = 0, document = 0, word = 0, prior = 0;

  __device__ __forceinline__ void add(Part part) {
    own += part == Part::own ? 1 : 0;
    document += part == Part::document ? 1 : 0;
    word += part == Part::word ? 1 : 0;
    prior += part == Part::prior ? 1 : 0;
  }
  __device__ __forceinline__ void give_to(sparse::Statistics* statistics) const {
    const auto give = [](std::int64_t* to, unsigned n) {
      const unsigned sum = __reduce_add_sync(cuda::collective::all_threads, n);
      if (threadIdx.x % 32 == 0 && sum != 0) cuda::collective::atomic_add(to, sum);
    };
    give(&statistics->from_own, own);
    give(&statistics->from_document, document);
    give(&statistics->from_word, word);
    give(&statistics->from_prior, prior);
  }
};

}  // namespace papilio::lda
