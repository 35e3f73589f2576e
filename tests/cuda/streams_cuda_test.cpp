// Streams, graphs, workspaces and memory: what a call on a device does besides drawing.

#include <atomic>
#include <chrono>
#include <thread>

#include "cuda/problems.h"

namespace papilio::testing {
namespace {

using execution::check;
using execution::DeviceArray;
using execution::Stream;

// A problem on the device with room for its results and its workspace.
template <class Problem>
class Prepared {
 public:
  explicit Prepared(const Problem& problem, PartialSums method = PartialSums::slots)
      : source_(problem.on_cuda()),
        drawn_(std::vector<std::int32_t>(static_cast<std::size_t>(problem.draws()), -7)),
        workspace_(sample_workspace_bytes(source_.weights, method), "a workspace"),
        method_(method) {}

  void draw(std::uint64_t seed, const Stream& stream) {
    SampleOptions options = {.seed = seed, .method = method_, .cuda_stream = stream.get()};
    if (workspace_.size() > 0) options.workspace = {workspace_.data(), workspace_.size(), Device::cuda()};
    sample_categorical(source_.weights, drawn_.view(), options);
  }
  std::vector<std::int32_t> drawn() const { return drawn_.host(); }
  void forget() { check(cudaMemset(drawn_.data(), 0xEE, drawn_.host().size() * 4), "a test"); }

 private:
  decltype(std::declval<const Problem&>().on_cuda()) source_;
  DeviceCopy<std::int32_t> drawn_;
  DeviceArray<std::byte> workspace_;
  PartialSums method_;
};

template <class Problem>
std::vector<std::int32_t> expected(const Problem& problem, std::uint64_t seed,
                                   PartialSums method = PartialSums::slots) {
  return draw_on_host<std::int32_t>(problem, {.seed = seed, .method = method}).drawn;
}

class CudaStreams : public CudaTest {};

// Two draws captured in one graph; replays draw the same again, into the same arrays.
template <class First, class Second>
void expect_captured(const First& first, const Second& second, PartialSums method = PartialSums::slots) {
  Prepared<First> a(first, method);
  Prepared<Second> b(second, method);
  const Stream stream;
  a.draw(1, stream);  // so that the kernels are loaded
  b.draw(1, stream);
  stream.wait();

  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), "beginning a capture");
  a.draw(5, stream);
  b.draw(6, stream);
  check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
  a.forget();
  b.forget();
  check(cudaStreamSynchronize(nullptr), "a test");
  EXPECT_NE(a.drawn(), expected(first, 5, method)) << "a capture must not draw";

  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph, 0), "instantiating a graph");
  for (int replay = 0; replay < 3; ++replay) {
    check(cudaGraphLaunch(ready, stream.get()), "launching a graph");
    stream.wait();
    EXPECT_TRUE(same_bytes(a.drawn(), expected(first, 5, method), "the first draw"));
    EXPECT_TRUE(same_bytes(b.drawn(), expected(second, 6, method), "the second draw"));
    a.forget();
    b.forget();
    check(cudaStreamSynchronize(nullptr), "a test");
  }
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

TEST_F(CudaStreams, GraphsHoldDrawsOfEverySource) {
  expect_captured(dense<float>(500, 300, 1), products<float>(2000, 200, 2));
  expect_captured(dense<BFloat16>(3000, 128, 3), ragged<Half>({5, 0, 300, 2000, 1}, 4));
  expect_captured(dense<Float8E4M3FN>(3000, 128, 3), ragged<Float8E5M2>({5, 0, 300, 2000, 1}, 4));
  expect_captured(dense<double>(100, 1500, 5), products<double>(300, 71, 6));
}

// Few long rows, which use a workspace, one after the other.
TEST_F(CudaStreams, GraphsHoldDrawsFromLongRows) {
  expect_captured(dense<float>(1, 131'072, 1), dense<float>(16, 131'072, 2));
}

TEST_F(CudaStreams, GraphsHoldEveryMethod) {
  for (const PartialSums method :
       {PartialSums::prefix, PartialSums::transposed, PartialSums::transposed_through_scratch,
        PartialSums::butterfly_swap, PartialSums::butterfly_add_subtract, PartialSums::butterfly_two_pass,
        PartialSums::butterfly_swap_remnant_first}) {
    SCOPED_TRACE(name(method));
    expect_captured(dense<float>(100, 200, 1), products<float>(300, 200, 2), method);
  }
}

TEST_F(CudaStreams, TwoStreamsDrawBesideEachOther) {
  const auto first = dense<float>(20'000, 200, 1);
  const auto second = products<float>(20'000, 240, 2);
  Prepared<MatrixProblem<float>> a(first);
  Prepared<ProductProblem<float>> b(second);
  const Stream one, other;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    a.draw(seed, one);
    b.draw(seed + 100, other);
  }
  one.wait();
  other.wait();
  EXPECT_TRUE(same_bytes(a.drawn(), expected(first, 20), "the first stream's draw"));
  EXPECT_TRUE(same_bytes(b.drawn(), expected(second, 120), "the second stream's draw"));
}

TEST_F(CudaStreams, TheDefaultStreamIsTheDefault) {
  const auto problem = dense<float>(1000, 100, 1);
  auto on = problem.on_cuda();
  DeviceCopy<std::int32_t> drawn(std::vector<std::int32_t>(1000, -7));
  sample_categorical(on.weights, drawn.view(), {.seed = 3});
  EXPECT_TRUE(same_bytes(drawn.host(), expected(problem, 3), "the category"));
}

// The stream is held back by a function on the host; a call that waits for it would never return.
struct Gate {
  std::atomic<bool> open = false;
  std::atomic<bool> gave_up = false;
  static void hold(void* gate) {
    auto& self = *static_cast<Gate*>(gate);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!self.open && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    self.gave_up = !self.open;
  }
};

TEST_F(CudaStreams, ACallDoesNotWait) {
  const auto problem = products<float>(20'000, 200, 1);
  Prepared<ProductProblem<float>> prepared(problem);
  const Stream stream;
  prepared.draw(1, stream);
  stream.wait();
  Gate gate;
  check(cudaLaunchHostFunc(stream.get(), Gate::hold, &gate), "holding a stream");
  for (std::uint64_t seed = 2; seed <= 9; ++seed) prepared.draw(seed, stream);
  const cudaError_t held = cudaStreamQuery(stream.get());
  gate.open = true;
  stream.wait();
  EXPECT_EQ(held, cudaErrorNotReady);
  EXPECT_FALSE(gate.gave_up) << "a call waited for the stream";
  EXPECT_TRUE(same_bytes(prepared.drawn(), expected(problem, 9), "the category"));
}

TEST_F(CudaStreams, ACallAllocatesNothing) {
  Prepared<MatrixProblem<float>> rows(dense<float>(100'000, 130, 1));
  Prepared<MatrixProblem<float>> long_rows(dense<float>(16, 131'072, 1));
  Prepared<ProductProblem<double>> pairs(products<double>(50'000, 300, 2));
  const Stream stream;
  const auto draw_all = [&](std::uint64_t seed) {
    rows.draw(seed, stream);
    long_rows.draw(seed, stream);
    pairs.draw(seed, stream);
  };
  draw_all(1);  // so that the kernels are loaded
  stream.wait();
  const std::int64_t before = execution::free_device_bytes();
  for (std::uint64_t seed = 2; seed < 100; ++seed) draw_all(seed);
  EXPECT_EQ(execution::free_device_bytes(), before);
  stream.wait();
  EXPECT_EQ(execution::free_device_bytes(), before);
}

// --- Workspaces -----------------------------------------------------------------

TEST_F(CudaStreams, TheHostNeedsNoWorkspace) {
  EXPECT_EQ(sample_workspace_bytes(dense<float>(1, 131'072, 1).on_host()), 0);
  EXPECT_EQ(sample_workspace_bytes(products<double>(10, 100, 1).on_host(), PartialSums::butterfly_swap), 0);
}

// Where a draw needs a workspace, none, a short one, one out of alignment and one on the host are refused.
template <class Problem>
bool needs_workspace(const Problem& problem, PartialSums method) {
  auto on = problem.on_cuda();
  const std::int64_t bytes = sample_workspace_bytes(on.weights, method);
  EXPECT_GE(bytes, 0);
  if (bytes == 0) return false;
  DeviceArray<std::byte> memory(bytes + 256, "a workspace");
  DeviceCopy<std::int32_t> drawn(std::vector<std::int32_t>(static_cast<std::size_t>(problem.draws()), -7));
  const auto draw = [&](std::int64_t offset, std::int64_t size) {
    SampleOptions options = {.seed = 1, .method = method};
    if (size > 0) options.workspace = {memory.data() + offset, size, Device::cuda()};
    sample_categorical(on.weights, drawn.view(), options);
  };
  EXPECT_THROW(draw(0, 0), InvalidArgument) << "no workspace, " << name(method);
  EXPECT_THROW(draw(0, bytes - 1), InvalidArgument) << "a short workspace, " << name(method);
  EXPECT_THROW(draw(8, bytes), InvalidArgument) << "a workspace out of alignment, " << name(method);
  std::vector<std::byte> on_host(static_cast<std::size_t>(bytes));
  EXPECT_THROW(sample_categorical(on.weights, drawn.view(), {.method = method, .workspace = on_host}), InvalidArgument)
      << "a workspace on the host, " << name(method);
  check(cudaStreamSynchronize(nullptr), "a test");
  EXPECT_EQ(drawn.host(), std::vector<std::int32_t>(drawn.host().size(), -7));
  for (const std::int64_t size : {bytes, bytes + 256}) {
    draw(0, size);
    EXPECT_TRUE(same_bytes(drawn.host(), expected(problem, 1, method), "the category"));
  }
  return true;
}

TEST_F(CudaStreams, WorkspacesAreAskedForByFewLongRows) {
  int asked = 0;
  for (const std::int64_t rows : {1, 16, 64}) {
    asked += needs_workspace(dense<float>(rows, 131'072, 1), PartialSums::slots);
    asked += needs_workspace(dense<double>(rows, 131'072, 1), PartialSums::slots);
    asked += needs_workspace(dense<Half>(rows, 131'072, 1), PartialSums::slots);
  }
  EXPECT_GT(asked, 0) << "no draw of these needs a workspace, so this test has shown nothing";
}

TEST_F(CudaStreams, WorkspacesAreAskedForByTables) {
  for (const PartialSums method :
       {PartialSums::prefix, PartialSums::transposed, PartialSums::transposed_through_scratch,
        PartialSums::butterfly_swap, PartialSums::butterfly_add_subtract, PartialSums::butterfly_two_pass,
        PartialSums::butterfly_swap_remnant_first}) {
    needs_workspace(dense<float>(2000, 300, 1), method);
    needs_workspace(products<double>(500, 129, 2), method);
  }
}

// --- Memory -----------------------------------------------------------------------

TEST_F(CudaStreams, MemoryThatIsShortIsAnErrorWithNumbers) {
  const auto problem = dense<float>(1000, 100, 1);
  Prepared<MatrixProblem<float>> prepared(problem);
  const Stream stream;
  prepared.draw(1, stream);
  stream.wait();
  std::vector<DeviceArray<std::byte>> most;  // until less than 256 MiB are left
  constexpr std::int64_t left = std::int64_t{256} << 20;
  while (execution::free_device_bytes() > left)
    most.emplace_back(std::clamp(execution::free_device_bytes() - left, left / 4, 32 * left), "most of the memory");
  const std::int64_t wanted = std::int64_t{1} << 30;
  try {
    const DeviceArray<std::byte> too_much(wanted, "one array too many");
    FAIL() << "there was room";
  } catch (const DeviceError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("papilio: one array too many needs 1073741824 bytes of device memory, ", 0), 0u) << message;
    EXPECT_NE(message.find(std::to_string(execution::free_device_bytes()) + " are free"), std::string::npos) << message;
  }
  prepared.draw(2, stream);  // life goes on
  stream.wait();
  EXPECT_TRUE(same_bytes(prepared.drawn(), expected(problem, 2), "the category"));
}

}  // namespace
}  // namespace papilio::testing
