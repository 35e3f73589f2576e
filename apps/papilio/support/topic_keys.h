#pragma once

#include <cstdint>
#include <string>

#include "papilio/model.h"

// A line of MALLET's topic keys: number, prior, words.
std::string topic_key(const papilio::Model& model, std::int32_t topic, int words);
