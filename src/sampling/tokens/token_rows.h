#pragma once

#include <cstdint>

#include "sampling/rows/device_rows.h"

// The border between the driver of token draws and its kernels, on a CPU as on a GPU: plain data.

namespace papilio::sampling {

// A row's logits as they are stored.
struct TokenRow {
  Storage storage;
  const void* logits;
  std::int64_t stride;  // between categories
  std::int64_t categories;
};

// What every weight of a row needs.
struct TokenScale {
  float largest;  // of the row, finite
  float high;     // high + low is log2(e) / temperature
  float low;
  int unit_bits;  // s: the largest logit weighs 2^s, 31 <= s <= 62
};

// The filters of a row.
struct TokenFilter {
  float temperature;
  std::int32_t top_k;
  float top_p;
  float min_p;
};

// What the filters of a row left: the categories of a key and a weight that are not below these.
struct KeptSet {
  std::uint64_t least_key;
  std::uint64_t least_weight;
};

// The random numbers of a position: one for the draw, one for the test of a draft's token.
struct TokenNumbers {
  std::uint64_t draw, test;
};

// What a first reading of a row found.
struct TokenScan {
  float largest;  // -infinity if there is none; NaN is passed over
  bool fault;     // a logit is NaN or +infinity
};

// Categories of which the largest logit is kept: enough to find where the first k of a row can be.
inline constexpr std::int64_t token_block = 256;

}  // namespace papilio::sampling
