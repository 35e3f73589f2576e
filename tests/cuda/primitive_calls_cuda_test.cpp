// Streams, graphs, workspaces, and more than 2^31 elements: what a call of a primitive on a device does besides its work.

#include "cuda/primitives.h"

namespace papilio::testing {
namespace {

using execution::check;
using execution::DeviceArray;
using execution::Stream;

class CudaPrimitives : public CudaTest {};

// Floats of a segmented scan, a reduction by index and a compaction, prepared on the device.
class Prepared {
 public:
  explicit Prepared(std::uint64_t seed) {
    Numbers numbers(seed);
    values_ = numbers.values<float>(items, seed % 2 == 0 ? Law::spread : Law::random);
    offsets_ = numbers.offsets(0, items, 700);
    for (std::int64_t i = 0; i < items; ++i) {
      indices_.push_back(static_cast<std::int32_t>(numbers.in(0, bins - 1) >> numbers.in(0, 16)));
      flags_.push_back(static_cast<std::uint8_t>(numbers.in(0, 1)));
    }
    values = DeviceCopy<float>(values_);
    offsets = DeviceCopy<std::int64_t>(offsets_);
    indices = DeviceCopy<std::int32_t>(indices_);
    flags = DeviceCopy<std::uint8_t>(flags_);
    forget();
    expected_scan.resize(items);
    expected_bins.resize(bins);
    expected_kept.resize(items);
    const VectorView<const float> given(values_);
    segmented_scan<float>(VectorView<const std::int64_t>(offsets_), given, expected_scan);
    reduce_by_index<std::int32_t, float>(VectorView<const std::int32_t>(indices_), given, expected_bins);
    compact<std::uint8_t, float>(VectorView<const std::uint8_t>(flags_), given, expected_kept);
    const VectorView<const float> there = values.view();
    scan_call_.give_workspace(segmented_scan_workspace_bytes<float>(VectorView<const std::int64_t>(offsets.view()), there,
                                                                    scanned.view(), scan_call_.options));
    bins_call_.give_workspace(reduce_by_index_workspace_bytes<std::int32_t, float>(
        VectorView<const std::int32_t>(indices.view()), there, summed.view(), bins_call_.options));
    kept_call_.give_workspace(compact_workspace_bytes<std::uint8_t, float>(VectorView<const std::uint8_t>(flags.view()), there,
                                                                           kept.view(), kept_call_.options));
  }

  void forget() {
    scanned = DeviceCopy<float>(std::vector<float>(items, -7));
    summed = DeviceCopy<float>(std::vector<float>(bins, 0));
    kept = DeviceCopy<float>(std::vector<float>(items, 0));
  }

  // Sums by index start from what is there: they are cleared on the stream first.
  void queue(const Stream& stream) {
    scan_call_.options.cuda_stream = bins_call_.options.cuda_stream = kept_call_.options.cuda_stream = stream.get();
    const VectorView<const float> there = values.view();
    check(cudaMemsetAsync(summed.data(), 0, bins * sizeof(float), stream.get()), "a test");
    segmented_scan<float>(VectorView<const std::int64_t>(offsets.view()), there, scanned.view(), scan_call_.options);
    reduce_by_index<std::int32_t, float>(VectorView<const std::int32_t>(indices.view()), there, summed.view(), bins_call_.options);
    compact<std::uint8_t, float>(VectorView<const std::uint8_t>(flags.view()), there, kept.view(), kept_call_.options);
  }

  void expect_done() {
    EXPECT_TRUE(same_results(scanned.host(), expected_scan));
    EXPECT_TRUE(same_results(summed.host(), expected_bins));
    EXPECT_TRUE(same_results(kept.host(), expected_kept));
    EXPECT_EQ(scan_call_.status.word(), primitives::no_error);
    EXPECT_EQ(bins_call_.status.word(), primitives::no_error);
    EXPECT_EQ(kept_call_.status.word(), primitives::no_error);
  }
  void clear_results() {
    check(cudaMemset(scanned.data(), 0xEE, items * sizeof(float)), "a test");
    check(cudaMemset(kept.data(), 0, items * sizeof(float)), "a test");
    check(cudaStreamSynchronize(nullptr), "a test");
  }

 private:
  static constexpr std::int64_t items = 300'000, bins = 50'000;
  std::vector<float> values_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> indices_;
  std::vector<std::uint8_t> flags_;
  std::vector<float> expected_scan, expected_bins, expected_kept;
  DeviceCopy<float> values{{}}, scanned{{}}, summed{{}}, kept{{}};
  DeviceCopy<std::int64_t> offsets{{}};
  DeviceCopy<std::int32_t> indices{{}};
  DeviceCopy<std::uint8_t> flags{{}};
  CallOnCuda<ScanOptions> scan_call_{{}};
  CallOnCuda<ReduceByIndexOptions> bins_call_{{}};
  CallOnCuda<CompactOptions> kept_call_{{}};
};

TEST_F(CudaPrimitives, GraphsHoldEveryCall) {
  Prepared first(1), second(2);
  const Stream stream;
  first.queue(stream);  // so that the kernels are loaded
  second.queue(stream);
  stream.wait();
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), "beginning a capture");
  first.queue(stream);
  second.queue(stream);
  check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph, 0), "instantiating a graph");
  for (int replay = 0; replay < 3; ++replay) {
    first.clear_results();
    second.clear_results();
    check(cudaGraphLaunch(ready, stream.get()), "launching a graph");
    stream.wait();
    first.expect_done();
    second.expect_done();
  }
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

TEST_F(CudaPrimitives, TwoStreamsWorkBesideEachOther) {
  Prepared first(3), second(4);
  const Stream one, other;
  for (int i = 0; i < 20; ++i) {
    first.queue(one);
    second.queue(other);
  }
  one.wait();
  other.wait();
  first.expect_done();
  second.expect_done();
}

TEST_F(CudaPrimitives, ShortWorkspacesAreRefused) {
  DeviceCopy<float> values(std::vector<float>(10'000, 1.0f)), out(std::vector<float>(10'000, -7.0f));
  const VectorView<const float> given = values.view();
  const std::int64_t bytes = scan_workspace_bytes<float>(given, out.view());
  ASSERT_GT(bytes, 0);
  DeviceArray<std::byte> memory(bytes + 256, "a workspace");
  const auto call = [&](std::byte* at, std::int64_t size, Device device) {
    scan<float>(given, out.view(), {.workspace = {at, size, device}});
  };
  EXPECT_THROW(scan<float>(given, out.view(), {}), InvalidArgument);
  EXPECT_THROW(call(memory.data(), bytes - 1, Device::cuda()), InvalidArgument);
  EXPECT_THROW(call(memory.data() + 8, bytes, Device::cuda()), InvalidArgument);
  std::vector<std::byte> host(static_cast<std::size_t>(bytes) + 256);
  EXPECT_THROW(call(host.data(), bytes, Device::cpu()), InvalidArgument);
  check(cudaStreamSynchronize(nullptr), "a test");
  EXPECT_EQ(out.host(), std::vector<float>(10'000, -7.0f));
  call(memory.data(), bytes, Device::cuda());
  EXPECT_EQ(out.host()[9'999], 10'000.0f);
}

// --- More than 2^31 elements ---------------------------------------------------------

constexpr std::int64_t beyond = (std::int64_t{1} << 31) + 1;

bool is_room_for(std::int64_t bytes) { return execution::free_device_bytes() > bytes + (std::int64_t{1} << 30); }

template <class T>
DeviceArray<T> zeros(std::int64_t size) {
  DeviceArray<T> array(size, "an array of a test");
  array.clear(nullptr);
  return array;
}
template <class T>
T at(const DeviceArray<T>& array, std::int64_t place) {
  T value;
  check(cudaMemcpy(&value, array.data() + place, sizeof(T), cudaMemcpyDeviceToHost), "a test");
  return value;
}
template <class T>
void put(DeviceArray<T>& array, std::int64_t place, T value) {
  check(cudaMemcpy(array.data() + place, &value, sizeof(T), cudaMemcpyHostToDevice), "a test");
}

TEST_F(CudaPrimitives, ScansOfMoreThan2To31Values) {
  if (!is_room_for(8 * beyond)) GTEST_SKIP() << "no room for 16 GiB";
  auto values = zeros<float>(beyond), out = zeros<float>(beyond);
  put(values, 0, 3.0f);
  put(values, beyond - 2, 1e-30f);
  put(values, beyond - 1, 4.0f);
  const VectorView<const float> given(values.data(), beyond, Device::cuda());
  const VectorView<float> to(out.data(), beyond, Device::cuda());
  CallOnCuda<ScanOptions> call({});
  call.give_workspace(scan_workspace_bytes<float>(given, to, call.options));
  scan<float>(given, to, call.options);
  call.stream.wait();
  for (const std::int64_t place : {std::int64_t{0}, beyond / 2, beyond - 2}) EXPECT_EQ(at(out, place), 3.0f) << place;
  EXPECT_EQ(at(out, beyond - 1), 7.0f);

  DeviceCopy<std::int64_t> offsets(std::vector<std::int64_t>{0, 1, beyond - 2, beyond - 2, beyond});
  DeviceCopy<float> sums(std::vector<float>(4, -7.0f));
  CallOnCuda<SegmentedReduceOptions> reduction({});
  const VectorView<const std::int64_t> by = offsets.view();
  reduction.give_workspace(segmented_reduce_workspace_bytes<float>(by, given, sums.view(), reduction.options));
  segmented_reduce<float>(by, given, sums.view(), reduction.options);
  reduction.stream.wait();
  EXPECT_EQ(sums.host(), (std::vector<float>{3, 0, 0, 4}));
  EXPECT_EQ(reduction.status.word(), primitives::no_error);
}

TEST_F(CudaPrimitives, CountsOfMoreThan2To31Items) {
  if (!is_room_for(4 * beyond)) GTEST_SKIP() << "no room for 8 GiB";
  const auto indices = zeros<std::int32_t>(beyond);
  const VectorView<const std::int32_t> by(indices.data(), beyond, Device::cuda());
  DeviceCopy<std::int64_t> wide(std::vector<std::int64_t>{5, 0});
  DeviceCopy<std::int32_t> narrow(std::vector<std::int32_t>{0, 0});
  CallOnCuda<ReduceByIndexOptions> call({});
  reduce_by_index<std::int32_t, std::int64_t>(by, wide.view(), call.options);
  call.stream.wait();
  EXPECT_EQ(wide.host()[0], beyond + 5);
  EXPECT_EQ(call.status.word(), primitives::no_error);
  reduce_by_index<std::int32_t, std::int32_t>(by, narrow.view(), call.options);
  call.stream.wait();
  EXPECT_EQ(call.status.word(), primitives::status_word(PrimitiveError::sum_overflow, 0));
}

TEST_F(CudaPrimitives, CompactionAndTranspositionBeyond2To31Elements) {
  constexpr std::int64_t rows = 46'342, columns = 46'342;  // rows * columns > 2^31
  constexpr std::int64_t all = rows * columns;
  if (!is_room_for(3 * all)) GTEST_SKIP() << "no room for 6 GiB";
  auto flags = zeros<std::uint8_t>(all), values = zeros<std::uint8_t>(all), out = zeros<std::uint8_t>(all);
  check(cudaMemset(flags.data(), 1, all), "a test");
  put<std::uint8_t>(flags, 1000, 0);
  put<std::uint8_t>(values, all - 1, 9);
  put<std::uint8_t>(values, columns * 3 + 5, 7);
  DeviceCopy<std::int64_t> count(std::vector<std::int64_t>{0});
  const auto view = [&](auto& array) { return VectorView<const std::uint8_t>(array.data(), all, Device::cuda()); };
  const VectorView<std::uint8_t> to(out.data(), all, Device::cuda());
  CallOnCuda<CompactOptions> call({.count = count.view()});
  call.give_workspace(compact_workspace_bytes<std::uint8_t, std::uint8_t>(view(flags), view(values), to, call.options));
  compact<std::uint8_t, std::uint8_t>(view(flags), view(values), to, call.options);
  call.stream.wait();
  EXPECT_EQ(count.host()[0], all - 1);
  EXPECT_EQ(at(out, all - 2), 9);
  EXPECT_EQ(at(out, columns * 3 + 4), 7);

  const MatrixView<const std::uint8_t> in(values.data(), rows, columns, columns, 1, Device::cuda());
  const MatrixView<std::uint8_t> transposed(out.data(), columns, rows, rows, 1, Device::cuda());
  transpose<std::uint8_t>(in, transposed, {.cuda_stream = call.stream.get()});
  call.stream.wait();
  EXPECT_EQ(at(out, all - 1), 9);
  EXPECT_EQ(at(out, rows * 5 + 3), 7);
}

}  // namespace
}  // namespace papilio::testing
