#pragma once

#include <cstdint>

#include "papilio/lda.h"

// The chains whose checkpoints are fuzzed, told apart by the type in which topics are stored: 1, 2 or 4 bytes each.
inline constexpr std::uint8_t checkpoint_cases = 3;

inline papilio::Corpus checkpoint_corpus() { return {{0, 2, 2, 3}, {0, 1, 1}, {"cats", "dogs"}}; }

inline papilio::TrainOptions checkpoint_options(std::uint8_t choice) {
  constexpr std::int32_t topics[checkpoint_cases] = {2, 300, 70000};
  return {.topics = topics[choice % checkpoint_cases], .seed = 1};
}

inline papilio::ChainState checkpoint_topics(std::uint8_t choice) {
  const std::int32_t last = checkpoint_options(choice).topics - 1;
  return {.sweep = 7, .z = {0, last, 1}};
}
