#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "execution/cuda.h"
#include "execution/cuda/memory.h"
#include "papilio/device.h"
#include "papilio/error.h"
#include "papilio/sampling.h"

// Arrays of tests on a CUDA device, and draws from the same weights on both sides.

namespace papilio::testing {

// Fails where there is no device: a run that tests nothing must not pass.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (execution::cuda_device_count() == 0) FAIL() << "no CUDA device here: " << describe_cuda_devices().at(0);
  }
};

// A host vector's copy on device 0, `offset` entries after an aligned address, between
// entries that hold `gap`.
template <class T>
class DeviceCopy {
 public:
  explicit DeviceCopy(const std::vector<T>& host, std::int64_t offset = 0, T gap = {})
      : offset_(offset), size_(static_cast<std::int64_t>(host.size())) {
    if (host.empty()) return;
    all_.assign(static_cast<std::size_t>(offset) + host.size() + gap_behind, gap);
    std::copy(host.begin(), host.end(), all_.begin() + offset);
    array_ = execution::DeviceArray<T>(static_cast<std::int64_t>(all_.size()), "an array of a test");
    array_.upload(all_.data(), array_.size(), nullptr);
    wait();
  }

  T* data() { return size_ == 0 ? nullptr : array_.data() + offset_; }
  // An empty vector gives the empty view, as for options that are not given.
  VectorView<T> view() { return size_ == 0 ? VectorView<T>{} : VectorView<T>{data(), size_, Device::cuda()}; }

  // The entries as they are now. Work on streams of the test must be done.
  std::vector<T> host() const {
    const std::vector<T> all = everything();
    return {all.begin() + offset_, all.begin() + offset_ + size_};
  }
  bool gaps_intact() const {
    if (all_.empty()) return true;
    const std::vector<T> all = everything();
    const auto same = [&](std::int64_t begin, std::int64_t end) {
      return begin == end || std::memcmp(all.data() + begin, all_.data() + begin,
                                         static_cast<std::size_t>(end - begin) * sizeof(T)) == 0;
    };
    return same(0, offset_) && same(offset_ + size_, static_cast<std::int64_t>(all.size()));
  }

 private:
  static constexpr std::size_t gap_behind = 67;

  static void wait() { execution::check(cudaStreamSynchronize(nullptr), "a copy of a test"); }
  std::vector<T> everything() const {
    std::vector<T> all(all_.size());
    if (!all.empty()) array_.download(all.data(), array_.size(), nullptr);
    wait();
    return all;
  }

  std::int64_t offset_;
  std::int64_t size_;
  std::vector<T> all_;  // as it was uploaded
  execution::DeviceArray<T> array_;
};

// Arrays of a test on the device, and what comes back of them.
class DeviceArrays {
 public:
  explicit DeviceArrays(std::int64_t offset) : offset_(offset) {}

  template <class T>
  auto operator()(std::vector<T>& host) {
    using Plain = std::remove_const_t<T>;
    auto copy = std::make_shared<DeviceCopy<Plain>>(host, offset_);
    back_.push_back([copy, &host] {
      EXPECT_TRUE(copy->gaps_intact()) << "written beside an array";
      host = copy->host();
    });
    return copy->view();
  }
  void fetch() {
    for (const auto& back : back_) back();
  }

 private:
  std::int64_t offset_;
  std::vector<std::function<void()>> back_;
};

// A draw's options without views.
struct Call {
  std::uint64_t seed = 1;
  std::uint64_t stream = 0;
  std::uint64_t first_row_id = 0;
  std::vector<std::int64_t> row_ids = {};
  std::vector<std::int64_t> seeds = {};
  bool with_status = true;
  bool check_negative = true;
  PartialSums method = PartialSums::slots;
  std::int64_t offset = 0;  // entries by which arrays on the device are out of alignment
};

template <class Index>
struct Draws {
  std::vector<Index> drawn;
  std::vector<DrawStatus> status;  // empty where none was asked for
};

inline SampleOptions options_of(const Call& call) {
  return {.seed = call.seed,
          .stream = call.stream,
          .first_row_id = call.first_row_id,
          .check_negative = call.check_negative,
          .method = call.method};
}

template <class Index, class Problem>
Draws<Index> draw_on_host(const Problem& problem, const Call& call) {
  const auto rows = static_cast<std::size_t>(problem.draws());
  Draws<Index> result = {std::vector<Index>(rows, -7), std::vector<DrawStatus>(rows)};
  SampleOptions options = options_of(call);
  options.row_ids = call.row_ids;
  options.seeds = call.seeds;
  options.status = result.status;
  sample_categorical(problem.on_host(), VectorView<Index>(result.drawn), options);
  if (!call.with_status) result.status.clear();
  return result;
}

// The same on device 0, on a stream of its own; nothing beside the results may be written.
template <class Index, class Problem>
Draws<Index> draw_on_cuda(const Problem& problem, const Call& call) {
  const auto rows = static_cast<std::size_t>(problem.draws());
  constexpr auto unwritten = static_cast<DrawStatus>(0xEE);
  auto source = problem.on_cuda(call.offset);
  DeviceCopy<Index> drawn(std::vector<Index>(rows, -7), call.offset, -9);
  DeviceCopy<DrawStatus> status(std::vector<DrawStatus>(call.with_status ? rows : 0, unwritten), call.offset,
                                unwritten);
  DeviceCopy<std::int64_t> row_ids(call.row_ids, call.offset);
  DeviceCopy<std::int64_t> seeds(call.seeds, call.offset);
  execution::DeviceArray<std::byte> workspace(sample_workspace_bytes(source.weights, call.method), "a workspace");
  const execution::Stream stream;
  SampleOptions options = options_of(call);
  options.row_ids = row_ids.view();
  options.seeds = seeds.view();
  options.status = status.view();
  options.cuda_stream = stream.get();
  if (workspace.size() > 0) options.workspace = {workspace.data(), workspace.size(), Device::cuda()};
  sample_categorical(source.weights, drawn.view(), options);
  stream.wait();
  EXPECT_TRUE(drawn.gaps_intact()) << "written beside the results";
  EXPECT_TRUE(status.gaps_intact()) << "written beside the status";
  return {drawn.host(), status.host()};
}

// Whether two lists are the same bytes; if not, the first entry that differs.
template <class T>
::testing::AssertionResult same_bytes(const std::vector<T>& found, const std::vector<T>& expected, const char* what) {
  if (found.size() != expected.size())
    return ::testing::AssertionFailure() << found.size() << " entries of " << what << ", expected " << expected.size();
  if (found.empty() || std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)) == 0)
    return ::testing::AssertionSuccess();
  const auto at = std::mismatch(found.begin(), found.end(), expected.begin());
  std::int64_t count = 0;
  for (std::size_t i = 0; i < found.size(); ++i) count += found[i] != expected[i];
  return ::testing::AssertionFailure() << what << " of row " << at.first - found.begin() << " is "
                                       << static_cast<std::int64_t>(*at.first) << " on the device, "
                                       << static_cast<std::int64_t>(*at.second) << " expected (" << count << " of "
                                       << found.size() << " rows differ)";
}

template <class Index>
::testing::AssertionResult same_draws(const Draws<Index>& found, const Draws<Index>& expected) {
  if (const auto same = same_bytes(found.status, expected.status, "the status"); !same) return same;
  return same_bytes(found.drawn, expected.drawn, "the category");
}

// The device draws what the CPU draws, bit for bit, statuses included.
template <class Index, class Problem>
::testing::AssertionResult same_on_both(const Problem& problem, const Call& call = {}) {
  return same_draws(draw_on_cuda<Index>(problem, call), draw_on_host<Index>(problem, call));
}

}  // namespace papilio::testing
