#pragma once

#include <cstdint>

#include "lda/training/parameters/estimates.h"
#include "lda/training/sequential/topic_tree.h"
#include "random/philox.h"
#include "random/uniform.h"
#include "warp/portability.h"

// The exact chain of `collapsed` in time that depends on the topics of a document, not on K: what the CPU and a GPU
// share, and a GPU's draws. The CPU makes the same draws, to the bit, in word_draws_kernel.h.
//
// Tokens are drawn word by word. With q_k = (n_wk + beta) / (n_k + V beta) of the word in hand, a token's weights are
//
//   (n_dk + alpha_k) q_k = n_dk q_k + alpha_k q_k,
//
// the counts without the token. The first term has the topics of the document, the second has all topics and is kept
// in a tree of sums, in which a token changes two leaves.
//
// Source: Yu, Hsieh, Yun, Vishwanathan and Dhillon, "A scalable asynchronous distributed algorithm for topic
// modeling", WWW 2015, section 3 (word by word, with a tree); Yao, Mimno and McCallum, KDD 2009 (the parts of a sum).

namespace papilio::lda {

// A topic of a document and the number of its tokens there. A document's list begins with an entry whose count is the
// number of those that follow.
struct DocumentTopic {
  std::int32_t topic;
  std::int32_t count;
};

// What a sweep works on. All of it is updated after every draw.
struct SequentialSparse {
  std::int32_t topics = 0;
  std::int32_t* n_wk = nullptr;  // V x stride
  std::int64_t stride = 0;
  std::int64_t* n_k = nullptr;    // K
  const double* alpha = nullptr;  // K
  double beta = 0;
  double prior_mass = 0;  // V beta

  const std::uint32_t* tokens = nullptr;       // N: word after word, each word's in ascending order
  std::int32_t* z = nullptr;                   // N: their topics, in the same order; on a GPU
  const std::int64_t* places = nullptr;        // N: where the lists of their documents begin
  const std::int64_t* word_offsets = nullptr;  // V + 1, into these
  const std::int64_t* list_offsets = nullptr;  // D + 1: the same for each document
  DocumentTopic* lists = nullptr;  // a document's topics, in the order in which its tokens have them; on a GPU
  double* q = nullptr;             // K, of the word in hand
  TopicTree tree;                  // alpha_k q_k
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
};

// Makes a topic's q and leaf from its counts, but not the sums above the leaf.
PAPILIO_LANEWISE void weigh_leaf(const SequentialSparse& s, const std::int32_t* n_w, std::int64_t k) {
  s.q[k] = (n_w[k] + s.beta) / mass_of_topic(s.n_k[k], s.prior_mass);
  s.tree.level[0][k] = s.alpha[k] * s.q[k];
}

// The same, and the sums above the leaf.
PAPILIO_LANEWISE void weigh(const SequentialSparse& s, const std::int32_t* n_w, std::int64_t k) {
  weigh_leaf(s, n_w, k);
  s.tree.add_up_above(k);
}

// Lists the topics of a document's tokens, z[begin ... end).
PAPILIO_LANEWISE void list_topics(const std::int32_t* z, std::int64_t begin, std::int64_t end, DocumentTopic* list) {
  DocumentTopic& head = *list++;
  std::int32_t size = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    std::int32_t j = 0;
    while (j < size && list[j].topic != z[i]) ++j;
    if (j == size) list[size++] = {z[i], 0};
    ++list[j].count;
  }
  head.count = size;
}

// The uniform number of the token at a place.
PAPILIO_LANEWISE double uniform_of(const SequentialSparse& s, std::int64_t place) {
  const random::Block block = random::draw_block(s.seed, s.stream, s.tokens[place]);
  return random::uniform53(block.word[0], block.word[1]);
}

// Draws the token at a place in the order of words, with the uniform number u. n_w is its word's row of n_wk. Returns
// whether the topic came from the document part.
PAPILIO_LANEWISE bool draw_in_sequence(const SequentialSparse& s, std::int64_t place, double u, std::int32_t* n_w) {
  DocumentTopic& head = s.lists[s.places[place]];
  DocumentTopic* const list = &head + 1;
  std::int32_t size = head.count;

  const std::int32_t old = s.z[place];
  std::int32_t j = 0;
  while (list[j].topic != old) ++j;
  if (--list[j].count == 0) list[j] = list[--size];
  --n_w[old];
  --s.n_k[old];
  weigh(s, n_w, old);

  double of_document = 0;
  for (j = 0; j < size; ++j) of_document += list[j].count * s.q[list[j].topic];
  const double target = u * (of_document + s.tree.total());
  const bool from_document = target < of_document;
  std::int32_t drawn;
  if (from_document) {  // the same sums again, so that one of them exceeds the target
    double sum = 0;
    for (j = 0;; ++j) {
      sum += list[j].count * s.q[list[j].topic];
      if (target < sum) break;
    }
    drawn = list[j].topic;
  } else {
    drawn = static_cast<std::int32_t>(s.tree.find(target - of_document));
    j = 0;
    while (j < size && list[j].topic != drawn) ++j;
  }

  if (j == size) list[size++] = {drawn, 0};
  ++list[j].count;
  head.count = size;
  ++n_w[drawn];
  ++s.n_k[drawn];
  weigh(s, n_w, drawn);
  s.z[place] = drawn;
  return from_document;
}

}  // namespace papilio::lda
