#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/model.h"

// The data that pyLDAvis displays for a model: topics as circles on a plane, and the words that distinguish each.

namespace papilio {

struct LdavisOptions {
  int terms = 30;             // R, words per bar chart
  double lambda_step = 0.01;  // step of the slider between the probability of a word (lambda = 1) and its lift (0)
  bool sort_topics = true;    // sort topics by tokens, most first; false: in the order of the model
  int threads = 0;            // CPU threads; 0: all; never changes the result
};

// A circle. x and y are those of pyLDAvis up to the sign of an axis; here the coordinate of the largest magnitude on an
// axis is positive.
struct LdavisTopic {
  std::int32_t topic;  // number in the model, from 0
  double x;
  double y;
  double percent;          // share of all tokens
  std::string label = {};  // the model's; "" where it has none
};

// A bar of a chart. `place` is the index of a topic in LdavisData::topics, or -1 for the words that are shown while no
// topic is selected: these have frequencies in the whole corpus and, in place of logarithms, R, R - 1, ...
struct LdavisTerm {
  std::int32_t place;
  std::int32_t word;
  double frequency;  // in the topic
  double total;      // in all topics
  double log_probability;
  double log_lift;  // ln of phi over the word's share of all tokens; both logarithms to 4 decimal places
};

// The share of a word's occurrences that a topic has.
struct LdavisShare {
  std::int32_t place;  // index of the topic in LdavisData::topics
  std::int32_t word;
  double share;
};

// The PreparedData of pyLDAvis.
struct LdavisData {
  int terms = 0;  // R
  double lambda_step = 0;
  std::vector<LdavisTopic> topics;
  std::vector<LdavisTerm> bars;     // those without a topic, then by place
  std::vector<LdavisShare> shares;  // by word in string order, then by place
  std::vector<std::string> words;   // the vocabulary of the model

  // Returns what PreparedData.to_json writes. Topics are numbered from 1 in the order of `topics`. If any has a label,
  // an extra member, "topic.labels", lists them in this order, "" for none; pyLDAvis shows only numbers. Throws
  // InvalidArgument for a place or a word out of range.
  std::string to_json() const;
};

// Computes what pyLDAvis.prepare computes, from phi and the tokens of each topic. `topic_tokens` has K numbers >= 0,
// not all 0. They are what pyLDAvis sums over documents: sum_d n_d theta_dk. Without them, n_k of the model is used.
//
// Distances between topics are Jensen-Shannon divergences, mapped to the plane by classical scaling (principal
// coordinates). The bars of a topic are the words that are among its R most relevant for some lambda in 0, step,
// 2 step, ..., up to the first that is 1 or more, as in pyLDAvis. The relevance is lambda ln phi + (1 - lambda) ln
// lift; among equals the word with the lower number comes first.
//
// Time O(V K / step), plus O(K) per pair of a topic and a word counted in it, plus O(K^3). Throws InvalidArgument for
// options out of range, tokens that do not fit, and a model that does not verify.
//
// Source: Sievert and Shirley, LDAvis, ACL workshop on interactive language learning, visualization and interfaces,
// 2014.
LdavisData prepare_ldavis(const Model& model, std::span<const double> topic_tokens, const LdavisOptions& options = {});
LdavisData prepare_ldavis(const Model& model, const LdavisOptions& options = {});

// Returns sum_d n_d theta_dk, K numbers, for documents whose theta `infer` finds; n_d is the number of known tokens.
// Throws InvalidArgument as `infer` does.
std::vector<double> expected_topic_tokens(const Model& model, const CorpusView& corpus, std::uint64_t seed = 0,
                                          int threads = 0);

}  // namespace papilio
