#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cuda/support.h"
#include "papilio/primitives.h"
#include "primitives/status.h"

// Values, segments, and calls of the primitives on both sides, for their tests on a device.

namespace papilio::testing {

// Kinds of values.
enum class Law { small, random, spread, cancelling, special, extreme };
inline constexpr Law every_law[] = {Law::small, Law::random, Law::spread, Law::cancelling, Law::special, Law::extreme};

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_(seed) {}

  std::int64_t in(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  std::uint64_t bits() { return random_(); }

  template <class T>
  T value(Law law) {
    if constexpr (std::is_integral_v<T>) {
      return integer<T>(law);
    } else {
      return floating<T>(law);
    }
  }
  template <class T>
  std::vector<T> values(std::int64_t count, Law law) {
    std::vector<T> made(static_cast<std::size_t>(count));
    for (T& v : made) v = value<T>(law);
    return made;
  }

  // Offsets from `first` to `last` of segments with lengths about `mean`, some of them 0, some long.
  std::vector<std::int64_t> offsets(std::int64_t first, std::int64_t last, std::int64_t mean) {
    std::vector<std::int64_t> made = {first};
    while (made.back() < last) {
      const std::int64_t kind = in(0, 9);
      const std::int64_t length = kind == 0 ? 0 : kind == 1 ? in(0, 4 * mean) : in(mean / 2, mean + mean / 2 + 1);
      made.push_back(std::min(last, made.back() + length));
    }
    for (int i = 0; i < 3; ++i) made.push_back(last);
    return made;
  }

 private:
  template <class T>
  T integer(Law law) {
    switch (law) {
      case Law::extreme:
        return in(0, 1) == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
      case Law::random:
      case Law::spread:
        return static_cast<T>(static_cast<T>(bits()) >> in(0, 8 * sizeof(T) - 1));
      default:
        return static_cast<T>(in(-100, 100));
    }
  }
  template <class T>
  T floating(Law law) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T uniform = static_cast<T>(in(0, 1 << 24)) / (1 << 24);
    switch (law) {
      case Law::small:
        return static_cast<T>(in(-100, 100));
      case Law::random:
        return uniform - T{0.5};
      case Law::spread: {  // every exponent, subnormal numbers too
        const T some = std::bit_cast<T>(static_cast<Bits>(bits()));
        return some - some == 0 ? some : uniform;
      }
      case Law::cancelling: {
        const T large = std::ldexp(T{1} + uniform, static_cast<int>(in(20, 60)));
        const std::int64_t kind = in(0, 3);
        return kind == 0 ? last_ = static_cast<double>(large), large : kind == 1 ? static_cast<T>(-last_) : uniform;
      }
      case Law::special: {
        const std::int64_t kind = in(0, 3000);
        return kind == 0   ? std::numeric_limits<T>::infinity()
               : kind == 1 ? -std::numeric_limits<T>::infinity()
               : kind == 2 ? -std::numeric_limits<T>::quiet_NaN()
               : kind < 9  ? T{-0.0}
                           : uniform;
      }
      default:
        return (in(0, 1) == 0 ? 1 : -1) * std::numeric_limits<T>::max() / static_cast<T>(in(1, 3));
    }
  }

  std::mt19937_64 random_;
  double last_ = 0;
};

// One word on the device.
class StatusOnCuda {
 public:
  StatusOnCuda() : word_(std::vector<std::int64_t>(1, 0x7777)) {}
  VectorView<std::int64_t> view() { return word_.view(); }
  std::int64_t word() const { return word_.host()[0]; }
  bool gaps_intact() const { return word_.gaps_intact(); }

 private:
  DeviceCopy<std::int64_t> word_;
};

// `options` for a device, and what it refers to.
template <class Options>
struct CallOnCuda {
  Options options;
  StatusOnCuda status;
  execution::DeviceArray<std::byte> workspace;
  execution::Stream stream;

  CallOnCuda(const Options& asked) : options(asked) {
    options.cuda_stream = stream.get();
    options.status = status.view();
  }
  void give_workspace(std::int64_t bytes) {
    workspace = execution::DeviceArray<std::byte>(bytes, "a workspace");
    if (bytes > 0) options.workspace = {workspace.data(), bytes, Device::cuda()};
  }
};

// Whether two arrays are the same bytes; if not, the first place that differs.
template <class T>
::testing::AssertionResult same_results(const std::vector<T>& found, const std::vector<T>& expected) {
  if (found.size() != expected.size())
    return ::testing::AssertionFailure() << found.size() << " entries, expected " << expected.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) != 0)
      return ::testing::AssertionFailure() << "entry " << i << " of " << found.size() << " is " << found[i]
                                           << " on the device, expected " << expected[i];
  }
  return ::testing::AssertionSuccess();
}

// After a call on both sides: the same status, and if nothing is wrong the same results.
template <class T>
void expect_same(std::int64_t word, const std::vector<T>& found, std::int64_t expected_word,
                 const std::vector<T>& expected) {
  EXPECT_EQ(word, expected_word) << "error " << (word >> primitives::error_shift) << ", expected "
                                 << (expected_word >> primitives::error_shift);
  if (expected_word == primitives::no_error) {
    EXPECT_TRUE(same_results(found, expected));
  }
}

// Where segments begin, on the host.
struct Segments {
  std::vector<std::int64_t> offsets = {};
  std::vector<std::uint8_t> flags = {};
};

inline std::string description(ReduceOp op, std::int64_t items, bool exclusive, Law law) {
  return std::string(name(op)) + ", " + std::to_string(items) + " values, " + (exclusive ? "exclusive" : "inclusive") +
         ", law " + std::to_string(static_cast<int>(law));
}

// A scan on both sides. With a total where it is exclusive and without segments. Arrays on the device begin `shift`
// entries after an aligned address.
template <class T>
void expect_same_scan(const std::vector<T>& values, const Segments& segments, const ScanOptions& asked,
                      std::int64_t shift = 0) {
  const bool plain = segments.offsets.empty() && segments.flags.empty();
  const std::size_t size = values.size() + (plain && asked.exclusive ? 1 : 0);
  std::vector<T> expected(size, T{77});
  std::int64_t expected_word = 0;
  ScanOptions on_host = asked;
  on_host.status = {&expected_word, 1};
  const VectorView<const T> host_values(values);
  DeviceCopy<T> there(values, shift), out(std::vector<T>(size, T{77}), shift, T{5});
  DeviceCopy<std::int64_t> offsets(segments.offsets, shift);
  DeviceCopy<std::uint8_t> flags(segments.flags, shift);
  CallOnCuda<ScanOptions> call(asked);
  const VectorView<const T> values_there = there.view();
  if (!segments.offsets.empty()) {
    segmented_scan<T>(VectorView<const std::int64_t>(segments.offsets), host_values, expected, on_host);
    const VectorView<const std::int64_t> starts = offsets.view();
    call.give_workspace(segmented_scan_workspace_bytes<T>(starts, values_there, out.view(), call.options));
    segmented_scan<T>(starts, values_there, out.view(), call.options);
  } else if (!segments.flags.empty()) {
    segmented_scan<T>(VectorView<const std::uint8_t>(segments.flags), host_values, expected, on_host);
    const VectorView<const std::uint8_t> starts = flags.view();
    call.give_workspace(segmented_scan_workspace_bytes<T>(starts, values_there, out.view(), call.options));
    segmented_scan<T>(starts, values_there, out.view(), call.options);
  } else {
    scan<T>(host_values, expected, on_host);
    // An array without entries has no device of its own.
    const VectorView<const T> given = values.empty() ? VectorView<const T>{nullptr, 0, Device::cuda()} : values_there;
    const VectorView<T> to = size == 0 ? VectorView<T>{nullptr, 0, Device::cuda()} : out.view();
    call.give_workspace(scan_workspace_bytes<T>(given, to, call.options));
    scan<T>(given, to, call.options);
  }
  call.stream.wait();
  expect_same(call.status.word(), out.host(), expected_word, expected);
  EXPECT_TRUE(out.gaps_intact()) << "written beside the results";
  EXPECT_TRUE(call.status.gaps_intact());
}

template <class T>
void expect_same_reduction(const std::vector<T>& values, const std::vector<std::int64_t>& offsets, ReduceOp op,
                           std::int64_t shift = 0) {
  std::vector<T> expected(offsets.size() - 1, T{77});
  std::int64_t expected_word = 0;
  SegmentedReduceOptions on_host{.op = op};
  on_host.status = {&expected_word, 1};
  segmented_reduce<T>(VectorView<const std::int64_t>(offsets), VectorView<const T>(values), expected, on_host);
  DeviceCopy<T> there(values, shift), out(std::vector<T>(expected.size(), T{77}), shift, T{5});
  DeviceCopy<std::int64_t> starts(offsets, shift);
  CallOnCuda<SegmentedReduceOptions> call({.op = op});
  const VectorView<const T> given = values.empty() ? VectorView<const T>{nullptr, 0, Device::cuda()} : there.view();
  const VectorView<T> to = expected.empty() ? VectorView<T>{nullptr, 0, Device::cuda()} : out.view();
  const VectorView<const std::int64_t> by = starts.view();
  call.give_workspace(segmented_reduce_workspace_bytes<T>(by, given, to, call.options));
  segmented_reduce<T>(by, given, to, call.options);
  call.stream.wait();
  expect_same(call.status.word(), out.host(), expected_word, expected);
  EXPECT_TRUE(out.gaps_intact()) << "written beside the results";
}

// Reduces by index on both sides; without values where they are empty.
template <class Index, class T>
void expect_same_by_index(const std::vector<Index>& indices, const std::vector<T>& values, const std::vector<T>& bins,
                          ReduceOp op = ReduceOp::sum, bool skip = false, bool small_workspace = false) {
  const bool counts = values.empty() && !indices.empty();
  std::vector<T> expected = bins;
  std::int64_t expected_word = 0;
  ReduceByIndexOptions on_host{.op = op, .skip_out_of_range = skip};
  on_host.status = {&expected_word, 1};
  DeviceCopy<Index> index(indices, 1);
  DeviceCopy<T> value(values, 1), out(bins, 1, T{5});
  CallOnCuda<ReduceByIndexOptions> call({.op = op, .skip_out_of_range = skip, .small_workspace = small_workspace});
  const VectorView<const Index> by =
      indices.empty() ? VectorView<const Index>{nullptr, 0, Device::cuda()} : index.view();
  if (counts) {
    if constexpr (std::is_integral_v<T>) {
      reduce_by_index<Index, T>(VectorView<const Index>(indices), VectorView<T>(expected), on_host);
      call.give_workspace(reduce_by_index_workspace_bytes<Index, T>(by, out.view(), call.options));
      reduce_by_index<Index, T>(by, out.view(), call.options);
    }
  } else {
    reduce_by_index<Index, T>(VectorView<const Index>(indices), VectorView<const T>(values), expected, on_host);
    const VectorView<const T> given = values.empty() ? VectorView<const T>{nullptr, 0, Device::cuda()} : value.view();
    call.give_workspace(reduce_by_index_workspace_bytes<Index, T>(by, given, out.view(), call.options));
    reduce_by_index<Index, T>(by, given, out.view(), call.options);
  }
  call.stream.wait();
  expect_same(call.status.word(), out.host(), expected_word, expected);
  EXPECT_TRUE(out.gaps_intact()) << "written beside the results";
}

}  // namespace papilio::testing
