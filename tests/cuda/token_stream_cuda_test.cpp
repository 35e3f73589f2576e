// Draws from so many rows without filters that the device goes from row to row: the CPU's, tokens alone and with their
// log probabilities.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cuda/problems.h"
#include "execution/cuda/check.h"
#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"

namespace papilio::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class S>
struct StreamRows {
  std::int64_t rows, categories, stride;
  float temperature = 1;
  std::int32_t before = 7;  // what is in the tokens' places before the call
  std::vector<S> logits = {};

  StreamRows(std::int64_t rows_of_call, std::int64_t of_row, std::int64_t gap = 0)
      : rows(rows_of_call), categories(of_row), stride(of_row + gap) {
    logits.assign(static_cast<std::size_t>(rows * stride), not_a_number<S>());
  }
  void put(std::int64_t row, std::int64_t category, double x) {
    logits[static_cast<std::size_t>(row * stride + category)] = stored<S>(x);
  }
  // The other rows are like the first ones; only their numbers differ.
  void repeat(std::int64_t first) {
    for (std::int64_t i = first; i < rows; ++i)
      std::copy_n(logits.begin() + i % first * stride, categories, logits.begin() + i * stride);
  }
};

struct Drawn {
  std::vector<std::int32_t> tokens;
  std::vector<float> logs, raw_logs;
  std::vector<TokenStatus> status;

  Drawn(std::int64_t rows, bool alone, std::int32_t before)
      : tokens(static_cast<std::size_t>(rows), before),
        logs(static_cast<std::size_t>(alone ? 0 : rows), 7.0f),
        raw_logs(logs),
        status(static_cast<std::size_t>(rows)) {}
};

// So many rows of so many lines of 16 bytes go through a device of up to 150 multiprocessors as a stream, in clusters
// of two blocks or more.
std::int64_t enough_rows(std::int64_t lines) {
  return lines <= 4096 ? 1200 : lines <= 8192 ? 600 : lines <= 16384 ? 300 : 150;
}

// A call, with all arrays in place.
template <class S, class On>
auto prepared(StreamRows<S>& rows, Drawn& drawn, const On& on, Device device, TokenOptions options) {
  TokenFilters filters;
  filters.temperature = rows.temperature;
  options.seed = 5;
  TokenResults results = {.tokens = on(drawn.tokens), .status = on(drawn.status)};
  if (!drawn.logs.empty()) results.log_probabilities = on(drawn.logs);
  if (!drawn.raw_logs.empty()) results.raw_log_probabilities = on(drawn.raw_logs);
  const MatrixView<const S> logits{on(rows.logits).data, rows.rows, rows.categories, rows.stride, 1, device};
  return [=] { sample_tokens(logits, results, filters, options); };
}

template <class S>
Drawn drawn_by_host(StreamRows<S>& rows, bool alone) {
  Drawn drawn(rows.rows, alone, rows.before);
  const auto here = [](auto& v) { return VectorView(v.data(), static_cast<std::int64_t>(v.size()), Device::cpu()); };
  prepared(rows, drawn, here, Device::cpu(), {})();
  return drawn;
}

// What `work(call, stream)` leaves on the device.
template <class S, class Work>
Drawn drawn_by_device(StreamRows<S>& rows, bool alone, const Work& work) {
  Drawn drawn(rows.rows, alone, rows.before);
  const execution::Stream stream;
  DeviceArrays on(0);
  work(prepared(rows, drawn, [&](auto& v) { return on(v); }, Device::cuda(), {.cuda_stream = stream.get()}), stream);
  stream.wait();
  on.fetch();
  return drawn;
}

template <class S, class Work>
::testing::AssertionResult same_draws(StreamRows<S>& rows, const Work& work) {
  for (const bool alone : {true, false}) {
    const Drawn host = drawn_by_host(rows, alone), device = drawn_by_device(rows, alone, work);
    if (auto same = same_bytes(device.status, host.status, "the status"); !same) return same;
    if (auto same = same_bytes(device.tokens, host.tokens, "the token"); !same) return same;
    if (auto same = same_bytes(device.logs, host.logs, "the log probability"); !same) return same;
    if (auto same = same_bytes(device.raw_logs, host.raw_logs, "the raw log probability"); !same) return same;
  }
  return ::testing::AssertionSuccess();
}
template <class S>
::testing::AssertionResult same_draws(StreamRows<S>& rows) {
  return same_draws(rows, [](const auto& call, const execution::Stream&) { call(); });
}

using TokenTypes = ::testing::Types<float, Half, BFloat16>;

template <class S>
class CudaTokenStream : public CudaTest {};
TYPED_TEST_SUITE(CudaTokenStream, TokenTypes);

// The first calls of this program that make a stream, unless tests are left out or shuffled, are captured: what they
// ask the device about the kernels must be allowed then.
TYPED_TEST(CudaTokenStream, FirstCallInAGraph) {
  constexpr std::int64_t in_line = 16 / static_cast<std::int64_t>(sizeof(TypeParam)), kinds = 7;
  std::mt19937_64 bits(2);
  for (const std::int64_t lines : {8192, 32768}) {
    StreamRows<TypeParam> rows(enough_rows(lines), lines * in_line);
    for (std::int64_t i = 0; i < kinds; ++i) {
      const auto row = random_row(bits, rows.categories);
      for (std::int64_t k = 0; k < rows.categories; ++k)
        rows.put(i, k, static_cast<double>(row[static_cast<std::size_t>(k)]));
    }
    rows.repeat(kinds);
    const auto captured = [](const auto& call, const execution::Stream& stream) {
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t ready = nullptr;
      execution::check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), "beginning a capture");
      call();
      execution::check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
      execution::check(cudaGraphInstantiate(&ready, graph, 0), "instantiating a graph");
      execution::check(cudaGraphLaunch(ready, stream.get()), "launching a graph");
      stream.wait();
      cudaGraphExecDestroy(ready);
      cudaGraphDestroy(graph);
    };
    ASSERT_TRUE(same_draws(rows, captured)) << lines << " lines";
  }
}

// A cluster has two blocks, four or eight; rows that are too long or short for that, or not whole lines.
TYPED_TEST(CudaTokenStream, OfEverySize) {
  constexpr std::int64_t in_line = 16 / static_cast<std::int64_t>(sizeof(TypeParam)), kinds = 41;
  std::mt19937_64 bits(4);
  for (const std::int64_t lines : {4096, 6144, 8000, 8191, 16032, 16384, 32768, 32769, 49152})
    for (const std::int64_t gap : {std::int64_t{0}, in_line, std::int64_t{1}}) {
      if (gap != 0 && lines != 8000) continue;
      StreamRows<TypeParam> rows(enough_rows(lines), lines * in_line, gap);
      for (std::int64_t i = 0; i < kinds; ++i) {
        const auto row = random_row(bits, rows.categories);
        for (std::int64_t k = 0; k < rows.categories; ++k)
          rows.put(i, k, static_cast<double>(row[static_cast<std::size_t>(k)]));
      }
      rows.repeat(kinds);
      rows.temperature = lines % 3 == 0 ? 0.7f : 1.25f;
      ASSERT_TRUE(same_draws(rows)) << lines << " lines, gap " << gap;
    }
}

// Places that look as if their rows were free, or taken, before the call says so.
TYPED_TEST(CudaTokenStream, PlacesThatLookFree) {
  constexpr std::int64_t lines = 16384, in_line = 16 / static_cast<std::int64_t>(sizeof(TypeParam));
  std::mt19937_64 bits(6);
  StreamRows<TypeParam> rows(enough_rows(lines), lines * in_line);
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto row = random_row(bits, rows.categories);
    for (std::int64_t k = 0; k < rows.categories; ++k)
      rows.put(i, k, static_cast<double>(row[static_cast<std::size_t>(k)]));
  }
  rows.repeat(3);
  for (const std::int32_t before : {INT32_MIN, INT32_MIN + 1}) {
    rows.before = before;
    ASSERT_TRUE(same_draws(rows)) << before;
  }
}

// Equal logits: most targets are near a border, so nearly all rows are summed exactly after all.
TYPED_TEST(CudaTokenStream, EqualLogits) {
  constexpr std::int64_t in_line = 16 / static_cast<std::int64_t>(sizeof(TypeParam));
  for (const std::int64_t lines : {8192, 16384, 32768}) {
    StreamRows<TypeParam> rows(enough_rows(lines), lines * in_line);
    for (std::int64_t i = 0; i < 5; ++i)
      for (std::int64_t k = 0; k < rows.categories; ++k)
        rows.put(i, k, i == 3 ? 0.001 * static_cast<double>(k % 64) : 1.5);
    rows.repeat(5);
    ASSERT_TRUE(same_draws(rows)) << lines;
  }
}

TYPED_TEST(CudaTokenStream, RowsMadeToBeHard) {
  constexpr std::int64_t lines = 16384, categories = lines * 16 / static_cast<std::int64_t>(sizeof(TypeParam));
  constexpr std::int64_t last = categories - 1;
  const double least_of_type = static_cast<double>(summed(least<TypeParam>()));
  const double largest_of_type = static_cast<double>(summed(largest<TypeParam>()));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  StreamRows<TypeParam> rows(enough_rows(lines), categories);
  for (std::int64_t k = 0; k < categories; ++k) {
    const auto x = static_cast<double>(k);
    rows.put(0, k, k == 777 ? 80 : 0);                                // one that has nearly all
    rows.put(1, k, k == last ? 0 : -infinity);                        // one that is allowed
    rows.put(2, k, x * 1e-3);                                         // larger and larger
    rows.put(3, k, -x * 1e-3);                                        // smaller and smaller
    rows.put(4, k, least_of_type * static_cast<double>(k % 5));       // subnormal
    rows.put(5, k, k % 2 == 0 ? 0.0 : -0.0);                          // zeros
    rows.put(6, k, k % 3 == 0 ? largest_of_type : -largest_of_type);  // as far apart as can be
    rows.put(7, k, k % 4096 == 0 ? -infinity : std::sin(x));          // some are not allowed
    rows.put(8, k, k == last ? nan : 1);                              // a NaN at the end
    rows.put(9, k, k == 0 ? infinity : 1);
    rows.put(10, k, -infinity);
    rows.put(11, k, k == 5 ? nan : k == last ? infinity : -infinity);
    rows.put(12, k, k / 20000 % 2 == 0 ? -1e10 : std::sin(x));  // a finite mask over whole warps and blocks
  }
  rows.repeat(13);
  for (const float temperature : {1.0f, 1e-6f, 1e6f, 0x1p-100f, 0x1p100f}) {
    rows.temperature = temperature;
    ASSERT_TRUE(same_draws(rows)) << "temperature " << temperature;
  }
}

}  // namespace
}  // namespace papilio::testing
