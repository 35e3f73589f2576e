#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "papilio/corpus.h"
#include "papilio/error.h"

namespace papilio::python {

// Compressed rows of (word, count) as tokens: each entry's word as often as it counts. The corpus has no vocabulary
// yet; its words are not checked. Throws InvalidArgument, in the name of `caller`.
inline Corpus expanded(std::span<const std::int64_t> row_offsets, std::span<const std::int32_t> columns,
                       std::span<const std::int64_t> counts, const std::string& caller) {
  const auto require = [&](bool holds, const auto& message) {
    if (!holds) throw InvalidArgument(caller + ": " + message());
  };
  const auto entries = static_cast<std::int64_t>(columns.size());
  const auto last = row_offsets.empty() ? -1 : row_offsets.back();
  require(!row_offsets.empty() && row_offsets.front() == 0 && last == entries &&
              std::is_sorted(row_offsets.begin(), row_offsets.end()),
          [] { return "offsets must begin with 0, never decrease and end with the number of entries"; });
  require(counts.size() == columns.size(), [] { return "there must be a count for each entry"; });
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    require(0 <= counts[i] && counts[i] <= INT32_MAX, [&] {
      return "count " + std::to_string(i) + " is " + std::to_string(counts[i]) + ", expected 0 to 2147483647";
    });
    tokens += counts[i];
  }
  Corpus corpus;
  corpus.document_offsets.reserve(row_offsets.size());
  corpus.words.reserve(static_cast<std::size_t>(tokens));
  for (std::size_t d = 0; d + 1 < row_offsets.size(); ++d) {
    for (auto i = static_cast<std::size_t>(row_offsets[d]); i < static_cast<std::size_t>(row_offsets[d + 1]); ++i) {
      corpus.words.insert(corpus.words.end(), static_cast<std::size_t>(counts[i]), columns[i]);
    }
    corpus.document_offsets.push_back(corpus.tokens());
  }
  return corpus;
}

}  // namespace papilio::python
