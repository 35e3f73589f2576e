#pragma once

#include <cstdint>

#include "papilio/tokens.h"
#include "sampling/tokens/token_law.h"
#include "sampling/tokens/token_rows.h"

// The arguments of a call on rows in a device's memory, as plain data for its kernels.

namespace papilio::sampling {

template <class T>
struct DevicePerRow {
  T value;
  const T* values;  // null: every row has `value`
};

// Which filtered rows are first drawn from among the logits near their largest: those with top_k, also those with
// top_p, or all.
enum class NearRows { none, of_top_k, of_top_p, filtered };

// How a row is drawn from. Most ways have a kernel of their own; few rows have one for several ways
// (each_way_tokens_cuda.h). Those of `near`, `top_p` and `on_chip` may leave a row over for a later one. A row with an
// invalid filter goes to one that gives it the status.
enum class TokenWay : std::uint8_t {
  of_filter,     // rows of the call differ: each has the way of its filter
  by_intervals,  // no filters: one pass with approximate sums
  bounded,       // a small top_k, or temperature 0: by a bound
  few,           // the same in another way, for a larger top_k
  near,          // from among the logits near the largest; may leave the row over
  top_p,         // top_p without top_k, of few rows; may leave the row over
  on_chip,       // in the shared memory of a cluster; may leave the row over
  any            // every kind of row
};

struct TokenCall {
  const void* logits;
  std::int64_t rows, categories, row_stride, column_stride;

  DevicePerRow<float> temperature;
  DevicePerRow<std::int32_t> top_k;
  DevicePerRow<float> top_p, min_p;
  bool joint;
  const std::uint32_t* allowed;  // null: all are
  std::int64_t allowed_stride;
  const std::int64_t* bias_offsets;  // null: no bias
  const std::int32_t* bias_categories;
  const float* bias_values;
  std::int64_t bias_size;

  std::uint64_t seed, stream, first_position;
  const std::int64_t* positions;
  const std::int64_t* seeds;

  std::int32_t* tokens;
  float* log_probabilities;  // this and the following results: null if not requested
  float* raw_log_probabilities;
  std::int32_t* ranks;
  std::int32_t* kept_counts;
  float* kept_masses;
  TokenStatus* status;
  std::int32_t* kept_categories;
  std::int64_t kept_stride, room;
  float* kept_logs;
  std::int64_t kept_logs_stride;

  float* staged;          // rows x categories for rows that do not fit on chip
  TokenWay way;           // of all rows
  std::int32_t few;       // the largest top_k for which the first categories are found in one pass
  bool bounded;           // rows with a small top_k, or at temperature 0, are drawn from by a bound
  bool by_top_p;          // rows with top_p and no top_k are drawn from by histograms
  bool by_intervals;      // rows without filters are drawn from in one pass
  bool on_chip;           // a row fits in the shared memory of a cluster
  NearRows near;          // which of those rows are first drawn from near the largest logit
  bool flat;              // flat ones among them have a kernel of their own
  bool streams;           // the logits are more than the L2 cache holds
  bool left;              // rows whose token is `left_over` are still to be drawn
  std::int64_t in_slice;  // categories per block, if blocks share a row

  // The first blocks begin in turns: so many at a time, so many cycles apart. 0 cycles: all at once.
  std::int32_t turn_blocks, turn_cycles;
};

}  // namespace papilio::sampling

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::TokenCall;
using papilio::sampling::TokenWay;

// The largest top_k for which the first categories are found by a bound, from the largest logits of groups, and from
// those near the largest.
inline constexpr std::int32_t bounded_most = 64, few_most = 128, near_most_k = 2048;

// The token of a row that a kernel leaves to the next one.
inline constexpr std::int32_t left_over = -2;

// What a kernel says of a row that it leaves to the one for flat rows: a category with the largest logit, and the sum
// of all weights in units of its weight, within 0.3 %.
struct FlatRowLeft {
  std::int32_t category;
  float mass;
};

inline constexpr int flat_mass_bits = 12, flat_mass_steps = 128;  // per factor of 2
// Rows are flat only if they have so many categories or more, and categories of near rows are below 2^19.
inline constexpr std::int64_t least_flat = 16384;

// That as the token of the row, which is below `left_over`.
PAPILIO_LANEWISE std::int32_t token_of_left(const FlatRowLeft& left) {
  const float steps = log2f(left.mass) * flat_mass_steps;
  return left_over - 1 - (left.category << flat_mass_bits | static_cast<std::int32_t>(rintf(fmaxf(steps, 0.0f))));
}
PAPILIO_LANEWISE FlatRowLeft left_of_token(std::int32_t token) {
  const std::int32_t said = left_over - 1 - token, steps = said & ((1 << flat_mass_bits) - 1);
  return {said >> flat_mass_bits, exp2f(static_cast<float>(steps) / flat_mass_steps)};
}

PAPILIO_LANEWISE bool has_top_k(const TokenCall& call, const TokenFilter& f) {
  return f.top_k > 0 && f.top_k < call.categories;
}

// Whether the draw does not depend on the order of the categories.
PAPILIO_LANEWISE bool is_unordered(const TokenCall& call, const TokenFilter& f) {
  return !has_top_k(call, f) && f.top_p == 1;
}

// Whether a row of which the filters keep too many categories to be drawn from near the largest is read twice.
PAPILIO_LANEWISE bool can_be_flat(const TokenCall& call, const TokenFilter& f) {
  return call.flat && f.top_p < 1 && !has_top_k(call, f);
}

// How a row with a valid filter, not at temperature 0, is drawn from.
PAPILIO_LANEWISE TokenWay way_of_valid(const TokenCall& call, const TokenFilter& f) {
  using papilio::sampling::NearRows;
  const bool joint = call.joint && f.top_p < 1;
  if (has_top_k(call, f)) {
    if (call.bounded && f.top_k <= bounded_most && !joint) return TokenWay::bounded;
    const bool few = f.top_k <= call.few && call.kept_masses == nullptr && !joint;
    const bool is_quick = few && f.top_k <= few_most && call.allowed == nullptr;
    if (call.near != NearRows::none && f.top_k <= near_most_k && !is_quick) return TokenWay::near;
    if (few) return TokenWay::few;
  } else if (f.top_p < 1) {
    if (call.near >= NearRows::of_top_p) return TokenWay::near;
    if (call.by_top_p) return TokenWay::top_p;
  } else if (f.min_p > 0) {
    if (call.near == NearRows::filtered) return TokenWay::near;
  } else if (call.by_intervals) {
    return TokenWay::by_intervals;
  }
  return call.on_chip ? TokenWay::on_chip : TokenWay::any;
}

// How a row is drawn from.
PAPILIO_LANEWISE TokenWay way_of(const TokenCall& call, const TokenFilter& f) {
  if (call.way != TokenWay::of_filter) return call.way;
  if (f.temperature == 0 || !valid_filter(f))
    return call.bounded ? TokenWay::bounded : f.temperature == 0 && call.few > 0 ? TokenWay::few : TokenWay::any;
  return way_of_valid(call, f);
}

#if defined(__CUDACC__)

template <class T>
__device__ __forceinline__ T value_of_row(const papilio::sampling::DevicePerRow<T>& of, std::int64_t row) {
  return of.values == nullptr ? of.value : of.values[row];
}

__device__ __forceinline__ TokenFilter filter_of_row(const TokenCall& call, std::int64_t row) {
  return {value_of_row(call.temperature, row), value_of_row(call.top_k, row), value_of_row(call.top_p, row),
          value_of_row(call.min_p, row)};
}

__device__ __forceinline__ TokenWay way_of_row(const TokenCall& call, std::int64_t row) {
  return call.way == TokenWay::of_filter ? way_of(call, filter_of_row(call, row)) : call.way;
}

__device__ __forceinline__ std::uint64_t draw_number_of_row(const TokenCall& call, std::int64_t row) {
  const std::uint64_t seed = call.seeds == nullptr ? call.seed : static_cast<std::uint64_t>(call.seeds[row]);
  const std::uint64_t position = call.positions == nullptr ? call.first_position + static_cast<std::uint64_t>(row)
                                                           : static_cast<std::uint64_t>(call.positions[row]);
  return token_numbers(seed, call.stream, position).draw;
}

template <class T>
__device__ __forceinline__ void put(T* results, std::int64_t row, T value) {
  if (results != nullptr) results[row] = value;
}

// Whether f holds for one of the rows `first`, `first` + `step`, ... The threads of a block call it together, and all
// get the same answer.
template <class F>
__device__ __forceinline__ bool any_row(const TokenCall& call, std::int64_t first, std::int64_t step, F f) {
  bool any = false;
  for (std::int64_t row = first + threadIdx.x * step; row < call.rows; row += blockDim.x * step) any = any || f(row);
  return __syncthreads_or(any ? 1 : 0) != 0;
}

// Writes an entry of a row's kept set.
__device__ __forceinline__ void put_entry(const TokenCall& call, std::int64_t row, std::int64_t n,
                                          std::int32_t category, float log) {
  call.kept_categories[row * call.kept_stride + n] = category;
  if (call.kept_logs != nullptr) call.kept_logs[row * call.kept_logs_stride + n] = log;
}

// A row's token, while tokens of other rows are being written.
__device__ __forceinline__ std::int32_t token_of_row(const TokenCall& call, std::int64_t row) {
  return __ldcg(call.tokens + row);
}

// Whether f, which depends on rows' ways alone, holds for one of these rows; true without a look if all have one way.
template <class F>
__device__ __forceinline__ bool may_be_any_row(const TokenCall& call, std::int64_t first, std::int64_t step, F f) {
  return call.way != TokenWay::of_filter || any_row(call, first, step, f);
}

// Flags of invalid logits, combined over a row.
inline constexpr unsigned fault_nan = 1, fault_infinite = 2;

// Writes the results of a row whose status is not `ok`. Called by all threads of a block.
__device__ __forceinline__ void put_none(const TokenCall& call, std::int64_t row, TokenStatus status) {
  constexpr float nan = __builtin_nanf("");
  for (std::int64_t n = threadIdx.x; n < call.room; n += blockDim.x) put_entry(call, row, n, -1, -__builtin_inff());
  if (threadIdx.x != 0) return;
  call.tokens[row] = -1;
  put(call.log_probabilities, row, nan);
  put(call.raw_log_probabilities, row, nan);
  put(call.ranks, row, -1);
  put(call.kept_counts, row, -1);
  put(call.kept_masses, row, nan);
  put(call.status, row, status);
}

// The same for a row whose largest logit is no finite number.
__device__ __forceinline__ void put_nothing(const TokenCall& call, std::int64_t row, float largest) {
  put_none(call, row,
           largest == -__builtin_inff()  ? TokenStatus::nothing_allowed
           : largest == __builtin_inff() ? TokenStatus::infinite
                                         : TokenStatus::not_a_number);
}

// A row's part of the bias.
struct BiasOfRow {
  const std::int32_t* categories;
  const float* values;
  std::int64_t count;
  bool bad;  // the offsets are out of range

  // The index of a category, or -1.
  __device__ std::int64_t find(std::int64_t category) const {
    std::int64_t begin = 0, end = count;
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (categories[middle] < category)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin < count && categories[begin] == category ? begin : -1;
  }
};

__device__ __forceinline__ BiasOfRow bias_of_row(const TokenCall& call, std::int64_t row) {
  if (call.bias_offsets == nullptr) return {nullptr, nullptr, 0, false};
  const std::int64_t begin = call.bias_offsets[row], end = call.bias_offsets[row + 1];
  if (begin < 0 || end < begin || end > call.bias_size) return {nullptr, nullptr, 0, true};
  return {call.bias_categories + begin, call.bias_values + begin, end - begin, false};
}

// Whether the categories of the bias are out of range or not ascending. Called by all threads of a block; all get the
// same answer.
__device__ __forceinline__ bool bias_is_bad(const TokenCall& call, const BiasOfRow& bias) {
  if (call.bias_offsets == nullptr) return false;
  bool bad = bias.bad;
  for (std::int64_t n = threadIdx.x; n < bias.count; n += blockDim.x) {
    const std::int64_t category = bias.categories[n], before = n == 0 ? -1 : bias.categories[n - 1];
    bad = bad || category <= before || category >= call.categories;
  }
  return __syncthreads_or(bad ? 1 : 0) != 0;
}

__device__ __forceinline__ bool is_allowed(const TokenCall& call, std::int64_t row, std::int64_t category) {
  return call.allowed == nullptr ||
         (call.allowed[row * call.allowed_stride + category / 32] >> (category % 32) & 1u) != 0;
}

// The mask's bits for four categories starting at `first`. Bits outside the row are arbitrary.
__device__ __forceinline__ unsigned allowed_from(const TokenCall& call, std::int64_t row, std::int32_t first) {
  const std::uint32_t* const words = call.allowed + row * call.allowed_stride;
  const std::int32_t word = first >> 5, words_of_row = static_cast<std::int32_t>((call.categories + 31) / 32);
  const auto at = [&](std::int32_t w) { return w >= 0 && w < words_of_row ? __ldg(words + w) : 0u; };
  const auto place = static_cast<unsigned>(first) & 31u;
  return __funnelshift_r(at(word), place > 28 ? at(word + 1) : 0u, place) & 0xFu;
}

#endif

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
