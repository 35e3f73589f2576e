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
  std::vector<double> alpha;                    // K, prior of the topics of a document
  double beta = 0;                              // prior of the words of a topic
  std::vector<std::int32_t> n_wk;               // V x K, row-major: row w is contiguous over topics
  std::vector<std::int64_t> n_k;                // K, column sums of n_wk
  std::map<std::string, std::string> settings;  // how it was trained: sampler, seed, sweeps, ...

  std::int64_t vocabulary_size() const { return static_cast<std::int64_t>(vocabulary.size()); }

  // Returns the probability of word w in topic k: (n_wk + beta) / (n_k + V beta).
  double phi(std::int64_t w, std::int32_t k) const;

  // Throws InvalidArgument naming what is wrong: sizes, negative counts, n_k that are not the sums of n_wk.
  void verify() const;
};

// A word of a topic.
struct TopWord {
  std::int32_t word;
  double probability;
};

// Returns the `count` most probable words of a topic, most probable first; equally probable ones by number.
std::vector<TopWord> top_words(const Model& model, std::int32_t topic, int count);

// The same without words that have no token of the topic.
std::vector<TopWord> counted_top_words(const Model& model, std::int32_t topic, int count);

// Writes one safetensors file: tensors "n_wk" (I32, V x K), "n_k" (I64, K) and "alpha" (F64, K); vocabulary, beta,
// settings and an XXH3-128 of each tensor in the metadata. The file is written under a temporary name beside `path`,
// synced, then renamed: `path` has the old bytes or the new ones, never part of them. The same model gives the same
// bytes. Throws IoError.
void save_model(const Model& model, const std::string& path);

// Reads what `save_model` wrote. Throws IoError, and FormatError for anything else, including hashes that do not match.
Model load_model(const std::string& path);

}  // namespace papilio
