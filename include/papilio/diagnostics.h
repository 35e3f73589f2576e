#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/model.h"

namespace papilio {

// Measures of one topic in the corpus that it was trained on. Distributions are shares of counts, without priors. All
// are 0 for a topic without tokens.
struct TopicDiagnostics {
  std::int64_t tokens = 0;      // n_k
  double document_entropy = 0;  // entropy of the topic's tokens over documents, nats; low if few documents have most
  double mean_word_length = 0;  // of the top words, in code points
  double uniform_distance = 0;  // KL(words of the topic || uniform over V), nats
  double corpus_distance = 0;   // KL(words of the topic || words of the corpus), nats
  double effective_words = 0;   // 1 / sum_w p_w^2
  double exclusivity = 0;       // mean over top words of the topic's share among all topics' phi
  double coherence = 0;         // UMass: sum over pairs of top words of ln((D(a, b) + beta) / D(b)), b more probable
  std::int64_t documents = 0;   // documents with a token of the topic
  std::int64_t dominated = 0;   // those of them in which no other topic has more tokens (among equals the first counts)
  std::int64_t allocated_half = 0;    // documents in which at least half of the tokens have the topic
  std::int64_t allocated_little = 0;  // documents in which at least 2 % of the tokens have the topic
  std::vector<TopWord> top_words;
};

// Computes the diagnostics of every topic from its `words` most probable words. `z` has the topic of each token, N
// numbers in [0, K).
//
// Time O(N + V K + documents of the top words), in one thread. Counts are exact, the rest as exact as std::log. Throws
// InvalidArgument where z does not fit the corpus or the model.
//
// The measures are those of MALLET's --diagnostics-file.
// Source of the coherence: Mimno, Wallach, Talley, Leenders and McCallum, EMNLP 2011.
std::vector<TopicDiagnostics> diagnose_topics(const CorpusView& corpus, std::span<const std::int32_t> z,
                                              const Model& model, int words = 20);

// Writes diagnostics as MALLET's XML: a <topic> for each topic, with a <word> for each top word. Throws IoError,
// and InvalidArgument for diagnostics that do not fit the model, and a model that does not verify.
void write_diagnostics(const std::vector<TopicDiagnostics>& topics, const Model& model, const std::string& path);

}  // namespace papilio
