#pragma once

#include <random>
#include <type_traits>
#include <vector>

#include "cuda/problems.h"
#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"

// Calls of sample_tokens on the device and on the CPU, and what they say.

namespace papilio::testing {

// Rows of one call.
template <class S>
struct TokenRows {
  std::int64_t rows, categories;
  std::vector<S> logits = {};
  std::vector<float> temperature = {}, top_p = {}, min_p = {};  // one per row, or one for all
  std::vector<std::int32_t> top_k = {};
  bool joint = false, per_row = false;  // `per_row`: filters are arrays, also those of one row
  std::vector<std::uint32_t> allowed = {};
  std::vector<std::int64_t> bias_offsets = {};
  std::vector<std::int32_t> bias_categories = {};
  std::vector<float> bias_values = {};
  std::vector<std::int64_t> seeds = {}, positions = {};
  bool by_columns = false;  // the matrix is stored column by column
  bool masses = true, counts = true, ranks = true;
  std::int64_t room = 70;
};

// What a call says, on either side.
struct Said {
  std::vector<std::int32_t> tokens, ranks, counts, kept;
  std::vector<float> logs, raw, masses, kept_logs;
  std::vector<TokenStatus> status;

  template <class S>
  explicit Said(const TokenRows<S>& rows)
      : tokens(at(rows.rows), 7),
        ranks(rows.ranks ? tokens.size() : 0, 7),
        counts(rows.counts ? tokens.size() : 0, 7),
        kept(at(rows.rows * rows.room), 7),
        logs(tokens.size(), 7),
        raw(logs),
        masses(rows.masses ? logs.size() : 0, 7),
        kept_logs(kept.size(), 7),
        status(tokens.size(), TokenStatus::bad_draft) {}

 private:
  static std::size_t at(std::int64_t n) { return static_cast<std::size_t>(n); }
};

// `on` makes the view of a vector there.
template <class S, class On>
void call(TokenRows<S>& rows, Said& said, const On& on, Device device, const TokenOptions& base) {
  const auto per_row = [&](auto& values) {
    using T = std::remove_reference_t<decltype(values[0])>;
    PerRow<T> of = values[0];
    if (rows.per_row || values.size() > 1) of.values = on(values);
    return of;
  };
  TokenFilters filters;
  filters.temperature = per_row(rows.temperature);
  filters.top_k = per_row(rows.top_k);
  filters.top_p = per_row(rows.top_p);
  filters.min_p = per_row(rows.min_p);
  filters.joint = rows.joint;
  const std::int64_t words = (rows.categories + 31) / 32;
  if (!rows.allowed.empty())
    filters.allowed = {on(rows.allowed).data,
                       rows.rows,
                       words,
                       static_cast<std::int64_t>(rows.allowed.size()) == words ? 0 : words,
                       1,
                       device};
  if (!rows.bias_offsets.empty()) {
    filters.bias_offsets = on(rows.bias_offsets);
    filters.bias_categories = on(rows.bias_categories);
    filters.bias_values = on(rows.bias_values);
  }
  TokenOptions options = base;
  if (!rows.seeds.empty()) options.seeds = on(rows.seeds);
  if (!rows.positions.empty()) options.positions = on(rows.positions);
  TokenResults results = {.tokens = on(said.tokens)};
  results.log_probabilities = on(said.logs);
  results.raw_log_probabilities = on(said.raw);
  if (rows.ranks) results.ranks = on(said.ranks);
  if (rows.counts) results.kept_counts = on(said.counts);
  if (rows.masses) results.kept_masses = on(said.masses);
  results.status = on(said.status);
  if (rows.room > 0) {
    results.kept_categories = {on(said.kept).data, rows.rows, rows.room, rows.room, 1, device};
    results.kept_log_probabilities = {on(said.kept_logs).data, rows.rows, rows.room, rows.room, 1, device};
  }
  const S* logits = on(rows.logits).data;
  const MatrixView<const S> matrix =
      rows.by_columns ? MatrixView<const S>{logits, rows.rows, rows.categories, 1, rows.rows, device}
                      : MatrixView<const S>{logits, rows.rows, rows.categories, rows.categories, 1, device};
  sample_tokens(matrix, results, filters, options);
}

inline TokenOptions options_of_tests() { return {.seed = 5, .stream = 2, .first_position = 17}; }

template <class S>
Said said_by_host(TokenRows<S>& rows) {
  Said said(rows);
  call(
      rows, said, [](auto& v) { return VectorView(v.data(), static_cast<std::int64_t>(v.size()), Device::cpu()); },
      Device::cpu(), options_of_tests());
  return said;
}

template <class S>
Said said_by_device(TokenRows<S>& rows, std::int64_t offset) {
  Said said(rows);
  const execution::Stream stream;
  execution::DeviceArray<std::byte> workspace(token_workspace_bytes(rows.rows, rows.categories, Device::cuda()),
                                              "a workspace");
  TokenOptions options = options_of_tests();
  options.cuda_stream = stream.get();
  if (workspace.size() > 0) options.workspace = {workspace.data(), workspace.size(), Device::cuda()};
  DeviceArrays on(offset);
  call(
      rows, said, [&](auto& v) { return on(v); }, Device::cuda(), options);
  stream.wait();
  on.fetch();
  return said;
}

// What was asked for on the device, as bytes.
inline ::testing::AssertionResult same_said(const Said& device, const Said& host) {
  const auto same = [](const auto& there, const auto& here, const char* what) {
    return there.empty() ? ::testing::AssertionSuccess() : same_bytes(there, here, what);
  };
  for (const auto& result :
       {same(device.status, host.status, "the status"), same(device.tokens, host.tokens, "the token"),
        same(device.counts, host.counts, "the kept count"), same(device.kept, host.kept, "the kept set"),
        same(device.ranks, host.ranks, "the rank"), same(device.masses, host.masses, "the kept mass"),
        same(device.logs, host.logs, "the log probability"),
        same(device.kept_logs, host.kept_logs, "the kept log probability"),
        same(device.raw, host.raw, "the raw log probability")})
    if (!result) return result;
  return ::testing::AssertionSuccess();
}

// All results at once, and without those that take a row's order or a list: other kernels draw then.
template <class S>
::testing::AssertionResult same_tokens(TokenRows<S> rows, std::int64_t offset = 0) {
  const Said host = said_by_host(rows);
  if (const auto same = same_said(said_by_device(rows, offset), host); !same) return same;
  rows.ranks = false;
  if (auto same = same_said(said_by_device(rows, offset), host); !same) return same << ", without ranks";
  rows.room = 0;
  if (auto same = same_said(said_by_device(rows, offset), host); !same) return same << ", without ranks and lists";
  rows.counts = rows.masses = false;
  if (auto same = same_said(said_by_device(rows, offset), host); !same) return same << ", tokens alone";
  return ::testing::AssertionSuccess();
}

template <class S>
TokenRows<S> random_rows(std::int64_t rows, std::int64_t categories, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  TokenRows<S> made = {rows, categories};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (const float x : random_row(bits, categories)) made.logits.push_back(stored<S>(x));
    const OracleFilter f = random_filter(bits, categories);
    made.temperature.push_back(static_cast<float>(f.temperature));
    made.top_k.push_back(static_cast<std::int32_t>(f.top_k));
    made.top_p.push_back(static_cast<float>(f.top_p));
    made.min_p.push_back(static_cast<float>(f.min_p));
    made.seeds.push_back(static_cast<std::int64_t>(bits()));
    made.positions.push_back(pick(bits, 100000));
  }
  return made;
}

using TokenTypes = ::testing::Types<float, Half, BFloat16>;

}  // namespace papilio::testing
