#pragma once

#include <cstdint>

#include "sampling/rows/device_rows.h"

// The interface between the driver of token draws and its kernels, on CPU and GPU: plain data.

namespace papilio::sampling {

// A row's logits in their stored type.
struct TokenRow {
  Storage storage;
  const void* logits;
  std::int64_t stride;  // between categories
  std::int64_t categories;
};

// What the computation of every weight of a row needs.
struct TokenScale {
  float largest;  // of the row, finite
  float high;     // high + low is log2(e) / temperature
  float low;
  int unit_bits;  // s: the largest logit has weight 2^s, 31 <= s <= 62
};

// The filters of a row.
struct TokenFilter {
  float temperature;
  std::int32_t top_k;
  float top_p;
  float min_p;
};

// What the filters keep of a row: the categories whose key and weight are not below these.
struct KeptSet {
  std::uint64_t least_key;
  std::uint64_t least_weight;
};

// The random numbers of a position: one for the draw, one for the test of a draft token.
struct TokenNumbers {
  std::uint64_t draw, test;
};

// What a first pass over a row has found.
struct TokenScan {
  float largest;  // -infinity if there is none; NaN is skipped
  bool fault;     // a logit is NaN or +infinity
};

// The largest logit of this many categories is kept: enough to locate the first k of a row.
inline constexpr std::int64_t token_block = 256;

}  // namespace papilio::sampling
