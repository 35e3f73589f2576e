#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "papilio/choose.h"

// What the tests of choosing share.

namespace papilio::testing {

// Few topics, sweeps and words, which train in no time.
inline ChooseOptions quick_choice() {
  ChooseOptions options = {.topics = {5, 2, 3}, .seeds = 2, .held_out_every = 4, .top_words = 6};
  options.training.sweeps = 12;
  options.training.seed = 9;
  options.training.threads = 1;
  return options;
}

// Without the seconds, which nothing determines.
inline std::vector<std::string> without_seconds(const std::vector<ChooseRun>& runs) {
  std::vector<std::string> lines;
  for (const ChooseRun& run : runs) {
    std::string line = std::to_string(run.topics) + ' ' + std::to_string(run.seed);
    for (const double value : {run.perplexity, run.coherence, run.diversity}) {
      char hexadecimal[40];
      std::snprintf(hexadecimal, sizeof hexadecimal, " %a", value);
      line += hexadecimal;
    }
    for (const std::int32_t w : run.top_words) line += ' ' + std::to_string(w);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace papilio::testing
