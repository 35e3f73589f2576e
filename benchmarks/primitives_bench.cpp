// The primitives on the CPU beside plain loops that do the same in double: ns per item, on as many threads as --threads
// of the name says. Results are checked against the plain loops before anything is timed; sums of floats to their
// error.
//
//   papilio_primitives_bench [--benchmark_filter=...] [--benchmark_out=FILE --benchmark_out_format=json]

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "papilio/primitives.h"

namespace {

constexpr std::int64_t items = std::int64_t{1} << 24;

enum Law : std::int64_t { uniform, zipf, one_hot };

template <class T>
const std::vector<T>& values() {
  static const std::vector<T> values = [] {
    std::mt19937_64 generator(1);
    std::vector<T> drawn(items);
    for (T& value : drawn) value = static_cast<T>(static_cast<double>(generator() >> 11) * 0x1p-53 * 100);
    return drawn;
  }();
  return values;
}

std::vector<std::int32_t> indices_of(std::int64_t law, std::int64_t bins) {
  std::mt19937_64 generator(2);
  std::vector<std::int32_t> indices(items);
  for (std::int32_t& index : indices) {
    const double u = static_cast<double>((generator() >> 11) + 1) * 0x1p-53;
    const double drawn = law == uniform ? u * static_cast<double>(bins - 1) : law == zipf ? 1 / u - 1 : 0;
    index = static_cast<std::int32_t>(std::min(drawn, static_cast<double>(bins - 1)));
  }
  return indices;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-4 * (std::abs(a) + std::abs(b)); }

template <class A, class B>
void verify(benchmark::State& state, const std::vector<A>& ours, const std::vector<B>& plain) {
  const bool same = std::equal(ours.begin(), ours.end(), plain.begin(), plain.end(),
                               [](A a, B b) { return close(static_cast<double>(a), static_cast<double>(b)); });
  if (!same) state.SkipWithError("a result is not that of the plain loop");
}

void finish(benchmark::State& state) { state.SetItemsProcessed(state.iterations() * items); }

void count(benchmark::State& state) {
  const std::vector<std::int32_t> indices = indices_of(state.range(0), state.range(1));
  std::vector<std::int64_t> out(static_cast<std::size_t>(state.range(1))), plain(out.size());
  papilio::reduce_by_index<std::int32_t, std::int64_t>(indices, out);
  for (const std::int32_t index : indices) ++plain[static_cast<std::size_t>(index)];
  verify(state, out, plain);
  for (auto _ : state) {
    papilio::reduce_by_index<std::int32_t, std::int64_t>(indices, out, {.threads = static_cast<int>(state.range(2))});
  }
  finish(state);
}

template <class T>
void weigh(benchmark::State& state) {
  const std::vector<std::int32_t> indices = indices_of(state.range(0), state.range(1));
  std::vector<T> out(static_cast<std::size_t>(state.range(1)));
  std::vector<double> plain(out.size());
  papilio::reduce_by_index<std::int32_t, T>(indices, values<T>(), out);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    plain[static_cast<std::size_t>(indices[i])] += static_cast<double>(values<T>()[i]);
  }
  verify(state, out, plain);
  for (auto _ : state) {
    papilio::reduce_by_index<std::int32_t, T>(indices, values<T>(), out, {.threads = static_cast<int>(state.range(2))});
  }
  finish(state);
}

// What a loop without any care takes, on one thread.
void plain_loop(benchmark::State& state) {
  const std::vector<std::int32_t> indices = indices_of(state.range(0), state.range(1));
  std::vector<double> out(static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) {
    for (std::size_t i = 0; i < indices.size(); ++i) out[static_cast<std::size_t>(indices[i])] += values<double>()[i];
    benchmark::DoNotOptimize(out.data());
  }
  finish(state);
}

std::vector<std::int64_t> offsets_of(std::int64_t mean) {
  std::mt19937_64 generator(3);
  std::vector<std::int64_t> offsets = {0};
  while (offsets.back() < items) {
    const auto length =
        mean == 1 ? 1 : 1 + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(2 * mean - 1));
    offsets.push_back(std::min(items, offsets.back() + length));
  }
  return offsets;
}

template <class T>
void reduce(benchmark::State& state) {
  const std::vector<std::int64_t> offsets = offsets_of(state.range(0));
  std::vector<T> sums(offsets.size() - 1);
  std::vector<double> plain(sums.size());
  papilio::segmented_reduce<T>(offsets, values<T>(), sums);
  for (std::size_t s = 0; s < plain.size(); ++s) {
    for (std::int64_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      plain[s] += static_cast<double>(values<T>()[static_cast<std::size_t>(i)]);
    }
  }
  verify(state, sums, plain);
  for (auto _ : state) {
    papilio::segmented_reduce<T>(offsets, values<T>(), sums, {.threads = static_cast<int>(state.range(1))});
  }
  finish(state);
}

template <class T>
void scan(benchmark::State& state) {
  const std::vector<std::int64_t> offsets = offsets_of(state.range(0));
  std::vector<T> out(items);
  for (auto _ : state) {
    papilio::segmented_scan<T>(papilio::VectorView<const std::int64_t>(offsets), values<T>(), out,
                               {.threads = static_cast<int>(state.range(1))});
  }
  std::vector<double> plain(items);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    double sum = 0;
    for (auto i = static_cast<std::size_t>(offsets[s]); i < static_cast<std::size_t>(offsets[s + 1]); ++i) {
      plain[i] = sum += static_cast<double>(values<T>()[i]);
    }
  }
  verify(state, out, plain);
  finish(state);
}

template <class T>
void plain_scan(benchmark::State& state) {
  std::vector<T> out(items);
  for (auto _ : state) {
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(sum += static_cast<double>(values<T>()[i]));
    benchmark::DoNotOptimize(out.data());
  }
  finish(state);
}

void transpose(benchmark::State& state) {
  const std::int64_t rows = state.range(0), columns = items / rows;
  std::vector<float> out(items);
  for (auto _ : state) {
    papilio::transpose<float>({values<float>().data(), rows, columns}, {out.data(), columns, rows},
                              {.threads = static_cast<int>(state.range(1))});
  }
  const auto last = static_cast<std::size_t>(columns - 1);
  if (std::memcmp(&out[last * static_cast<std::size_t>(rows)], &values<float>()[last], sizeof(float)) != 0) {
    state.SkipWithError("this is not the transposed matrix");
  }
  finish(state);
}

void compact(benchmark::State& state) {
  std::vector<std::uint8_t> flags(items);
  std::mt19937_64 generator(4);
  for (std::uint8_t& flag : flags) flag = generator() % 2;
  std::vector<float> kept(items);
  std::int64_t number = 0;
  for (auto _ : state) {
    number = papilio::compact<std::uint8_t, float>(flags, values<float>(), kept,
                                                   {.threads = static_cast<int>(state.range(0))});
  }
  if (number != std::count(flags.begin(), flags.end(), 1)) state.SkipWithError("this is not the number of flags");
  finish(state);
}

void copy(benchmark::State& state) {
  std::vector<float> out(items);
  for (auto _ : state) {
    std::memcpy(out.data(), values<float>().data(), items * sizeof(float));
    benchmark::DoNotOptimize(out.data());
  }
  finish(state);
}

void by_index(benchmark::internal::Benchmark* b) {
  b->ArgNames({"law", "bins", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const std::int64_t bins : {1'000, 1'000'000, 100'000'000})
    for (const std::int64_t law : {uniform, zipf, one_hot})
      for (const std::int64_t threads : {1, 2}) b->Args({law, bins, threads});
}
void by_index_once(benchmark::internal::Benchmark* b) {
  b->ArgNames({"law", "bins"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const std::int64_t bins : {1'000, 1'000'000, 100'000'000})
    for (const std::int64_t law : {uniform, zipf, one_hot}) b->Args({law, bins});
}
void by_length(benchmark::internal::Benchmark* b) {
  b->ArgNames({"mean", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const std::int64_t mean : {std::int64_t{1}, std::int64_t{16}, std::int64_t{256}, items})
    for (const std::int64_t threads : {1, 2}) b->Args({mean, threads});
}

BENCHMARK(count)->Apply(by_index);
BENCHMARK(weigh<float>)->Apply(by_index);
BENCHMARK(weigh<double>)->Apply(by_index);
BENCHMARK(plain_loop)->Apply(by_index_once);
BENCHMARK(reduce<float>)->Apply(by_length);
BENCHMARK(reduce<double>)->Apply(by_length);
BENCHMARK(scan<float>)->Apply(by_length);
BENCHMARK(scan<double>)->Apply(by_length);
BENCHMARK(plain_scan<float>)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(plain_scan<double>)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(transpose)
    ->ArgNames({"rows", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Args({4096, 1})
    ->Args({4096, 2})
    ->Args({64, 2})
    ->Args({1 << 18, 2});
BENCHMARK(compact)->ArgName("threads")->UseRealTime()->Unit(benchmark::kMillisecond)->Arg(1)->Arg(2);
BENCHMARK(copy)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
