#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/model.h"

// A line of MALLET's topic keys: number, prior, words.
std::string topic_key(const papilio::Model& model, std::int32_t topic, int words);

// The topic's share of all tokens.
double token_share(const papilio::Model& model, std::int32_t topic);

// All topics, the largest first; equal ones by number.
std::vector<std::int32_t> topics_by_share(const papilio::Model& model);

// "12 in 3 topics".
std::string seeds_summary(const std::vector<papilio::SeedWord>& seed_words);

// A table for people: number, share of the tokens, label if it has one, and words of each topic.
std::string topic_table_header();
std::string topic_table_row(const papilio::Model& model, std::int32_t topic, int words);
