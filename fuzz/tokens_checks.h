#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "input_file.h"
#include "sampling/tokens/token_oracle.h"
#include "tokens_case.h"

// What a call of sample_tokens says, and what it must say.

namespace papilio::fuzz_tokens {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Every result, and a gap after each row of what is kept.
struct Told {
  static constexpr std::int64_t room = 6, stride = 7;
  static constexpr std::int32_t untouched = 12345;
  std::vector<std::int32_t> tokens, ranks, counts, kept;
  std::vector<float> logs, raw_logs, masses, kept_logs;
  std::vector<TokenStatus> status;

  explicit Told(std::int64_t rows) {
    const auto size = static_cast<std::size_t>(rows);
    for (auto* each : {&tokens, &ranks, &counts}) each->resize(size, untouched);
    for (auto* each : {&logs, &raw_logs, &masses}) each->resize(size);
    status.resize(size);
    kept.resize(size * stride, untouched);
    kept_logs.resize(size * stride, untouched);
  }

  // Of `count` rows from row `first` on.
  TokenResults results(std::int64_t first, std::int64_t count) {
    return {.tokens = {tokens.data() + first, count},
            .log_probabilities = {logs.data() + first, count},
            .raw_log_probabilities = {raw_logs.data() + first, count},
            .ranks = {ranks.data() + first, count},
            .kept_counts = {counts.data() + first, count},
            .kept_masses = {masses.data() + first, count},
            .status = {status.data() + first, count},
            .kept_categories = {kept.data() + first * stride, count, room, stride},
            .kept_log_probabilities = {kept_logs.data() + first * stride, count, room, stride}};
  }

  bool operator==(const Told& b) const {
    return tokens == b.tokens && ranks == b.ranks && counts == b.counts && kept == b.kept && status == b.status &&
           same_bits(logs, b.logs) && same_bits(raw_logs, b.raw_logs) && same_bits(masses, b.masses) &&
           same_bits(kept_logs, b.kept_logs);
  }
};

// A row by the rules: what is wrong with it and, if nothing is, its law.
struct ExpectedRow {
  std::vector<TokenStatus> faults;
  std::vector<float> logits;  // bias added; what is masked at -infinity
  testing::OracleFilter filter;
  testing::OracleRow law;

  ExpectedRow(std::vector<float> given, const Choices& c, std::int64_t i) : logits(std::move(given)) {
    const auto n = static_cast<std::size_t>(i);
    filter = {c.temperature.empty() ? 1 : c.temperature[n], c.top_k.empty() ? 0 : c.top_k[n],
              c.top_p.empty() ? 1 : c.top_p[n], c.min_p.empty() ? 0 : c.min_p[n], c.joint};
    check_filter();
    if (!c.bias_offsets.empty()) add_bias(c, c.bias_offsets[n], c.bias_offsets[n + 1]);
    for (std::size_t k = 0; k < logits.size() && !c.allowed.empty(); ++k) {
      const std::uint32_t word = c.allowed[n * static_cast<std::size_t>(c.words) + k / 32];
      if ((word >> (k % 32) & 1) == 0) logits[k] = -std::numeric_limits<float>::infinity();
    }
    const auto any = [&](auto is) { return std::any_of(logits.begin(), logits.end(), is); };
    if (any([](float x) { return std::isnan(x); })) faults.push_back(TokenStatus::not_a_number);
    if (any([](float x) { return x > 0 && std::isinf(x); })) faults.push_back(TokenStatus::infinite);
    if (faults.empty() && !any([](float x) { return std::isfinite(x); }))
      faults.push_back(TokenStatus::nothing_allowed);
    if (faults.empty()) law = testing::oracle_row(logits, filter);
  }

  bool keeps(std::int32_t token) const {
    const auto k = static_cast<std::size_t>(token);
    return token >= 0 && k < logits.size() && law.kept[k] && law.weights[k] > 0;
  }
  bool may_have(TokenStatus status) const {
    return faults.empty() ? status == TokenStatus::ok : std::find(faults.begin(), faults.end(), status) != faults.end();
  }

 private:
  void check_filter() {
    const auto share = [](float x) { return x >= 0 && x <= 1; };
    const bool warm = filter.temperature >= 0x1p-100f && filter.temperature <= 0x1p100f;
    if (!(warm || filter.temperature == 0) || filter.top_k < 0 || !share(filter.top_p) || !share(filter.min_p))
      faults.push_back(TokenStatus::bad_filter);
  }

  void add_bias(const Choices& c, std::int64_t begin, std::int64_t end) {
    bool good = begin >= 0 && begin <= end && end <= std::ssize(c.bias_categories);
    for (std::int64_t n = begin, last = -1; good && n < end; ++n) {
      const std::int32_t category = c.bias_categories[static_cast<std::size_t>(n)];
      good = category > last && category < std::ssize(logits);
      last = category;
      if (good) logits[static_cast<std::size_t>(category)] += c.bias_values[static_cast<std::size_t>(n)];
    }
    if (!good) faults.push_back(TokenStatus::bad_bias);
  }
};

// Status, token, rank and kept set of row i.
inline void check_row(const ExpectedRow& row, const Told& told, std::int64_t i, std::uint64_t number) {
  const auto n = static_cast<std::size_t>(i);
  require(row.may_have(told.status[n]));
  const std::int32_t* kept = told.kept.data() + n * Told::stride;
  require(kept[Told::room] == Told::untouched);
  if (told.status[n] != TokenStatus::ok) {
    require(told.tokens[n] == -1 && told.ranks[n] == -1 && told.counts[n] == -1);
    require(std::isnan(told.logs[n]) && std::isnan(told.raw_logs[n]) && std::isnan(told.masses[n]));
    require(std::count(kept, kept + Told::room, -1) == Told::room);
    return;
  }
  require(row.keeps(told.tokens[n]));
  require(told.tokens[n] == testing::oracle_find(row.law, number));
  require(row.law.order[static_cast<std::size_t>(told.ranks[n])] == told.tokens[n]);
  require(told.logs[n] <= 0 && told.masses[n] > 0 && told.masses[n] <= 1);
  std::int64_t count = 0;
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(row.logits.size()); ++k) {
    if (!row.keeps(k)) continue;
    if (count < Told::room) require(kept[count] == k);
    ++count;
  }
  require(told.counts[n] == count);
  for (std::int64_t j = count; j < Told::room; ++j) require(kept[j] == -1);
}

}  // namespace papilio::fuzz_tokens
