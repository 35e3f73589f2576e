#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace papilio {

// A trained topic model: counts of (word, topic), from which phi follows.
struct Model {
  std::int32_t topics = 0;                      // K
  std::vector<std::string> vocabulary;          // V words
  std::vector<double> alpha;                    // K, prior of documents' topics
  double beta = 0;                              // prior of topics' words
  std::vector<std::int32_t> n_wk;               // V x K, row-major: row w is contiguous over topics
  std::vector<std::int64_t> n_k;                // K, column sums of n_wk
  std::map<std::string, std::string> settings;  // how it came about: sampler, seed, sweeps, ...

  std::int64_t vocabulary_size() const { return static_cast<std::int64_t>(vocabulary.size()); }

  // The probability of word w in topic k: (n_wk + beta) / (n_k + V beta).
  double phi(std::int64_t w, std::int32_t k) const;

  // Throws InvalidArgument naming what does not fit (sizes, negative counts, n_k not the sums of n_wk).
  void verify() const;
};

// A topic's most probable words, most probable first; equal counts by word number.
struct TopWord {
  std::int32_t word;
  double probability;
};
std::vector<TopWord> top_words(const Model& model, std::int32_t topic, int count);

// Those of them that are counted in the topic at all.
std::vector<TopWord> counted_top_words(const Model& model, std::int32_t topic, int count);

// Writes one safetensors file: tensors "n_wk" (I32, V x K), "n_k" (I64, K) and
// "alpha" (F64, K); vocabulary, beta, settings and an XXH3-128 of each tensor in
// the metadata. Written to a temporary name beside it, synced, then renamed:
// `path` holds the old bytes or the new, never a part. The same model gives the
// same bytes. Throws IoError.
void save_model(const Model& model, const std::string& path);

// Reads what `save_model` wrote. Throws IoError, and FormatError for anything
// that is not such a file, hashes that do not fit included.
Model load_model(const std::string& path);

}  // namespace papilio
