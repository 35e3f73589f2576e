#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "execution/cpu/parallel_for.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/tokens.h"
#include "sampling/rows/kernels.h"
#include "sampling/tokens/check_tokens.h"
#include "sampling/tokens/shard_law.h"
#include "sampling/tokens/token_law.h"
#include "sampling/tokens/token_row_draw.h"
#include "sampling/tokens/token_shards_cuda.h"

namespace papilio {
namespace sampling {
namespace {

namespace law = sampling_kernel;
using Stage = TokenShardState::Stage;

void check_shard(const char* function, const TokenShard& shard, std::int64_t held) {
  base::require(shard.categories > 0 && shard.categories <= std::numeric_limits<std::int32_t>::max(),
                "papilio::{}: a vocabulary of {} categories, expected 1 to 2^31 - 1", function, shard.categories);
  base::require(shard.first_category >= 0 && held >= 0 && shard.first_category <= shard.categories - held,
                "papilio::{}: the shard has {} categories from {} on, of {}", function, held, shard.first_category,
                shard.categories);
}

// Requires that states are as combine_shards writes them.
void check_states(const char* function, VectorView<const TokenShardState> states) {
  for (std::int64_t i = 0; i < states.size; ++i) {
    base::require(law::valid_shard_state(states.data[i]),
                  "papilio::{}: states[{}] was not written by combine_shards, expected zeros at the start", function,
                  i);
  }
}

// Requires that combine_shards has left no row for another round.
void check_finished(const char* function, VectorView<const TokenShardState> states) {
  for (std::int64_t i = 0; i < states.size; ++i) {
    base::require(states.data[i].stage == Stage::done,
                  "papilio::{}: states[{}] needs another round; call summarize_shard and combine_shards until "
                  "combine_shards returns 0",
                  function, i);
  }
}

template <class T>
void check_rows(const char* function, const MatrixView<const T>& logits, const TokenShard& shard,
                VectorView<const TokenShardState> states, const TokenFilters& filters) {
  const TokenChecks check(function, logits.device, logits.rows, logits.columns);
  check.part_of_logits(logits);
  check_shard(function, shard, logits.columns);
  check.filters(filters);
  check.needed("states", states, logits.rows);
  base::require(!filters.joint, "papilio::{}: joint filters are not supported for shards", function);
  if (logits.device.is_cpu()) check_states(function, states);
}

// A shard's part of a row: its logits, and their weights given what is known of the row.
class ShardRow {
 public:
  ShardRow(const TokenShard& shard, std::int64_t held)
      : shard_(shard), row_(held), weights_(static_cast<std::size_t>(held)) {}

  TokenStatus read(const TokenInput& input, std::uint32_t& largest) { return row_.read_logits(input, largest); }

  // Calls visit(key, weight) for each category that no filter has removed yet, in ascending order.
  template <class Visit>
  void each(const TokenShardState& state, const TokenFilter& f, const Visit& visit) {
    const auto logits = row_.logits();
    const TokenScale scale = law::token_scale(law::logit_of_order(state.largest), law::shard_temperature(f),
                                              law::token_unit_bits(shard_.categories));
    kernels_in_use().weigh_tokens(logits.data(), std::ssize(logits), scale, weights_.data());
    for (std::size_t k = 0; k < logits.size(); ++k) {
      if (!(logits[k] >= std::numeric_limits<float>::lowest())) continue;
      const std::uint64_t key =
          law::token_key(law::token_order(logits[k] + 0.0f), shard_.first_category + static_cast<std::int64_t>(k));
      if (key >= state.least_key) visit(key, weights_[k]);
    }
  }

 private:
  TokenShard shard_;
  TokenRowDraw row_;
  std::vector<std::uint64_t> weights_;
};

template <class T>
void summarize(const MatrixView<const T>& logits, const TokenShard& shard, VectorView<const TokenShardState> states,
               VectorView<TokenShardRecord> records, const TokenFilters& filters, const TokenOptions& options) {
  constexpr const char* function = "summarize_shard";
  check_rows(function, logits, shard, states, filters);
  TokenChecks(function, logits.device, logits.rows, logits.columns).needed("records", records, logits.rows);
  execution::require_apart(function, "records", records, "states", states);
  execution::thread_count(options.threads);
  if (!logits.device.is_cpu()) {
    if (logits.rows == 0) return;
    require_workspace(function, options, tokens_workspace_on_cuda(logits.rows, logits.columns, logits.device),
                      logits.device);
    return summarize_shard_on_cuda(device_logits(logits), shard, states, records, filters, options);
  }
  execution::parallel_for(logits.rows, 1, options.threads, [&](std::int64_t begin, std::int64_t end) {
    ShardRow row(shard, logits.columns);
    for (std::int64_t i = begin; i < end; ++i) {
      TokenShardRecord& record = records.data[i];
      std::memset(static_cast<void*>(&record), 0, sizeof record);
      const TokenShardState& state = states.data[i];
      if (state.stage == Stage::done) continue;
      TokenInput input;
      record.status = input_of_row(logits, filters, i, input) ? row.read(input, record.largest) : TokenStatus::bad_bias;
      if (record.status != TokenStatus::ok || state.stage == Stage::start) continue;
      const std::uint64_t least = law::shard_least_weight(input.filter, shard.categories);
      row.each(state, input.filter, [&](std::uint64_t key, std::uint64_t weight) {
        if (state.stage == Stage::sums) {
          if (weight >= least) record.sums[0] += weight;
          return;
        }
        const int digit = law::shard_digit(key, state);
        if (digit < 0) return;
        record.sums[digit] += weight;
        ++record.counts[digit];
      });
    }
  });
}

// Combines the shards' records of one row.
void combine_row(const MatrixView<const TokenShardRecord>& records, std::int64_t row, TokenShardState& state,
                 const TokenShard& shard, const TokenFilter& f, std::uint64_t number) {
  const auto record = [&](std::int64_t s) -> const TokenShardRecord& {
    return records.data[s * records.row_stride + row * records.column_stride];
  };
  if (state.stage == Stage::start) return law::begin_shards(state, record, records.rows, f, shard.categories);
  if (state.stage == Stage::sums) return law::draw_among_shards(state, record, records.rows, number);
  std::array<std::uint64_t, 256> sums = {}, counts = {};
  for (std::int64_t s = 0; s < records.rows; ++s)
    for (std::size_t digit = 0; digit < 256; ++digit) {
      sums[digit] += record(s).sums[digit];
      counts[digit] += record(s).counts[digit];
    }
  law::take_digit(state, f, sums.data(), counts.data());
}

template <class T>
void finish(const MatrixView<const T>& logits, const TokenShard& shard, std::int64_t number,
            VectorView<const TokenShardState> states, const TokenResults& results, const TokenFilters& filters,
            const TokenOptions& options) {
  constexpr const char* function = "finish_shard";
  check_rows(function, logits, shard, states, filters);
  base::require(number >= 0, "papilio::{}: the shard's number is {}, expected 0 or more", function, number);
  const TokenChecks check(function, logits.device, logits.rows, logits.columns);
  check.needed("tokens", results.tokens, logits.rows);
  check.entries("log_probabilities", results.log_probabilities, logits.rows);
  check.entries("status", results.status, logits.rows);
  base::require(results.raw_log_probabilities.size == 0 && results.ranks.size == 0 && results.kept_counts.size == 0 &&
                    results.kept_masses.size == 0 && results.kept_categories.rows == 0 &&
                    results.kept_log_probabilities.rows == 0,
                "papilio::{}: of the results only tokens, log_probabilities and status are supported for shards",
                function);
  execution::thread_count(options.threads);
  if (logits.device.is_cpu()) check_finished(function, states);
  if (!logits.device.is_cpu()) {
    if (logits.rows == 0) return;
    require_workspace(function, options, tokens_workspace_on_cuda(logits.rows, logits.columns, logits.device),
                      logits.device);
    return finish_shard_on_cuda(device_logits(logits), shard, number, states, results, filters, options);
  }
  execution::parallel_for(logits.rows, 1, options.threads, [&](std::int64_t begin, std::int64_t end) {
    ShardRow row(shard, logits.columns);
    for (std::int64_t i = begin; i < end; ++i) {
      const TokenShardState& state = states.data[i];
      std::int64_t token = -1;
      float log = std::numeric_limits<float>::quiet_NaN();
      TokenInput input;
      std::uint32_t largest = 0;
      if (state.status == TokenStatus::ok && state.owner == number && input_of_row(logits, filters, i, input) &&
          row.read(input, largest) == TokenStatus::ok) {
        std::uint64_t target = state.target;
        const std::uint64_t least = law::shard_least_weight(input.filter, shard.categories);
        row.each(state, input.filter, [&](std::uint64_t key, std::uint64_t weight) {
          if (token >= 0 || weight < least) return;
          if (target >= weight) {
            target -= weight;
            return;
          }
          token = law::category_of_key(key);
          log = input.filter.temperature == 0
                    ? 0
                    : law::log_probability(law::logit_of_order(static_cast<std::uint32_t>(key >> 32)),
                                           law::logit_of_order(state.largest), input.filter.temperature,
                                           law::log_of_total(state.total, law::token_unit_bits(shard.categories)));
        });
      }
      results.tokens.data[i] = static_cast<std::int32_t>(token);
      if (!results.log_probabilities.empty()) results.log_probabilities.data[i] = log;
      if (!results.status.empty()) results.status.data[i] = state.status;
    }
  });
}

}  // namespace
}  // namespace sampling

std::int64_t combine_shards(MatrixView<const TokenShardRecord> records, const TokenShard& shard,
                            VectorView<TokenShardState> states, const TokenFilters& filters,
                            const TokenOptions& options) {
  constexpr const char* function = "combine_shards";
  sampling::check_shard(function, shard, 0);
  base::require(records.rows > 0 && records.columns == states.size,
                "papilio::{}: records must be shards x rows; got {} x {} for {} rows", function, records.rows,
                records.columns, states.size);
  const sampling::TokenChecks check(function, records.device, states.size, shard.categories);
  execution::require_matrix(function, "records", records);
  check.entries("states", states, states.size);
  TokenFilters of_all = filters;
  of_all.allowed = {};
  of_all.bias_offsets = {};
  of_all.bias_categories = {};
  of_all.bias_values = {};
  check.filters(of_all);
  base::require(!filters.joint, "papilio::{}: joint filters are not supported for shards", function);
  check.entries("positions", options.positions, states.size);
  check.entries("seeds", options.seeds, states.size);
  if (states.size == 0) return 0;
  if (!records.device.is_cpu()) return sampling::combine_shards_on_cuda(records, shard, states, of_all, options);
  sampling::check_states(function, states);
  std::int64_t left = 0;
  for (std::int64_t i = 0; i < states.size; ++i) {
    TokenShardState& state = states.data[i];
    if (state.stage == TokenShardState::Stage::done) continue;
    sampling::combine_row(records, i, state, shard, sampling::filter_of_row(filters, i),
                          sampling_kernel::token_numbers(sampling::seed_of_row(options, i), options.stream,
                                                         sampling::position_of_row(options, i))
                              .draw);
    left += state.stage != TokenShardState::Stage::done ? 1 : 0;
  }
  return left;
}

#define PAPILIO_INSTANTIATE(T)                                                                                        \
  void summarize_shard(MatrixView<const T> logits, const TokenShard& shard, VectorView<const TokenShardState> states, \
                       VectorView<TokenShardRecord> records, const TokenFilters& filters,                             \
                       const TokenOptions& options) {                                                                 \
    sampling::summarize(logits, shard, states, records, filters, options);                                            \
  }                                                                                                                   \
  void finish_shard(MatrixView<const T> logits, const TokenShard& shard, std::int64_t number,                         \
                    VectorView<const TokenShardState> states, const TokenResults& results,                            \
                    const TokenFilters& filters, const TokenOptions& options) {                                       \
    sampling::finish(logits, shard, number, states, results, filters, options);                                       \
  }
PAPILIO_INSTANTIATE(float)
PAPILIO_INSTANTIATE(Half)
PAPILIO_INSTANTIATE(BFloat16)

}  // namespace papilio
