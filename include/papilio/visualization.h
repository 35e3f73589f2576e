#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/model.h"

// What pyLDAvis shows of a model: topics as circles on a plane, and the words that tell each from the others.

namespace papilio {

struct LdavisOptions {
  int terms = 30;             // R, words in a bar chart
  double lambda_step = 0.01;  // of the slider between a word's probability (lambda = 1) and its lift (0)
  bool sort_topics = true;    // by their tokens, most first; false: as in the model
  int threads = 0;            // 0: all; never changes the result
};

// A circle. x and y are pyLDAvis's up to the sign of an axis; here an axis' largest coordinate is positive.
struct LdavisTopic {
  std::int32_t topic;  // of the model, from 0
  double x;
  double y;
  double percent;  // of all tokens
};

// A bar that may be shown. `place` is that of a topic in LdavisData::topics, or -1 for the words
// that are shown while no topic is chosen; these have whole frequencies and, in place of logarithms, R, R - 1, ...
struct LdavisTerm {
  std::int32_t place;
  std::int32_t word;
  double frequency;  // in the topic
  double total;      // in all topics
  double log_probability;
  double log_lift;  // ln of phi over the word's share of all tokens; both to 4 decimal places
};

// The share of a word's occurrences that a topic has.
struct LdavisShare {
  std::int32_t place;  // of the topic
  std::int32_t word;
  double share;
};

// PreparedData of pyLDAvis.
struct LdavisData {
  int terms = 0;  // R
  double lambda_step = 0;
  std::vector<LdavisTopic> topics;
  std::vector<LdavisTerm> bars;     // those without a topic, then place by place
  std::vector<LdavisShare> shares;  // by word, as strings compare, then by place
  std::vector<std::string> words;   // the model's vocabulary

  // What PreparedData.to_json writes; topics are numbered from 1 in their order here.
  std::string to_json() const;
};

// Computes what pyLDAvis.prepare does, from phi and the tokens of each topic. `topic_tokens` (K, >= 0, not all 0) are
// what pyLDAvis adds up from documents: sum_d n_d theta_dk; without them, the model's own n_k.
//
// Distances between topics are Jensen-Shannon divergences, laid into the plane by classical scaling (principal
// coordinates). A topic's bars are the words that are among its R most relevant for some lambda in 0, step,
// 2 step, ..., 1: relevance lambda ln phi + (1 - lambda) ln lift. Of equal ones the word of the lower number comes
// first.
//
// Time O(V K / step), O(K) for each pair of a topic and a word counted in it, and O(K^3). Throws InvalidArgument
// for options out of range, tokens that do not fit, and a model that does not verify.
//
// Source: Sievert and Shirley, LDAvis, ACL workshop on interactive language learning, visualization and interfaces,
// 2014.
LdavisData prepare_ldavis(const Model& model, std::span<const double> topic_tokens, const LdavisOptions& options = {});
LdavisData prepare_ldavis(const Model& model, const LdavisOptions& options = {});

// sum_d n_d theta_dk of documents folded into the model by `infer`, n_d their known tokens: K.
std::vector<double> expected_topic_tokens(const Model& model, const CorpusView& corpus, std::uint64_t seed = 0,
                                          int threads = 0);

}  // namespace papilio
