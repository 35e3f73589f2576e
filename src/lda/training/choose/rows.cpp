#include "lda/training/choose/rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "execution/cpu/parallel_for.h"
#include "lda/evaluation/stability.h"

namespace papilio::lda {
namespace {

// The spread over the runs that have a value.
template <class Value>
Spread spread(std::span<const ChooseRun> runs, Value&& value) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  Spread found = {none, none, none};
  double sum = 0;
  int count = 0;
  for (const ChooseRun& run : runs) {
    const double x = value(run);
    if (std::isnan(x)) continue;
    found.least = count == 0 ? x : std::min(found.least, x);
    found.most = count == 0 ? x : std::max(found.most, x);
    sum += x;
    ++count;
  }
  if (count > 0) found.mean = std::clamp(sum / count, found.least, found.most);
  return found;
}

// The mean over all pairs of runs.
double stability(std::span<const ChooseRun> runs, std::int64_t vocabulary_size, int threads) {
  std::vector<std::pair<const ChooseRun*, const ChooseRun*>> pairs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t j = i + 1; j < runs.size(); ++j) pairs.emplace_back(&runs[i], &runs[j]);
  }
  if (pairs.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> means(pairs.size());
  execution::parallel_for(std::ssize(pairs), 1, threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const auto& [first, second] = pairs[i];
      means[i] = stability_of(first->top_words, second->top_words, first->topics, vocabulary_size).mean;
    }
  });
  return std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size());
}

ChooseRow row_of(std::span<const ChooseRun> runs, std::int64_t vocabulary_size, int threads) {
  return {.topics = runs.front().topics,
          .seeds = static_cast<int>(runs.size()),
          .perplexity = spread(runs, [](const ChooseRun& run) { return run.perplexity; }),
          .coherence = spread(runs, [](const ChooseRun& run) { return run.coherence; }),
          .diversity = spread(runs, [](const ChooseRun& run) { return run.diversity; }),
          .stability = stability(runs, vocabulary_size, threads),
          .seconds = spread(runs, [](const ChooseRun& run) { return run.seconds; }).mean};
}

}  // namespace

std::vector<ChooseRow> choose_rows(const std::vector<ChooseRun>& runs, std::int64_t vocabulary_size, int threads) {
  std::vector<ChooseRow> rows;
  for (auto first = runs.begin(); first != runs.end();) {
    const auto last =
        std::find_if(first, runs.end(), [&](const ChooseRun& run) { return run.topics != first->topics; });
    rows.push_back(row_of({first, last}, vocabulary_size, threads));
    first = last;
  }
  return rows;
}

}  // namespace papilio::lda
