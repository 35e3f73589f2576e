#pragma once

#include <string>
#include <utility>
#include <vector>

#include "papilio/lda.h"

// A finished run.
struct TrainSummary {
  const papilio::CorpusView& corpus;
  const papilio::TrainResult& result;
  double seconds;
  double tokens_per_second;
  std::string model;                                        // its path
  std::vector<std::pair<std::string, std::string>> others;  // what other files hold, and their paths
};

// Says how much of the corpus is in a GPU's memory, how much is streamed, and to what speed the copies limit training.
void tell_plan(const papilio::DevicePlan& plan, const papilio::CorpusView& corpus);

// Prints sizes, likelihood, time and files, then the largest topics and what to type next.
void print_summary(const TrainSummary& summary);
