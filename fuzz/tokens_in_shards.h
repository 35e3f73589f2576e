#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tokens_checks.h"

// A vocabulary in shards beside the whole.

namespace papilio::fuzz_tokens {

// The masks and biases of one shard, whose categories count from its first one.
inline Choices of_shard(const Choices& whole, std::int64_t first, std::int64_t end) {
  Choices shard = whole;
  shard.words = (end - first + 31) / 32;
  if (!whole.allowed.empty()) shard.allowed.assign(static_cast<std::size_t>(whole.rows * shard.words), 0);
  if (!whole.bias_offsets.empty()) shard.bias_offsets.assign(1, 0);
  shard.bias_categories.clear();
  shard.bias_values.clear();
  for (std::int64_t i = 0; i < whole.rows; ++i) {
    for (std::int64_t k = first; k < end && !whole.allowed.empty(); ++k) {
      const std::uint32_t bit = whole.allowed[static_cast<std::size_t>(i * whole.words + k / 32)] >> (k % 32) & 1;
      shard.allowed[static_cast<std::size_t>(i * shard.words + (k - first) / 32)] |= bit << ((k - first) % 32);
    }
    if (whole.bias_offsets.empty()) continue;
    for (auto n = static_cast<std::size_t>(whole.bias_offsets[static_cast<std::size_t>(i)]);
         n < static_cast<std::size_t>(whole.bias_offsets[static_cast<std::size_t>(i) + 1]); ++n) {
      if (whole.bias_categories[n] < first || whole.bias_categories[n] >= end) continue;
      shard.bias_categories.push_back(whole.bias_categories[n] - static_cast<std::int32_t>(first));
      shard.bias_values.push_back(whole.bias_values[n]);
    }
    shard.bias_offsets.push_back(std::ssize(shard.bias_categories));
  }
  return shard;
}

// The shards of one call, one after the other.
template <class T>
class Shards {
 public:
  Shards(const StridedLogits<T>& logits, const Choices& choices, std::int64_t count)
      : logits_(logits), choices_(choices), count_(count), states_(static_cast<std::size_t>(logits.rows)) {
    for (std::int64_t s = 0; s < count; ++s) parts_.push_back(of_shard(choices, first(s), first(s + 1)));
  }

  void draw() {
    std::vector<TokenShardRecord> all(static_cast<std::size_t>(count_ * logits_.rows));
    const TokenShard of_all = {0, logits_.columns};
    int rounds = 0;
    do {
      require(++rounds <= 18);
      for (std::int64_t s = 0; s < count_; ++s)
        summarize_shard(columns(s), {first(s), logits_.columns}, states_, {all.data() + s * logits_.rows, logits_.rows},
                        part(s).filters(), {.threads = 1});
    } while (combine_shards({all.data(), count_, logits_.rows}, of_all, states_, choices_.filters(),
                            choices_.options(1)) > 0);
  }

  // Tokens and log probabilities of shard s; -1 in other shards' rows.
  void finish(std::int64_t s, Told& told) {
    finish_shard(columns(s), {first(s), logits_.columns}, s, states_,
                 {.tokens = told.tokens, .log_probabilities = told.logs, .status = told.status}, part(s).filters(),
                 {.threads = 1});
    for (const std::int32_t token : told.tokens) require(token == -1 || (token >= first(s) && token < first(s + 1)));
  }

 private:
  // Of several sizes, 0 among them if there are few columns.
  std::int64_t first(std::int64_t s) const { return s * s * logits_.columns / (count_ * count_); }
  MatrixView<const T> columns(std::int64_t s) const {
    MatrixView<const T> view = logits_.view();
    view.data += first(s) * view.column_stride;
    view.columns = first(s + 1) - first(s);
    return view;
  }
  const Choices& part(std::int64_t s) const { return parts_[static_cast<std::size_t>(s)]; }

  const StridedLogits<T>& logits_;
  const Choices& choices_;
  std::int64_t count_;
  std::vector<TokenShardState> states_;
  std::vector<Choices> parts_;
};

// The tokens, log probabilities and statuses of the whole. A bias that is out of range cannot be split, and `joint` is
// not offered.
template <class T>
void check_shards(const StridedLogits<T>& logits, const Choices& choices, const Told& whole,
                  const std::vector<ExpectedRow>& expected, std::int64_t count) {
  if (choices.joint) return;
  for (const ExpectedRow& row : expected)
    if (std::find(row.faults.begin(), row.faults.end(), TokenStatus::bad_bias) != row.faults.end()) return;
  Shards<T> shards(logits, choices, count);
  shards.draw();
  std::vector<bool> found(static_cast<std::size_t>(logits.rows));
  for (std::int64_t s = 0; s < count; ++s) {
    Told own(logits.rows);
    shards.finish(s, own);
    for (std::size_t i = 0; i < found.size(); ++i) {
      require(expected[i].may_have(own.status[i]));
      if (own.tokens[i] == -1) continue;
      require(!found[i] && own.tokens[i] == whole.tokens[i]);
      require(std::memcmp(&own.logs[i], &whole.logs[i], sizeof(float)) == 0);
      found[i] = true;
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) require(found[i] == (whole.status[i] == TokenStatus::ok));
}

}  // namespace papilio::fuzz_tokens
