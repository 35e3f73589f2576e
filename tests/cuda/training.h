#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "lda/corpora.h"
#include "lda/model/options.h"
#include "lda/training/chain/chain_cuda.h"
#include "papilio/error.h"
#include "papilio/lda.h"

// Training on both sides, and chains on a device in little memory.

namespace papilio::testing {

inline std::vector<Sampler> all_samplers() {
  std::vector<Sampler> all;
  for (const SamplerChoice& row : samplers()) all.push_back(row.value);
  return all;
}

inline bool equal(const Model& a, const Model& b) {
  return a.topics == b.topics && a.vocabulary == b.vocabulary && a.alpha == b.alpha && a.beta == b.beta &&
         a.n_wk == b.n_wk && a.n_k == b.n_k && a.settings == b.settings && a.seed_words == b.seed_words &&
         a.s_k == b.s_k;
}

// The corpus of the golden topics, between documents of 0, 1 and many tokens.
inline Corpus uneven_corpus() {
  const Corpus small = small_generated_corpus().corpus;
  std::vector<std::vector<std::int32_t>> documents = {{}, {7}, {}};
  for (std::size_t d = 0; d + 1 < small.document_offsets.size(); ++d) {
    documents.emplace_back(small.words.begin() + small.document_offsets[d],
                           small.words.begin() + small.document_offsets[d + 1]);
    if (d % 50 == 0) documents.insert(documents.end(), {{}, {static_cast<std::int32_t>(d)}});
  }
  documents.push_back(small.words);  // 12,000 tokens
  documents.emplace_back(5000, 3);   // one word
  documents.insert(documents.end(), {{399}, {}, {}});
  return make_corpus(documents, 400);
}

// So many documents that neither the whole corpus nor three times its longest document is most of it: where the least
// memory is that of three slots, the corpus is streamed.
inline Corpus corpus_to_stream(int copies = 12) {
  const Corpus small = small_generated_corpus().corpus;
  Corpus corpus = uneven_corpus();
  for (int copy = 0; copy < copies; ++copy) {
    const std::int64_t before = corpus.tokens();
    corpus.words.insert(corpus.words.end(), small.words.begin(), small.words.end());
    for (std::size_t d = 1; d < small.document_offsets.size(); ++d) {
      corpus.document_offsets.push_back(before + small.document_offsets[d]);
    }
  }
  return corpus;
}

inline TrainOptions on_device(TrainOptions options) {
  options.device = Device::cuda();
  return options;
}

inline TrainOptions with_draws(TrainOptions options, papilio::Draws draws) {
  options.draws = draws;
  return options;
}

// Dense draws unless the options say otherwise: chains of these take a limit of memory.
inline TrainOptions dense_by_default(const TrainOptions& options) {
  return options.draws == papilio::Draws::automatic ? with_draws(options, papilio::Draws::dense) : options;
}

// Trains on both sides, with a likelihood after every second sweep; by both kinds of draws where the options
// know both and name none.
inline void expect_same(const Corpus& corpus, TrainOptions options) {
  if (options.draws == papilio::Draws::automatic && lda::knows_sparse_draws(options)) {
    for (const papilio::Draws draws : {papilio::Draws::dense, papilio::Draws::sparse})
      expect_same(corpus, with_draws(options, draws));
    return;
  }
  std::vector<double> likelihoods[2];
  TrainResult results[2];
  options.evaluate_every = 2;
  for (int side = 0; side < 2; ++side) {
    options.device = side == 0 ? Device::cpu() : Device::cuda();
    options.progress = [&](const Progress& progress) {
      if (progress.evaluated) likelihoods[side].push_back(progress.log_joint_per_token);
      return true;
    };
    results[side] = train(corpus, options);
  }
  EXPECT_EQ(results[0].topics.z, results[1].topics.z);
  EXPECT_EQ(results[0].topics.start, results[1].topics.start);
  EXPECT_EQ(results[0].model.settings, results[1].model.settings);
  EXPECT_TRUE(equal(results[0].model, results[1].model));
  EXPECT_EQ(likelihoods[0], likelihoods[1]);
  EXPECT_EQ(results[0].log_joint_per_token, results[1].log_joint_per_token);
}

// A chain's state after some sweeps in at most `memory` bytes of the device.
inline lda::State state_after(const Corpus& corpus, const TrainOptions& options, std::int64_t sweeps,
                              std::int64_t memory, double* log_joint = nullptr, const ChainState* resume = nullptr) {
  lda::CudaChain chain(corpus, dense_by_default(on_device(options)), resume, {.memory = memory});
  while (chain.sweeps() < sweeps) chain.sweep();
  if (log_joint != nullptr) *log_joint = chain.log_joint();
  return chain.take_state();
}

// The least memory in which a chain starts.
inline std::int64_t least_memory(const Corpus& corpus, const TrainOptions& options) {
  std::int64_t too_little = 1, enough = std::int64_t{1} << 34;
  while (enough - too_little > 1) {
    const std::int64_t middle = too_little + (enough - too_little) / 2;
    try {
      lda::CudaChain(corpus, dense_by_default(on_device(options)), nullptr, {.memory = middle}).wait();
      enough = middle;
    } catch (const DeviceError&) {
      too_little = middle;
    }
  }
  return enough;
}

}  // namespace papilio::testing
