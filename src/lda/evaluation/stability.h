#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "papilio/evaluation.h"

namespace papilio::lda {

// The most probable words of each topic among those counted in
// it: K x top_words numbers of words, -1 if a topic has fewer.
std::vector<std::int32_t> top_word_lists(const Model& model, int top_words);

// papilio::topic_stability from the word lists of two models, whose words are below `vocabulary_size`.
TopicStability stability_of(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                            std::int32_t topics, std::int64_t vocabulary_size);

// The fraction of distinct words in a list: papilio::diversity.
double diversity_of(std::span<const std::int32_t> words);

}  // namespace papilio::lda
