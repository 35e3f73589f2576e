// A vocabulary in shards on a device: round by round the records and states of the CPU, and in the end the tokens of
// sample_tokens, for any number of shards.

#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include "cuda/problems.h"
#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"

namespace papilio::testing {
namespace {

constexpr std::int64_t rows = 6;

template <class S>
struct ShardedRows {
  std::int64_t categories;
  std::vector<S> logits = {};
  std::vector<float> temperature = {}, top_p = {}, min_p = {};
  std::vector<std::int32_t> top_k = {};
  std::vector<std::int64_t> seeds = {}, positions = {};

  TokenFilters filters_on(auto&& on) {
    TokenFilters filters;
    filters.temperature.values = on(temperature);
    filters.top_k.values = on(top_k);
    filters.top_p.values = on(top_p);
    filters.min_p.values = on(min_p);
    return filters;
  }
};

template <class S>
ShardedRows<S> random_shards(std::mt19937_64& bits, std::int64_t categories) {
  ShardedRows<S> made = {categories};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (const float x : random_row(bits, categories)) made.logits.push_back(stored<S>(x));
    const OracleFilter f = random_filter(bits, categories);
    made.temperature.push_back(f.temperature);
    made.top_k.push_back(static_cast<std::int32_t>(f.top_k));
    made.top_p.push_back(f.top_p);
    made.min_p.push_back(f.min_p);
    made.seeds.push_back(static_cast<std::int64_t>(bits()));
    made.positions.push_back(pick(bits, 100000));
  }
  return made;
}

// Some with rows that have a fault, or nothing to draw.
template <class S>
ShardedRows<S> random_shards_with_faults(std::mt19937_64& bits, std::int64_t categories, int n) {
  ShardedRows<S> made = random_shards<S>(bits, categories);
  if (n % 5 == 0) made.logits[bits() % made.logits.size()] = not_a_number<S>();
  if (n % 7 == 0) made.temperature[n % rows] = -1;
  if (n % 3 == 0)
    std::fill(made.logits.begin(), made.logits.begin() + categories,
              stored<S>(-std::numeric_limits<double>::infinity()));
  return made;
}

using Edges = std::vector<std::int64_t>;  // the first category of each shard, and the end of the last one

// So many shards of several sizes.
Edges edges_of(std::int64_t categories, std::int64_t shards) {
  Edges edges;
  for (std::int64_t s = 0; s <= shards; ++s) edges.push_back(s * s * categories / (shards * shards));
  return edges;
}

struct DrawnInShards {
  std::vector<std::int32_t> tokens = std::vector<std::int32_t>(rows, -1);
  std::vector<float> logs = std::vector<float>(rows, std::numeric_limits<float>::quiet_NaN());
  std::vector<TokenStatus> status = std::vector<TokenStatus>(rows);
};

auto fields(const TokenShardState& s) {
  return std::tuple(s.stage, s.status, s.largest, s.bits, s.prefix, s.wanted, s.above, s.least_key, s.total, s.target,
                    s.owner);
}

// Results that no call writes.
DrawnInShards unwritten() {
  DrawnInShards results;
  results.tokens.assign(rows, 7);
  results.logs.assign(rows, 7);
  results.status.assign(rows, TokenStatus::bad_draft);
  return results;
}

// Shards on one side.
template <class S>
class Side {
 public:
  Side(const S* logits, const Edges& edges, Device device, TokenFilters filters, TokenOptions options,
       VectorView<TokenShardState> states, VectorView<TokenShardRecord> records)
      : logits_(logits),
        edges_(edges),
        categories_(edges.back()),
        shards_(std::ssize(edges) - 1),
        device_(device),
        filters_(filters),
        options_(options),
        states_(states),
        records_(records) {}

  void summarize() {
    for (std::int64_t s = 0; s < shards_; ++s)
      summarize_shard(part(s), {first(s), categories_}, states_, {records_.data + s * rows, rows, device_}, filters_,
                      options_);
  }
  std::int64_t combine() {
    return combine_shards({records_.data, shards_, rows, rows, 1, device_}, {0, categories_}, states_, filters_,
                          options_);
  }
  void finish(std::int64_t s, const TokenResults& results) {
    finish_shard(part(s), {first(s), categories_}, s, states_, results, filters_, options_);
  }

 private:
  std::int64_t first(std::int64_t s) const { return edges_[static_cast<std::size_t>(s)]; }
  // That of an empty shard has no address.
  MatrixView<const S> part(std::int64_t s) const {
    const std::int64_t held = first(s + 1) - first(s);
    return {held == 0 ? nullptr : logits_ + first(s), rows, held, categories_, 1, device_};
  }

  const S* logits_;
  Edges edges_;
  std::int64_t categories_, shards_;
  Device device_;
  TokenFilters filters_;
  TokenOptions options_;
  VectorView<TokenShardState> states_;
  VectorView<TokenShardRecord> records_;
};

::testing::AssertionResult same_results(const DrawnInShards& found, const DrawnInShards& expected) {
  if (const auto same = same_bytes(found.status, expected.status, "the status"); !same) return same;
  if (const auto same = same_bytes(found.tokens, expected.tokens, "the token"); !same) return same;
  return same_bytes(found.logs, expected.logs, "the log probability");
}

template <class S>
DrawnInShards drawn_whole(ShardedRows<S>& of) {
  DrawnInShards whole;
  const auto on = [](auto& v) { return VectorView(v.data(), static_cast<std::int64_t>(v.size()), Device::cpu()); };
  sample_tokens(MatrixView<const S>(of.logits.data(), rows, of.categories),
                {.tokens = whole.tokens, .log_probabilities = whole.logs, .status = whole.status}, of.filters_on(on),
                {.positions = of.positions, .seeds = of.seeds});
  return whole;
}

template <class S>
void expect_the_same(ShardedRows<S>& of, const Edges& edges) {
  SCOPED_TRACE(::testing::PrintToString(edges));
  const std::int64_t shards = std::ssize(edges) - 1;
  const auto on_host = [](auto& v) { return VectorView(v.data(), static_cast<std::int64_t>(v.size()), Device::cpu()); };
  std::vector<TokenShardState> states(rows);
  std::vector<TokenShardRecord> records(static_cast<std::size_t>(shards * rows));
  Side<S> host(of.logits.data(), edges, Device::cpu(), of.filters_on(on_host),
               {.positions = of.positions, .seeds = of.seeds}, states, records);
  const execution::Stream stream;
  execution::DeviceArray<std::byte> workspace(token_workspace_bytes(rows, of.categories, Device::cuda()),
                                              "a workspace");
  TokenOptions options = {.positions = {}, .cuda_stream = stream.get()};
  if (workspace.size() > 0) options.workspace = {workspace.data(), workspace.size(), Device::cuda()};
  DeviceArrays on(0);
  options.positions = on(of.positions);
  options.seeds = on(of.seeds);
  DeviceCopy<S> logits(of.logits);
  DeviceCopy<TokenShardState> device_states(states);
  DeviceCopy<TokenShardRecord> device_records(std::vector<TokenShardRecord>(records.size()));
  Side<S> device(logits.data(), edges, Device::cuda(), of.filters_on(on), options, device_states.view(),
                 device_records.view());
  std::int64_t left = rows;
  for (int round = 0; left > 0; ++round) {
    ASSERT_LT(round, 18);
    host.summarize();
    device.summarize();
    left = host.combine();
    ASSERT_EQ(device.combine(), left) << "round " << round;
    const std::vector<TokenShardRecord> found = device_records.host();
    for (std::size_t n = 0; n < records.size(); ++n)
      ASSERT_EQ(std::memcmp(&found[n], &records[n], sizeof records[n]), 0) << "record " << n << " of round " << round;
    const std::vector<TokenShardState> known = device_states.host();
    for (std::size_t i = 0; i < states.size(); ++i) ASSERT_EQ(fields(known[i]), fields(states[i])) << "row " << i;
  }
  DrawnInShards drawn;
  for (std::int64_t s = 0; s < shards; ++s) {
    DrawnInShards own = unwritten(), of_host = unwritten();
    host.finish(s, {.tokens = of_host.tokens, .log_probabilities = of_host.logs, .status = of_host.status});
    DeviceArrays results(1);
    device.finish(
        s, {.tokens = results(own.tokens), .log_probabilities = results(own.logs), .status = results(own.status)});
    stream.wait();
    results.fetch();
    ASSERT_TRUE(same_results(own, of_host)) << "shard " << s;
    for (std::size_t i = 0; i < rows; ++i) {
      drawn.status[i] = own.status[i];
      if (own.tokens[i] < 0) continue;
      EXPECT_EQ(drawn.tokens[i], -1) << "two shards hold the token of row " << i;
      drawn.tokens[i] = own.tokens[i];
      drawn.logs[i] = own.logs[i];
    }
  }
  ASSERT_TRUE(same_results(drawn, drawn_whole(of)));
}

template <class S>
class CudaTokenShards : public CudaTest {};
using ShardTypes = ::testing::Types<float, Half, BFloat16>;
TYPED_TEST_SUITE(CudaTokenShards, ShardTypes);

TYPED_TEST(CudaTokenShards, DrawTheTokensOfTheWhole) {
  std::mt19937_64 bits(5);
  for (int n = 0; n < 30; ++n)
    for (const std::int64_t categories : {64, 100, 1000, 9001}) {
      auto of = random_shards_with_faults<TypeParam>(bits, categories, n);
      for (const std::int64_t shards : {1, 2, 4, 8}) {
        expect_the_same(of, edges_of(categories, shards));
        if (this->HasFatalFailure()) return;
      }
    }
}

TYPED_TEST(CudaTokenShards, SomeAreEmpty) {
  std::mt19937_64 bits(6);
  for (int n = 0; n < 20; ++n)
    for (const std::int64_t categories : {1, 64, 1000, 9001}) {
      auto of = random_shards_with_faults<TypeParam>(bits, categories, n);
      const std::int64_t half = categories / 2, all = categories;
      const Edges first = {0, 0, half, all}, middle = {0, half, half, all}, last = {0, half, all, all};
      const Edges all_but_one = {0, 0, 0, all, all}, many = {0, 0, 0, half, half, half, all, all, all};
      for (const Edges& edges : {first, middle, last, all_but_one, many}) {
        expect_the_same(of, edges);
        if (this->HasFatalFailure()) return;
      }
    }
}

TYPED_TEST(CudaTokenShards, LongRows) {
  std::mt19937_64 bits(9);
  ShardedRows<TypeParam> of = random_shards<TypeParam>(bits, 131072);
  const Edges some_empty = {0, 0, 65536, 65536, 131072, 131072};
  for (const Edges& edges : {edges_of(131072, 1), edges_of(131072, 8), some_empty}) expect_the_same(of, edges);
}

// Whatever else is wrong with a row, or known of it: the records and results of the CPU.
TYPED_TEST(CudaTokenShards, AnEmptyShardHasTheFaultsOfItsFilters) {
  using Stage = TokenShardState::Stage;
  std::vector<float> temperature = {1, 0, 1, -1, -1, 1};
  std::vector<std::int64_t> offsets = {0, 0, 0, 1, 1, 2, 2};  // a bias of a category is one too many
  std::vector<std::int32_t> categories = {0, 0};
  std::vector<float> values = {1, 1};
  std::vector<std::uint32_t> word = {~0u};
  const auto filters_on = [&](auto&& on, Device device, bool with_mask) {
    TokenFilters filters;
    filters.temperature.values = on(temperature);
    filters.bias_offsets = on(offsets);
    filters.bias_categories = on(categories);
    filters.bias_values = on(values);
    if (with_mask) filters.allowed = {on(word).data, rows, 0, 0, 1, device};
    return filters;
  };
  const auto on_host = [](auto& v) { return VectorView(v.data(), static_cast<std::int64_t>(v.size()), Device::cpu()); };
  const TokenShard shard = {300, 300};
  TokenShardRecord unlikely;
  std::memset(static_cast<void*>(&unlikely), 0x55, sizeof unlikely);
  for (const Stage stage : {Stage::start, Stage::top_k, Stage::top_p, Stage::sums, Stage::done})
    for (const bool with_mask : {false, true}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(stage)) + (with_mask ? ", with a mask" : ""));
      DeviceArrays on(1);
      const MatrixView<const TypeParam> there(nullptr, rows, 0, 0, 1, Device::cuda()), here(nullptr, rows, 0);
      const TokenFilters filters = filters_on(on, Device::cuda(), with_mask);
      const TokenFilters on_cpu = filters_on(on_host, Device::cpu(), with_mask);
      std::vector<TokenShardState> states(rows);
      for (TokenShardState& state : states) {
        state.stage = stage;
        state.largest = 0xC000'0000u;
        state.total = 10;
        state.owner = 2;
      }
      states[1].owner = 1;
      states[5].status = TokenStatus::infinite;
      std::vector<TokenShardRecord> records(rows, unlikely);
      DeviceCopy<TokenShardState> known(states, 1);
      DeviceCopy<TokenShardRecord> told(records, 1);
      summarize_shard(there, shard, known.view(), told.view(), filters);
      summarize_shard(here, shard, states, records, on_cpu);
      const std::vector<TokenShardRecord> found = told.host();
      for (std::size_t i = 0; i < rows; ++i)
        ASSERT_EQ(std::memcmp(&found[i], &records[i], sizeof records[i]), 0) << "row " << i;
      EXPECT_TRUE(told.gaps_intact());
      if (stage != Stage::done) continue;
      DrawnInShards own = unwritten(), of_host = unwritten();
      finish_shard(there, shard, 2, known.view(),
                   {.tokens = on(own.tokens), .log_probabilities = on(own.logs), .status = on(own.status)}, filters);
      finish_shard(here, shard, 2, states,
                   {.tokens = of_host.tokens, .log_probabilities = of_host.logs, .status = of_host.status}, on_cpu);
      on.fetch();
      EXPECT_TRUE(same_results(own, of_host));
    }
}

// States that nothing but a fault can make: no token, and nothing is written elsewhere.
TYPED_TEST(CudaTokenShards, StatesThatAreNoneGiveNoToken) {
  std::mt19937_64 bits(3);
  ShardedRows<TypeParam> of = random_shards<TypeParam>(bits, 500);
  std::vector<TokenShardState> states(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    states[i].stage = static_cast<TokenShardState::Stage>(i == 0 ? 77 : 1 + i % 2);
    states[i].bits = i == 0 ? 8 : i == 1 ? 3 : i == 2 ? 64 : 4'000'000'000u;
    states[i].prefix = bits();
    states[i].least_key = bits();
  }
  DeviceArrays on(0);
  DeviceCopy<TypeParam> logits(of.logits);
  DeviceCopy<TokenShardState> known(states, 1);
  DeviceCopy<TokenShardRecord> records(std::vector<TokenShardRecord>(rows), 1);
  const MatrixView<const TypeParam> part = {logits.data(), rows, 500, 500, 1, Device::cuda()};
  summarize_shard(part, {0, 500}, known.view(), records.view());
  EXPECT_EQ(combine_shards({records.data(), 1, rows, rows, 1, Device::cuda()}, {0, 500}, known.view()), 0);
  DrawnInShards said;
  finish_shard(part, {0, 500}, 0, known.view(), {.tokens = on(said.tokens), .status = on(said.status)});
  on.fetch();
  EXPECT_TRUE(known.gaps_intact());
  EXPECT_TRUE(records.gaps_intact());
  EXPECT_EQ(said.tokens, std::vector<std::int32_t>(rows, -1));
  EXPECT_EQ(said.status, std::vector<TokenStatus>(rows, TokenStatus::nothing_allowed));
}

}  // namespace
}  // namespace papilio::testing
