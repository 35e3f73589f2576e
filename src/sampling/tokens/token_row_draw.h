#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "papilio/tokens.h"
#include "sampling/tokens/token_rows.h"

namespace papilio::sampling {

// A row in the form in which a call passes it.
struct TokenInput {
  TokenRow row;
  const std::uint32_t* allowed;  // a bit per category; null: all are allowed
  std::span<const std::int32_t> bias_categories;
  std::span<const float> bias_values;
  TokenFilter filter;
  bool joint;
};

// A category that the filters have kept.
struct KeptToken {
  std::uint64_t key;  // its place in the order; see token_law.h
  std::uint64_t weight;

  std::int64_t category() const { return 0xFFFF'FFFF - static_cast<std::int64_t>(key & 0xFFFF'FFFFu); }
};

// The distribution of one row, and draws from it. The memory is reused for row after row by one thread.
class TokenRowDraw {
 public:
  explicit TokenRowDraw(std::int64_t categories);

  // Reads a row and filters it. Unless this returns `ok`, nothing else may be called.
  TokenStatus read(const TokenInput& input);

  // Only reads a row: its logits, and the largest of them as an integer in the same order.
  TokenStatus read_logits(const TokenInput& input, std::uint32_t& largest);
  std::span<const float> logits() const { return {logits_, static_cast<std::size_t>(categories_)}; }

  // The sum of the kept weights, and the category in whose interval a target falls.
  std::uint64_t total() const { return total_; }
  std::int64_t find(std::uint64_t target);

  // The weight of a category; 0 if it is not kept.
  std::uint64_t weight(std::int64_t category);
  float log_probability(std::int64_t category) const;

  // The kept categories, in ascending order; the list is made when it is first needed.
  std::span<const KeptToken> kept();

  std::int64_t rank(std::int64_t category) const;
  float kept_mass();
  // For the logits as passed; NaN if they define no distribution. Overwrites this row.
  float raw_log_probability(const TokenInput& input, std::int64_t category);
  int unit_bits() const { return scale_.unit_bits; }

 private:
  TokenStatus scan(const TokenInput& input);
  const float* floats(const TokenInput& input);
  void keep_largest();
  void keep_first(std::int64_t k);
  void keep_sum(std::uint64_t sum);
  void keep_weights(float min_p);
  void find_top_p(float top_p);
  void collect(float least);
  void weigh();
  void settle();
  std::uint64_t sum_all();

  std::int64_t categories_;
  TokenFilter filter_ = {};
  TokenScale scale_ = {};
  const float* logits_ = nullptr;
  bool ascending_ = false;  // kept categories are in ascending order
  bool whole_ = false;      // all categories are kept; there is no list of them
  std::uint64_t total_ = 0;
  std::uint64_t total_of_all_ = 0;  // 0: not computed yet
  double log_total_ = 0;
  std::vector<float> staged_, block_largest_, picked_;
  std::vector<std::uint64_t> keys_, weights_, block_sums_;
  std::vector<KeptToken> kept_;
};

}  // namespace papilio::sampling
