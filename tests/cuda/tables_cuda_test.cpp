// AliasTable and CumulativeTable on a CUDA device: the draws of the CPU, queued on a stream.

#include <atomic>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <type_traits>

#include "cuda/support.h"
#include "papilio/sampling.h"

namespace papilio::testing {
namespace {

using execution::check;
using execution::Stream;

template <class T>
std::vector<T> some_weights(std::size_t count, std::uint32_t seed) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> exponent(-6, 6);
  std::vector<T> weights(count);
  for (T& weight : weights) weight = bits() % 4 == 0 ? T{0} : static_cast<T>(std::exp(exponent(bits)));
  weights[count / 2] = 1;
  return weights;
}

template <class Index, class Table>
std::vector<Index> on_host(const Table& table, std::size_t count, const RepeatedDrawOptions& options) {
  std::vector<Index> drawn(count, -7);
  table.sample(VectorView<Index>(drawn), options);
  return drawn;
}

template <class Table>
class CudaTables : public CudaTest {};
using Tables = ::testing::Types<AliasTable, CumulativeTable>;
TYPED_TEST_SUITE(CudaTables, Tables);

// The same draws on both, into arrays out of alignment, on a stream of its own.
template <class Index, class Table>
void expect_same(const Table& there, const Table& here, std::size_t count, RepeatedDrawOptions options,
                 std::int64_t offset = 0) {
  const Stream stream;
  DeviceCopy<Index> drawn(std::vector<Index>(count, -7), offset, -9);
  const auto expected = on_host<Index>(here, count, options);
  options.cuda_stream = stream.get();
  there.sample(VectorView<Index>(drawn.data(), static_cast<std::int64_t>(count), Device::cuda()), options);
  stream.wait();
  EXPECT_TRUE(same_bytes(drawn.host(), expected, "the category"));
  EXPECT_TRUE(drawn.gaps_intact());
}

TYPED_TEST(CudaTables, SmokeOfTheDrawsOfTheCpu) {
  for (const std::size_t K : {1u, 2u, 3u, 64u, 1000u, 100'003u}) {
    const auto weights = some_weights<double>(K, static_cast<std::uint32_t>(K));
    const TypeParam here{VectorView<const double>(weights)};
    const TypeParam there = here.on(Device::cuda());
    ASSERT_EQ(there.device(), Device::cuda());
    ASSERT_EQ(there.categories(), here.categories());
    for (const std::size_t count : {1u, 31u, 256u, 257u, 10'000u}) {
      const RepeatedDrawOptions options = {.seed = 0x1234'5678'9abc'def0, .stream = 3 + K, .first_draw = 1ull << 33};
      expect_same<std::int32_t>(there, here, count, options, 1);
      expect_same<std::int64_t>(there, here, count, options, 3);
    }
  }
}

// More draws than threads in a grid, whose numbers pass 2^64.
TYPED_TEST(CudaTables, ManyDraws) {
  const auto weights = some_weights<float>(5000, 5);
  const TypeParam here{VectorView<const float>(weights)};
  expect_same<std::int32_t>(here.on(Device::cuda()), here, 9'000'001,
                            {.seed = 8, .first_draw = ~std::uint64_t{0} - 1000});
}

TYPED_TEST(CudaTables, WeightsOnADeviceGiveTheSameTable) {
  const auto check_type = [&]<class T>() {
    const auto weights = some_weights<T>(777, 2);
    DeviceCopy<T> copy(weights, 1);
    const Stream stream;
    const VectorView<const T> view(copy.data(), 777, Device::cuda());
    const TypeParam here{VectorView<const T>(weights)}, there(view, stream.get());
    EXPECT_EQ(there.device(), Device::cuda());
    expect_same<std::int32_t>(there, here, 20'000, {.seed = 4});
    EXPECT_EQ(on_host<std::int32_t>(there.on(Device::cpu()), 20'000, {.seed = 4}),
              on_host<std::int32_t>(here, 20'000, {.seed = 4}));
  };
  check_type.template operator()<float>();
  check_type.template operator()<double>();
}

// The copy of the weights waits for what their stream still has to do.
TYPED_TEST(CudaTables, WeightsAreReadInTheOrderOfTheirStream) {
  const auto weights = some_weights<double>(500, 6);
  DeviceCopy<double> early(std::vector<double>(500, 1.0)), late(weights);
  const Stream stream;
  check(cudaLaunchHostFunc(
            stream.get(), [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }, nullptr),
        "holding a stream");
  check(cudaMemcpyAsync(early.data(), late.data(), 500 * sizeof(double), cudaMemcpyDeviceToDevice, stream.get()),
        "a copy of a test");
  const TypeParam there(VectorView<const double>(early.data(), 500, Device::cuda()), stream.get());
  expect_same<std::int32_t>(there, TypeParam{VectorView<const double>(weights)}, 20'000, {.seed = 4});
}

TYPED_TEST(CudaTables, RefuseWeightsAndArraysThatDoNotFit) {
  const auto refused = [](const std::vector<double>& weights) {
    DeviceCopy<double> copy(weights);
    try {
      TypeParam table{VectorView<const double>(copy.view())};
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_NE(refused({1, -2}).find("weights must be finite and >= 0; category 1 is -2 (2 categories)"),
            std::string::npos);
  EXPECT_NE(refused({0, 0}).find("no category has a positive weight"), std::string::npos);
  const std::vector<double> weights = {1, 2};
  const TypeParam here{VectorView<const double>(weights)}, there = here.on(Device::cuda());
  std::vector<std::int32_t> on_cpu(4, -7);
  DeviceCopy<std::int32_t> on_cuda(on_cpu);
  EXPECT_THROW(there.sample(on_cpu), InvalidArgument);
  EXPECT_THROW(here.sample(on_cuda.view()), InvalidArgument);
  EXPECT_THROW(there.sample(VectorView<std::int32_t>(nullptr, 4, Device::cuda())), InvalidArgument);
  EXPECT_NO_THROW(there.sample(VectorView<std::int32_t>(nullptr, 0, Device::cuda())));
  EXPECT_EQ(on_cuda.host(), std::vector<std::int32_t>(4, -7));
}

TYPED_TEST(CudaTables, GraphsHoldDraws) {
  const auto weights = some_weights<double>(1000, 7);
  const TypeParam here{VectorView<const double>(weights)}, there = here.on(Device::cuda());
  constexpr std::size_t count = 50'000;
  DeviceCopy<std::int32_t> drawn(std::vector<std::int32_t>(count, -7));
  const Stream stream;
  there.sample(drawn.view(), {.seed = 1, .cuda_stream = stream.get()});  // so that the kernel is loaded
  stream.wait();
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), "beginning a capture");
  there.sample(drawn.view(), {.seed = 2, .cuda_stream = stream.get()});
  check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
  EXPECT_EQ(drawn.host(), on_host<std::int32_t>(here, count, {.seed = 1})) << "a capture must not draw";
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph, 0), "instantiating a graph");
  check(cudaMemset(drawn.data(), 0xEE, count * sizeof(std::int32_t)), "a test");
  check(cudaStreamSynchronize(nullptr), "a test");
  check(cudaGraphLaunch(ready, stream.get()), "launching a graph");
  stream.wait();
  EXPECT_TRUE(same_bytes(drawn.host(), on_host<std::int32_t>(here, count, {.seed = 2}), "the category"));
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

TYPED_TEST(CudaTables, ACallNeitherWaitsNorAllocates) {
  const auto weights = some_weights<double>(1000, 8);
  const TypeParam there = TypeParam{VectorView<const double>(weights)}.on(Device::cuda());
  DeviceCopy<std::int64_t> drawn(std::vector<std::int64_t>(100'000, -7));
  const Stream stream;
  there.sample(drawn.view(), {.seed = 1, .cuda_stream = stream.get()});
  stream.wait();
  const std::int64_t before = execution::free_device_bytes();
  std::atomic<bool> open = false;
  check(cudaLaunchHostFunc(
            stream.get(),
            [](void* gate) {
              const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
              while (!static_cast<std::atomic<bool>*>(gate)->load() && std::chrono::steady_clock::now() < limit)
                std::this_thread::yield();
            },
            &open),
        "holding a stream");
  for (std::uint64_t seed = 2; seed < 30; ++seed)
    there.sample(drawn.view(), {.seed = seed, .cuda_stream = stream.get()});
  EXPECT_EQ(cudaStreamQuery(stream.get()), cudaErrorNotReady);
  open = true;
  stream.wait();
  EXPECT_EQ(execution::free_device_bytes(), before);
}

// Copies share the table: it lives as long as one of them.
TYPED_TEST(CudaTables, CopiesShareTheTable) {
  const auto weights = some_weights<double>(100'000, 9);
  const TypeParam here{VectorView<const double>(weights)};
  TypeParam kept = here;
  {
    const TypeParam there = here.on(Device::cuda());
    kept = there;
  }
  expect_same<std::int32_t>(kept, here, 1000, {.seed = 3});
}

}  // namespace
}  // namespace papilio::testing
