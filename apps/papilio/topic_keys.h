#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/model.h"

// The most probable words of a topic among those that were drawn in it at all.
std::vector<papilio::TopWord> drawn_top_words(const papilio::Model& model, std::int32_t topic, int count);

// A line of MALLET's topic keys: number, prior, words.
std::string topic_key(const papilio::Model& model, std::int32_t topic, int words);
