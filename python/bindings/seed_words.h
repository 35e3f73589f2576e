#pragma once

#include <string>
#include <vector>

#include "checked.h"
#include "papilio/error.h"
#include "papilio/model.h"

namespace papilio::python {

// Rows of topic, word and weight. Needs the GIL.
inline std::vector<SeedWord> seed_words_of(const ArrayLike& array, const std::string& what) {
  std::vector<SeedWord> words;
  const auto rows = checked<std::int32_t, 2>(array, what);
  if (rows.shape(1) != 3) {
    throw InvalidArgument(what + " has " + std::to_string(rows.shape(1)) +
                          " columns, expected 3: topic, word and weight");
  }
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    const std::int32_t* row = rows.data() + 3 * i;
    words.push_back({.topic = row[0], .word = row[1], .weight = row[2]});
  }
  return words;
}

inline OutputArray<std::int32_t, 2> seed_rows(const std::vector<SeedWord>& words) {
  std::vector<std::int32_t> rows;
  for (const SeedWord& seed : words) rows.insert(rows.end(), {seed.topic, seed.word, seed.weight});
  return owned<2>(std::move(rows), {words.size(), 3});
}

}  // namespace papilio::python
