#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace papilio {

// The most tokens that a seed word can be worth.
inline constexpr std::int32_t largest_seed_weight = 1'000'000;

// A word that is assigned to a topic before training: the prior of the word in the topic is beta + weight instead of
// beta, as if `weight` tokens of the word had the topic. docs/lda/seed_words.md.
struct SeedWord {
  std::int32_t topic = 0;   // 0 to K - 1
  std::int32_t word = 0;    // a number in the vocabulary
  std::int32_t weight = 0;  // 1 to largest_seed_weight

  bool operator==(const SeedWord&) const = default;
};

// A change that was made to a trained model.
struct ModelEdit {
  std::vector<std::string> change;  // as the command has it: {"merge", "3,7", "12,15"}
  std::string parent;               // model_hash of the model that was changed

  bool operator==(const ModelEdit&) const = default;
};

// A trained topic model: counts of (word, topic), from which phi follows.
struct Model {
  std::int32_t topics = 0;                      // K
  std::vector<std::string> vocabulary;          // V words
  std::vector<double> alpha;                    // K, prior of the topics of a document
  double beta = 0;                              // prior of the words of a topic
  std::vector<std::int32_t> n_wk;               // V x K, row-major: row w is contiguous over topics
  std::vector<std::int64_t> n_k;                // K, column sums of n_wk
  std::map<std::string, std::string> settings;  // how it was trained: sampler, seed, sweeps, ...
  std::vector<SeedWord> seed_words = {};        // ascending by word, then by topic; they are in no count
  std::vector<std::int64_t> s_k = {};           // K, sums of the seed words' weights; empty without seed words
  std::vector<std::string> labels = {};         // K, or none; "" for a topic that has none
  std::vector<ModelEdit> edits = {};            // since it was trained, oldest first (papilio/model_edits.h)

  std::int64_t vocabulary_size() const { return static_cast<std::int64_t>(vocabulary.size()); }

  // Returns the probability of word w in topic k: (n_wk + beta) / (n_k + V beta), and with seed words of weights s_wk,
  // (n_wk + s_wk + beta) / (n_k + s_k + V beta).
  double phi(std::int64_t w, std::int32_t k) const;

  // Returns s_wk, the weight of word w as a seed word of topic k; 0 if it is none. Time O(log(seed words)).
  std::int32_t seed_weight(std::int64_t w, std::int32_t k) const;

  // The topic's label; "" if it has none.
  const std::string& label(std::int32_t topic) const;

  // Throws InvalidArgument naming what is wrong: sizes, negative counts, n_k that are not the sums of n_wk, seed words
  // out of range or out of order, s_k that are not their sums, labels that are repeated or invalid (see
  // label_topics).
  void verify() const;
};

// A word of a topic.
struct TopWord {
  std::int32_t word;
  double probability;
};

// Returns the `count` most probable words of a topic, most probable first; equally probable ones by number.
std::vector<TopWord> top_words(const Model& model, std::int32_t topic, int count);

// The same, among the words that have a token of the topic.
std::vector<TopWord> counted_top_words(const Model& model, std::int32_t topic, int count);

// Writes one safetensors file: tensors "n_wk" (I32, V x K), "n_k" (I64, K), "alpha" (F64, K), "vocabulary" (U8, the
// bytes of all words) and "vocabulary_offsets" (I64, V + 1: where each begins, and where the last ends); beta, settings
// and an XXH3-128 of each tensor in the metadata. The file is written under a temporary name beside `path`, synced,
// then renamed: `path` has the old bytes or the new ones, never part of them. The same model gives the same bytes.
// A model with seed words, labels or edits is written in format version 3, which earlier versions of papilio refuse. It
// adds, as needed, the tensors "seed_words" (I32, rows of topic, word, weight), "labels" (U8) and "label_offsets" (I64,
// K + 1), and the edits in the metadata. Other models are of version 2. If n_wk has 4,096 or more entries and at most a
// quarter of them are not 0, the file is of version 4: in place of "n_wk" it has only those counts, in compressed rows:
// "n_wk_offsets" (I64, V + 1), "n_wk_topics" and "n_wk_counts" (each U8, U16 or I32, the smallest that holds them).
// Throws IoError, and InvalidArgument for a model that does not verify and for words that are empty, duplicate, or not
// UTF-8 (which `train` refuses before its first sweep).
void save_model(const Model& model, const std::string& path);

// Reads what `save_model` of this or an earlier version wrote. Throws IoError, and FormatError for anything else,
// including hashes that do not match, and sparse counts whose table would take more than half of the machine's memory
// or of the container's.
Model load_model(const std::string& path);

// Returns the XXH3-128 of the bytes that `save_model` writes, 32 hexadecimal digits, as `xxhsum -H2` prints it of the
// file. Throws InvalidArgument as `save_model` does.
std::string model_hash(const Model& model);

}  // namespace papilio
