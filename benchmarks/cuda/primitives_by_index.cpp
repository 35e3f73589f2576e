// Reductions by index, beside atomic additions and CUB's histogram.

#include <cmath>

#include "primitives_bench.h"

namespace {

// Numbers between 0 and 1 with all bits of their type set by chance (some_values has multiples of 2^-24), and such that
// are normally distributed: these need sums of more bits.
template <class T>
std::vector<T> long_values(std::int64_t count, bool normal) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for_all(count, [&](std::int64_t i) {
    const double u = (hashed(i) + 1) * 0x1p-33 + hashed(i + (std::int64_t{1} << 40)) * 0x1p-66;
    const double angle = hashed(i + (std::int64_t{2} << 40)) * (0x1p-32 * 6.283185307179586);
    values[static_cast<std::size_t>(i)] = static_cast<T>(normal ? std::sqrt(-2 * std::log(u)) * std::cos(angle) : u);
  });
  return values;
}

}  // namespace

void Bench::counts_by_index(const char* hits, std::int64_t bins, const std::vector<std::int32_t>& keys,
                            const DeviceVector<std::int32_t>& keys_there) {
  const std::int64_t n = keys_there.size();
  DeviceVector<std::int32_t> out(bins);
  const VectorView<const std::int32_t> by = keys_there.view();
  papilio::ReduceByIndexOptions options{.cuda_stream = stream()};
  const auto ours = [&] { papilio::reduce_by_index<std::int32_t, std::int32_t>(by, out.view(), options); };
  std::vector<std::pair<const char*, std::function<void()>>> peers = {
      {"atomic", [&] { queue_atomic_counts(keys_there.data(), n, out.data()); }}};
  const auto cub = [&](void* memory, std::int64_t bytes) {
    return cub_histogram(memory, bytes, keys_there.data(), n, out.data(), static_cast<int>(bins));
  };
  const bool with_cub = bins <= 65'536;
  Temporary temporary([&](void* memory, std::int64_t bytes) { return with_cub ? cub(memory, bytes) : 1; });
  if (with_cub) peers.push_back({"cub", [&] { cub(temporary.data(), temporary.size()); }});
  const std::vector<std::int32_t> zeros(static_cast<std::size_t>(bins));
  upload(out.data(), zeros.data(), bins * 4);
  measure(
      Record("counts").set("hits", hits).set("bins", bins), 4.0 * static_cast<double>(n), ours,
      [&] {
        std::vector<std::int32_t> expected(zeros);
        papilio::reduce_by_index<std::int32_t, std::int32_t>(VectorView<const std::int32_t>(keys),
                                                             VectorView<std::int32_t>(expected));
        require_same(out, expected);
      },
      peers);
}

template <class T>
void Bench::sums_by_index(const char* what, const std::vector<T>& values, const char* hits, std::int64_t bins,
                          const std::vector<std::int32_t>& keys, const DeviceVector<std::int32_t>& keys_there) {
  const std::int64_t n = keys_there.size();
  const std::vector<T> zeros(static_cast<std::size_t>(bins));
  DeviceVector<T> there(values), out(zeros);
  const VectorView<const std::int32_t> by = keys_there.view();
  const VectorView<const T> given = there.view();
  std::vector<T> expected(zeros);
  papilio::reduce_by_index<std::int32_t, T>(VectorView<const std::int32_t>(keys), VectorView<const T>(values),
                                            expected);
  std::int64_t most_bytes = -1;
  for (const bool small : {false, true}) {
    papilio::ReduceByIndexOptions options{.small_workspace = small, .cuda_stream = stream()};
    DeviceVector<std::byte> workspace(
        papilio::reduce_by_index_workspace_bytes<std::int32_t, T>(by, given, out.view(), options));
    if (workspace.size() == most_bytes) continue;
    most_bytes = workspace.size();
    options.workspace = workspace.view();
    if (small) upload(out.data(), zeros.data(), bins * static_cast<std::int64_t>(sizeof(T)));
    measure(
        Record(what).set("hits", hits).set("bins", bins).set("workspace_bytes", workspace.size()),
        (4.0 + sizeof(T)) * static_cast<double>(n),
        [&] { papilio::reduce_by_index<std::int32_t, T>(by, given, out.view(), options); },
        [&] { require_same(out, expected); },
        {{"atomic", [&] { queue_atomic_sums<T>(keys_there.data(), there.data(), n, out.data()); }}});
  }
}

// `only` one number of bins, if it is not 0.
void Bench::by_index(std::int64_t only) {
  const std::int64_t n = std::int64_t{1} << 26;
  const std::vector<std::int64_t> all = {1, 256, 4096, 65'536, 1'000'000, 100'000'000, 1'000'000'000};
  const std::vector<std::int64_t> few = {256, 65'536, 100'000'000};
  for (const std::int64_t bins : only != 0 ? std::vector<std::int64_t>{only} : quick_ ? few : all) {
    for (const char* const hits : {"uniform", "zipf", "one"}) {
      const bool zipf = hits[0] == 'z', one = hits[0] == 'o';
      if ((bins == 1 && !one) || (bins > 100'000'000 && one)) continue;
      if (report_.stop(std::string("by index, ") + hits + ", " + std::to_string(bins))) return;
      std::vector<std::int32_t> keys(static_cast<std::size_t>(n));
      for_all(n, [&](std::int64_t i) {
        const double u = hashed(i + 12'345) * 0x1p-32;
        const double at =
            one    ? static_cast<double>(bins / 2)
            : zipf ? std::exp(u * std::log(static_cast<double>(bins))) - 1  // a bin's weight is as 1 / (b + 1)
                   : u * static_cast<double>(bins);
        keys[static_cast<std::size_t>(i)] =
            static_cast<std::int32_t>(std::min<std::int64_t>(static_cast<std::int64_t>(at), bins - 1));
      });
      const DeviceVector<std::int32_t> keys_there(keys);
      counts_by_index(hits, bins, keys, keys_there);
      sums_by_index("sums of int32", some_values<std::int32_t>(n), hits, bins, keys, keys_there);
      sums_by_index("sums of float", some_values<float>(n), hits, bins, keys, keys_there);
      if (one || bins > 100'000'000) continue;
      sums_by_index("sums of normal float", long_values<float>(n, true), hits, bins, keys, keys_there);
      sums_by_index("sums of double", long_values<double>(n, false), hits, bins, keys, keys_there);
    }
  }
}
