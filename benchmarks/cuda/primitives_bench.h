#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceilings.h"
#include "device.h"
#include "papilio/primitives.h"
#include "primitives_peers.h"
#include "report.h"

// What the measurements of the primitives share: values, the comparison with the CPU's answers, and timing beside
// peers.

using papilio::VectorView;
inline constexpr Effort effort{0.02, 8, 30};

// Calls body(i) for all i by all threads.
template <class Body>
void for_all(std::int64_t count, const Body& body) {
  const auto threads = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> running;
  for (std::int64_t t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      for (std::int64_t i = count * t / threads; i < count * (t + 1) / threads; ++i) body(i);
    });
  for (std::thread& thread : running) thread.join();
}

inline std::uint32_t hashed(std::int64_t i) {
  auto x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9ull;
  return static_cast<std::uint32_t>(x >> 32);
}

template <class T>
std::vector<T> some_values(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for_all(count, [&](std::int64_t i) {
    const std::uint32_t h = hashed(i);
    values[static_cast<std::size_t>(i)] = std::is_same_v<T, float>
                                              ? static_cast<T>(static_cast<float>(h >> 8) * 0x1p-24f)
                                              : static_cast<T>(h % 17) - T{8};
  });
  return values;
}

template <class T>
void require_same(const DeviceVector<T>& found, const std::vector<T>& expected) {
  const std::vector<T> all = found.to_host(0, static_cast<std::int64_t>(expected.size()));
  if (std::memcmp(all.data(), expected.data(), expected.size() * sizeof(T)) != 0) {
    const auto at = std::mismatch(all.begin(), all.end(), expected.begin()).first - all.begin();
    throw std::runtime_error("wrong at " + std::to_string(at));
  }
}

// Temporary memory for a call that says how much it needs where it is given null.
class Temporary {
 public:
  template <class Call>
  explicit Temporary(const Call& call) : memory_(std::max<std::int64_t>(1, call(nullptr, 0))) {}
  void* data() { return memory_.data(); }
  std::int64_t size() const { return memory_.size(); }

 private:
  DeviceVector<std::byte> memory_;
};

class Bench {
 public:
  Bench(Report& report, bool quick) : report_(report), quick_(quick) {
    constexpr std::int64_t bytes = std::int64_t{1} << 28;
    DeviceVector<std::byte> from(bytes), to(bytes);
    const Timing timing = time_launches([&](int) { queue_copy(to.data(), from.data(), bytes); }, {0.1, 20, 60});
    copy_bytes_per_ms_ = 2.0 * static_cast<double>(bytes) / timing.median_ms;
    report_.add(Record("copy").set("ms", timing.median_ms).set("bytes_per_second", copy_bytes_per_ms_ * 1e3));
  }

  void scans();
  void segments();
  void by_index(std::int64_t only);
  void compactions();
  void transpositions();

 private:
  template <class T>
  void scan_of(const char* type);
  template <class T>
  void segments_of(const char* type, const std::string& law, const std::vector<std::int64_t>& offsets,
                   const DeviceVector<std::int64_t>& offsets_there, const DeviceVector<std::int32_t>& keys);
  template <class T>
  void sums_by_index(const char* what, const std::vector<T>& values, const char* hits, std::int64_t bins,
                     const std::vector<std::int32_t>& keys, const DeviceVector<std::int32_t>& keys_there);
  void counts_by_index(const char* hits, std::int64_t bins, const std::vector<std::int32_t>& keys,
                       const DeviceVector<std::int32_t>& keys_there);
  template <class T>
  void transposition_of(const char* type, std::int64_t rows, std::int64_t columns, std::int64_t batch);

  // Runs one case: ours after it has been verified, then peers. `bytes` must be moved at least.
  void measure(Record record, double bytes, const std::function<void()>& ours, const std::function<void()>& verify,
               const std::vector<std::pair<const char*, std::function<void()>>>& peers) {
    try {
      ours();
      verify();
      const Timing timing = time_launches([&](int) { ours(); }, effort);
      record.set("ms", timing.median_ms).set("of_copy", bytes / copy_bytes_per_ms_ / timing.median_ms);
      for (const auto& [name, queue] : peers) {
        const Timing theirs = time_launches([&queue = queue](int) { queue(); }, effort);
        record.set(std::string(name) + "_ms", theirs.median_ms)
            .set(std::string("times_") + name, theirs.median_ms / timing.median_ms);
      }
      report_.add(record);
    } catch (const std::exception& e) {
      report_.fail(record, e.what());
    }
    report_.save();
  }

  Report& report_;
  bool quick_;
  double copy_bytes_per_ms_ = 0;
  Cublas cublas_;
};
