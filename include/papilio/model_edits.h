#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "papilio/model.h"

// Labels, merges and drops topics after training. Each function returns a new model. The last of its `edits` says what
// was done, and the hash of the model that it was done to.
//
// Determinism: the same arguments give the same model, bit for bit. Time and memory: those of a copy of the model.
//
//   Model news = load_model("news.papilio.safetensors");
//   news = merge_topics(news, {{3, 7}});             // topic 3 is both, and topic 8 is now number 7
//   news = label_topics(news, {{3, "Politics"}});
//   save_model(news, "edited.papilio.safetensors");

namespace papilio {

// Gives topics a label; "" removes it. Counts and priors stay. A label is UTF-8 of at most 200 bytes, without control
// characters, without blanks at either end; it is not a number, and no other topic has it. Throws InvalidArgument for
// invalid labels, topics out of range, and a model that does not verify.
Model label_topics(const Model& model, const std::map<std::int32_t, std::string>& labels);

// Merges each group into one topic, which has the lowest number of the group and the label of the first topic in the
// group that has one. Topics after a removed one move down.
//
// The counts n_wk and n_k of a group are added, as if the sampler had never told its topics apart, and so are their
// alphas: if theta is a draw from Dirichlet(alpha) and some of its shares are replaced by their sum, the result is a
// draw from the Dirichlet distribution in which their alphas are added. beta is counted once; weights of seed words are
// added. Afterwards a document can no longer give the topics of a group different weights.
//
// Throws InvalidArgument for no groups, groups of fewer than two topics, topics out of range or given twice, counts
// above 2^31 - 1, weights above largest_seed_weight, and a model that does not verify.
Model merge_topics(const Model& model, const std::vector<std::vector<std::int32_t>>& groups);

// Leaves topics out. The tokens counted with them leave the model; its vocabulary stays, and a word without a token
// left keeps the probability that beta gives it, but is unknown to map_words. Topics after a removed one move down.
//
// The alphas of the other topics stay: if theta is a draw from Dirichlet(alpha), its other shares, divided by their
// sum, are a draw from the Dirichlet distribution of their alphas. Known tokens that a dropped topic would explain go
// to the remaining topics, whose shares sum to 1. (To ignore words altogether, make them stop words.)
//
// Throws InvalidArgument for no topics, all topics, topics out of range or given twice, and a model that does not
// verify.
Model drop_topics(const Model& model, std::span<const std::int32_t> topics);

}  // namespace papilio
