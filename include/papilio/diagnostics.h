#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/model.h"

namespace papilio {

// What one topic looks like in the corpus it was trained on. Distributions are shares of
// counts, without priors; a topic without tokens has zeros.
struct TopicDiagnostics {
  std::int64_t tokens = 0;      // n_k
  double document_entropy = 0;  // of the topic's tokens over documents, nats: low where few documents hold most
  double mean_word_length = 0;  // of the top words, code points
  double uniform_distance = 0;  // KL(words of the topic || uniform over V), nats
  double corpus_distance = 0;   // KL(words of the topic || words of the corpus), nats
  double effective_words = 0;   // 1 / sum_w p_w^2
  double exclusivity = 0;       // mean over top words of the topic's share among all topics' phi
  double coherence = 0;         // UMass: sum over pairs of top words of ln((D(a, b) + beta) / D(b)), b more frequent
  std::int64_t documents = 0;   // with a token of the topic
  std::int64_t dominated = 0;   // of these, where no other topic has more tokens (of equals the first counts)
  std::int64_t allocated_half = 0;    // documents of which it is at least a half
  std::int64_t allocated_little = 0;  // ... at least 2 %
  std::vector<TopWord> top_words;
};

// Diagnostics of every topic, from its `words` most probable words. Time O(N + V K + the top
// words' documents), one thread; the counts are exact, the rest as exact as std::log.
// Throws InvalidArgument where z does not fit the corpus or the model.
//
// The measures are those of MALLET's --diagnostics-file (Mimno, Wallach, Talley, Leenders and
// McCallum, EMNLP 2011, for the coherence).
std::vector<TopicDiagnostics> diagnose_topics(const CorpusView& corpus, const std::vector<std::int32_t>& z,
                                              const Model& model, int words = 20);

// Writes them as MALLET's diagnostics XML: a <topic> each, with a <word> for each top word.
// Throws IoError.
void write_diagnostics(const std::vector<TopicDiagnostics>& topics, const Model& model, const std::string& path);

}  // namespace papilio
