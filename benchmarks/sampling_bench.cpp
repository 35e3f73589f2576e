// Draws on the CPU beside what a user would otherwise take. Every method's draws
// are verified before it is timed. `./run bench` builds and runs this.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "papilio/sampling.h"
#include "papilio/version.h"
#include "rivals.h"
#include "table_reporter.h"
#include "workload.h"

namespace {

using papilio::PartialSums;

template <class T>
const Rivals<T>& rivals() {
  const std::string target = papilio::cpu_target();
#define PAPILIO_RIVALS(name, runs)          \
  if (target == #name) {                    \
    if constexpr (std::is_same_v<T, float>) \
      return name::rivals_float;            \
    else                                    \
      return name::rivals_double;           \
  }
  PAPILIO_SIMD_TARGETS(PAPILIO_RIVALS)
#undef PAPILIO_RIVALS
  throw std::runtime_error("no rivals for target " + target);
}

// Draws from the first `rows` rows of a workload into `drawn`.
template <class T>
using Draw = std::function<void(const Workload<T>&, std::int64_t rows, std::vector<std::int32_t>& drawn)>;

template <class T>
Draw<T> papilio_draw(PartialSums method, int threads) {
  return [=](const Workload<T>& work, std::int64_t rows, std::vector<std::int32_t>& drawn) {
    const papilio::SampleOptions options = {.seed = 1, .threads = threads, .method = method};
    const papilio::VectorView<std::int32_t> out(drawn.data(), rows);
    if (!work.products()) {
      papilio::sample_categorical(papilio::MatrixWeights<T>{{work.left.data(), rows, work.K}}, out, options);
      return;
    }
    const auto matrix = [&](const std::vector<T>& m) {
      return papilio::MatrixView<const T>(m.data(), static_cast<std::int64_t>(m.size()) / work.K, work.K);
    };
    const papilio::ProductWeights<T> weights = {
        matrix(work.left), {work.left_rows.data(), rows}, matrix(work.right), {work.right_rows.data(), rows}};
    papilio::sample_categorical(weights, out, options);
  };
}

// One draw per row by `f(left, right, row, buffer)`.
template <class T, class F>
Draw<T> row_by_row(F f) {
  return [=](const Workload<T>& work, std::int64_t rows, std::vector<std::int32_t>& drawn) {
    std::vector<T> buffer(static_cast<std::size_t>(work.K));
    for (std::int64_t i = 0; i < rows; ++i)
      drawn[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(f(work, i, buffer));
  };
}

// The next uniform number of a sequence, for rivals that want one per row.
double next_uniform(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15u;
  std::uint64_t x = state;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return static_cast<double>((x ^ x >> 31) >> 11) * 0x1p-53;
}

// Vose's table of one row, thrown away after one draw.
template <class T>
std::int64_t alias_draw(const std::vector<T>& w, double u, double v, std::vector<double>& probability,
                        std::vector<std::int32_t>& alias, std::vector<std::int32_t>& stack) {
  const std::size_t K = w.size();
  double total = 0;
  for (const T x : w) total += static_cast<double>(x);
  std::size_t small = 0, large = K;  // two stacks in one array
  for (std::size_t k = 0; k < K; ++k) {
    probability[k] = static_cast<double>(w[k]) * static_cast<double>(K) / total;
    stack[probability[k] < 1 ? small++ : --large] = static_cast<std::int32_t>(k);
  }
  while (small > 0 && large < K) {
    const auto s = static_cast<std::size_t>(stack[--small]), l = static_cast<std::size_t>(stack[large]);
    alias[s] = static_cast<std::int32_t>(l);
    probability[l] -= 1 - probability[s];
    if (probability[l] < 1) ++large, stack[small++] = static_cast<std::int32_t>(l);
  }
  while (large < K) probability[static_cast<std::size_t>(stack[large++])] = 1;
  while (small > 0) probability[static_cast<std::size_t>(stack[--small])] = 1;
  const auto column = static_cast<std::size_t>(u * static_cast<double>(K));
  return v < probability[column] ? static_cast<std::int64_t>(column) : alias[column];
}

template <class T>
Draw<T> prefix_search() {
  auto state = std::make_shared<std::uint64_t>(1);
  return row_by_row<T>([=](const Workload<T>& work, std::int64_t i, std::vector<T>& buffer) {
    return rivals<T>().prefix(work.left_row(i), work.right_row(i), work.K, next_uniform(*state), buffer.data());
  });
}
template <class T>
Draw<T> race() {
  auto turn = std::make_shared<std::uint64_t>(0);
  return row_by_row<T>([=](const Workload<T>& work, std::int64_t i, std::vector<T>& buffer) {
    return rivals<T>().race(work.left_row(i), work.right_row(i), work.K, ++*turn, buffer.data());
  });
}
template <class T>
Draw<T> discrete_distribution() {
  auto bits = std::make_shared<std::mt19937_64>(1);
  return row_by_row<T>([=](const Workload<T>& work, std::int64_t i, std::vector<T>& buffer) {
    rivals<T>().multiply(work.left_row(i), work.right_row(i), work.K, buffer.data());
    return std::int64_t{std::discrete_distribution<int>(buffer.begin(), buffer.end())(*bits)};
  });
}
template <class T>
Draw<T> alias_table() {
  struct Memory {
    std::uint64_t state = 1;
    std::vector<double> probability;
    std::vector<std::int32_t> alias, stack;
  };
  auto m = std::make_shared<Memory>();
  return row_by_row<T>([=](const Workload<T>& work, std::int64_t i, std::vector<T>& buffer) {
    m->probability.resize(buffer.size());
    m->alias.resize(buffer.size());
    m->stack.resize(buffer.size());
    rivals<T>().multiply(work.left_row(i), work.right_row(i), work.K, buffer.data());
    const double u = next_uniform(m->state);
    return alias_draw(buffer, u, next_uniform(m->state), m->probability, m->alias, m->stack);
  });
}

// Draws 40,000 times from one row and compares, pooled into sixteen bins, with
// its weights: the statistic of fifteen degrees of freedom stays below 60 but
// for one time in four million.
template <class T>
void verify(const Draw<T>& draw, std::int64_t K) {
  constexpr std::int64_t draws = 40000;
  constexpr std::size_t bins = 16;
  Workload<T> one;
  one.K = K;
  one.rows = draws;
  for (std::int64_t k = 0; k < K; ++k) one.left.push_back(static_cast<T>(1 + k % 7)), one.right.push_back(T{1});
  one.left_rows.assign(draws, 0);
  one.right_rows.assign(draws, 0);
  std::vector<std::int32_t> drawn(draws);
  draw(one, draws, drawn);

  std::vector<double> expected(bins), observed(bins);
  double total = 0;
  for (std::int64_t k = 0; k < K; ++k) {
    expected[static_cast<std::size_t>(k) * bins / static_cast<std::size_t>(K)] += static_cast<double>(1 + k % 7);
    total += static_cast<double>(1 + k % 7);
  }
  for (const std::int32_t k : drawn) {
    if (k < 0 || k >= K) throw std::runtime_error("a draw is out of range");
    observed[static_cast<std::size_t>(k) * bins / static_cast<std::size_t>(K)] += 1;
  }
  double statistic = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    const double e = expected[b] / total * draws;
    statistic += (observed[b] - e) * (observed[b] - e) / e;
  }
  if (!(statistic < 60))
    throw std::runtime_error("draws do not follow the weights: chi-square " + std::to_string(statistic));
}

template <class T>
struct Method {
  std::string name;
  Draw<T> draw;
  std::int64_t share = 1;  // draws from every share-th row: slow methods need not do all
};

template <class T>
std::vector<Method<T>> methods() {
  std::vector<Method<T>> all;
  for (const PartialSums m :
       {PartialSums::slots, PartialSums::prefix, PartialSums::transposed, PartialSums::transposed_through_scratch,
        PartialSums::butterfly_swap, PartialSums::butterfly_add_subtract, PartialSums::butterfly_two_pass,
        PartialSums::butterfly_swap_remnant_first})
    all.push_back({std::string(papilio::name(m)), papilio_draw<T>(m, 1), m == PartialSums::slots ? 1 : 4});
  all.push_back({"slots, 2 threads", papilio_draw<T>(PartialSums::slots, 2), 1});
  all.push_back({"prefix sums + binary search, row by row", prefix_search<T>(), 4});
  all.push_back({"std::discrete_distribution", discrete_distribution<T>(), 16});
  all.push_back({"alias table, build + draw", alias_table<T>(), 16});
  all.push_back({"exponential race (Gumbel)", race<T>(), 4});
  return all;
}

// The workload in memory: one at a time.
template <class T>
const Workload<T>& workload(const std::string& which, std::int64_t K) {
  static std::string loaded;
  static Workload<T> work;
  const std::string wanted = which + std::to_string(K);
  if (wanted != loaded) {
    work = {};
    work = which == "dense" ? dense_rows<T>(K) : theta_phi<T>(K);
    loaded = wanted;
  }
  return work;
}

void report(benchmark::State& state, std::int64_t rows, std::int64_t bytes_per_row) {
  state.SetItemsProcessed(state.iterations() * rows);
  state.SetBytesProcessed(state.iterations() * rows * bytes_per_row);
  state.counters["ns_per_row"] = benchmark::Counter(
      static_cast<double>(rows) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class T>
void register_all(const char* type) {
  for (const std::string which : {"dense", "theta x phi"})
    for (const std::int64_t K : {16, 64, 128, 256, 1024, 4096}) {
      const std::string prefix = which + "/" + type + "/K:" + std::to_string(K) + "/";
      const std::int64_t bytes = K * static_cast<std::int64_t>(sizeof(T));
      benchmark::RegisterBenchmark((prefix + "roof").c_str(), [=](benchmark::State& state) {
        const Workload<T>& work = workload<T>(which, K);
        const Rivals<T>& rival = rivals<T>();
        for (auto _ : state) {
          T total = 0;
          for (std::int64_t i = 0; i < work.rows; ++i) total += rival.sum(work.left_row(i), work.right_row(i), K);
          benchmark::DoNotOptimize(total);
        }
        report(state, work.rows, bytes);
      })->UseRealTime();
      for (const Method<T>& method : methods<T>())
        benchmark::RegisterBenchmark((prefix + method.name).c_str(), [=](benchmark::State& state) {
          try {
            static std::set<std::string> verified;
            if (verified.insert(prefix + method.name).second) verify<T>(method.draw, K);
          } catch (const std::exception& e) {
            state.SkipWithError(e.what());
            return;
          }
          const Workload<T>& work = workload<T>(which, K);
          const std::int64_t rows = work.rows / method.share;
          std::vector<std::int32_t> drawn(static_cast<std::size_t>(rows));
          for (auto _ : state) {
            method.draw(work, rows, drawn);
            benchmark::DoNotOptimize(drawn.data());
          }
          report(state, rows, bytes);
        })->UseRealTime();
    }
}

}  // namespace

int main(int argc, char** argv) {
  register_all<float>("float");
  register_all<double>("double");
  std::vector<char*> arguments(argv, argv + argc);
  std::string defaults[] = {"--benchmark_repetitions=5", "--benchmark_min_time=0.05",
                            "--benchmark_report_aggregates_only=true"};
  for (std::string& option : defaults) arguments.insert(arguments.begin() + 1, option.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 64;
  benchmark::AddCustomContext("papilio", papilio::version());
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::AddCustomContext("cpu_target", papilio::cpu_target());
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
