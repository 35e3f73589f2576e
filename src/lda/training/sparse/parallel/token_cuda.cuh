#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/document_part_cuda.cuh"
#include "lda/training/sparse/parallel/search_cuda.cuh"
#include "random/philox.h"
#include "random/uniform.h"

// The draw of one token.

namespace papilio::lda {

enum class Part : std::uint8_t { own, document, word, smoothing };

struct Drawn {
  std::int32_t topic;
  Part part;
};

// A token that a thread draws.
template <class Packing>
struct SparseToken {
  std::uint32_t number;
  ListOfToken<Packing> list;

  __device__ __forceinline__ SparseToken(const SparseDraw<Packing>& draw, std::int64_t by_word) {
    const SparseDocument document = load_document(draw.documents + draw.document[by_word]);
    number = document.first_token + draw.place[by_word];
    list = {document.list, document.entries, static_cast<std::int32_t>(draw.z[number])};
  }
};

// What a token's topics weigh: its old one, without the token; the others of its document's list; and in
// integers, of its word's and of all.
struct Weights {
  double own;
  double listed;           // with `own`
  double before, taken;    // in the document part: up to the old topic, and what it takes there
  std::uint64_t of_word;   // a_k n_wk of the old topic,
  std::uint64_t of_prior;  // and its b_k, which are left out of
  std::uint64_t others;    // the word's and the prior's
};

template <class Packing>
__device__ __forceinline__ Weights weights_of(const SparseWord<Packing>& word, std::int32_t old,
                                              const DocumentPart<Packing>& document, bool removes) {
  const SparseTopics& topics = word.topics;
  const std::uint64_t all = word.mass + __ldg(topics.smoothing + topics.topics - 1);
  if (!removes) return {0, document.total(), 0, 0, 0, 0, all};
  const SparseTopic topic = load_topic(topics.records + old);
  const std::int32_t n_wk = word.count(old);
  const double in_document = document.old_count(), in_word = n_wk;
  const double own = (((in_document - 1) + topic.alpha) * ((in_word - 1) + topics.beta)) * topic.reciprocal;
  const float behind = document.before_old() + static_cast<float>(document.old_count()) * word.phi[old];
  const double in_lane = document.before_old(), taken = static_cast<double>(behind) - in_lane;
  const std::uint64_t of_word = topic.unit * static_cast<std::uint64_t>(n_wk);
  return {.own = own,
          .listed = own + (static_cast<double>(document.total()) - taken),
          .before = static_cast<double>(document.before_old_lane()) + in_lane,
          .taken = taken,
          .of_word = of_word,
          .of_prior = topic.smoothing,
          .others = all - of_word - topic.smoothing};
}

// Where a target of the document part without the old topic lies in it with that.
__device__ __forceinline__ double target_with_old(double target, const Weights& weights, float listed) {
  double q = target - weights.own;
  if (q >= weights.before) q = q + weights.taken;
  const double below = __int_as_float(__float_as_int(listed) - 1);
  return fmax(fmin(q, below), 0.0);
}

// A token's topic.
template <class Packing>
__device__ __forceinline__ Drawn draw_token(const SparseDraw<Packing>& draw, const SparseWord<Packing>& word,
                                            const SparseToken<Packing>& token) {
  const SparseTopics& topics = draw.topics;
  const std::int32_t old = token.list.old;
  const DocumentPart<Packing> document(word.phi, draw.lists, token.list);
  const Weights weights = weights_of(word, old, document, draw.removes);
  const double total = weights.listed + static_cast<double>(weights.others) * topics.inverse_scale;
  const random::Block block = cuda::random::draw_block(draw.seed, draw.stream, token.number);
  const double t = cuda::random::uniform53(block.word[0], block.word[1]) * total;
  if (t < weights.own) return {old, Part::own};
  if (t < weights.listed) {
    const double target = draw.removes ? target_with_old(t, weights, document.total()) : t;
    return {static_cast<std::int32_t>(topic_of<Packing>(document.find(target))), Part::document};
  }
  if (weights.others == 0) return {old, Part::own};
  const std::int32_t without = draw.removes ? old : -1;
  const std::uint64_t x = unit_below((t - weights.listed) * topics.scale, weights.others);
  const std::uint64_t of_word = word.mass - weights.of_word;
  if (x < of_word) return {word.find(x, without, weights.of_word), Part::word};
  return {find_in_smoothing(topics, x - of_word, without, weights.of_prior), Part::smoothing};
}

struct Tally {
  unsigned own = 0, document = 0, word = 0, smoothing = 0;

  __device__ __forceinline__ void add(Part part) {
    own += part == Part::own ? 1 : 0;
    document += part == Part::document ? 1 : 0;
    word += part == Part::word ? 1 : 0;
    smoothing += part == Part::smoothing ? 1 : 0;
  }
  __device__ __forceinline__ void give_to(SparseCounters* counters) const {
    const auto give = [](unsigned long long* to, unsigned n) {
      const unsigned sum = __reduce_add_sync(0xFFFF'FFFFu, n);
      if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(to, static_cast<unsigned long long>(sum));
    };
    give(&counters->own, own);
    give(&counters->document, document);
    give(&counters->word, word);
    give(&counters->smoothing, smoothing);
  }
};

}  // namespace papilio::lda
