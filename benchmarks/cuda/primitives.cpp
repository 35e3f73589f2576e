// The primitives on a CUDA device, beside a copy of as many bytes, CUB and plain kernels. Every answer is compared with the
// CPU's, byte by byte, before it is timed.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ceilings.h"
#include "device.h"
#include "papilio/primitives.h"
#include "papilio/version.h"
#include "primitives_peers.h"
#include "report.h"

namespace {

constexpr const char* usage =
    "usage: papilio_primitives_cuda_bench [--json FILE] [--cases LIST] [--limit SECONDS] [--quick]\n"
    "\n"
    "  --json FILE      keep all figures there\n"
    "  --cases LIST     of scan,segments,by_index,compact,transpose (all)\n"
    "  --limit SECONDS  begin nothing new after this time\n"
    "  --quick          a few cases only\n";

using papilio::VectorView;
constexpr Effort effort{0.02, 8, 30};

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

std::uint32_t hashed(std::int64_t i) {
  auto x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9ull;
  return static_cast<std::uint32_t>(x >> 32);
}

template <class T>
std::vector<T> some_values(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for_all(count, [&](std::int64_t i) {
    const std::uint32_t h = hashed(i);
    values[static_cast<std::size_t>(i)] = std::is_same_v<T, float> ? static_cast<T>(static_cast<float>(h >> 8) * 0x1p-24f)
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
  void by_index();
  void compactions();
  void transpositions();

 private:
  template <class T>
  void scan_of(const char* type);
  template <class T>
  void segments_of(const char* type, const std::string& law, const std::vector<std::int64_t>& offsets,
                   const DeviceVector<std::int64_t>& offsets_there, const DeviceVector<std::int32_t>& keys);
  template <class T>
  void sums_by_index(const char* hits, std::int64_t bins, const std::vector<std::int32_t>& keys,
                     const DeviceVector<std::int32_t>& keys_there);
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
};

template <class T>
void Bench::scan_of(const char* type) {
  const std::int64_t n = std::int64_t{1} << 28;
  const std::vector<T> values = some_values<T>(n);
  DeviceVector<T> there(values), out(n);
  const VectorView<const T> given = there.view();
  papilio::ScanOptions options{.cuda_stream = stream()};
  DeviceVector<std::byte> workspace(papilio::scan_workspace_bytes<T>(given, out.view(), options));
  options.workspace = workspace.view();
  const auto cub = [&](void* memory, std::int64_t bytes) { return cub_scan<T>(memory, bytes, there.data(), out.data(), n); };
  Temporary temporary(cub);
  measure(
      Record("scan").set("type", type).set("values", n), 2.0 * sizeof(T) * static_cast<double>(n),
      [&] { papilio::scan<T>(given, out.view(), options); },
      [&] {
        std::vector<T> expected(values.size());
        papilio::scan<T>(VectorView<const T>(values), expected);
        require_same(out, expected);
      },
      {{"cub", [&] { cub(temporary.data(), temporary.size()); }}});
}

void Bench::scans() {
  scan_of<std::int32_t>("int32");
  scan_of<float>("float");
}

// Offsets of segments of a law, up to n.
std::vector<std::int64_t> offsets_of(double mean, std::int64_t n) {
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t i = 0; offsets.back() < n; ++i) {
    const double u = hashed(i) * 0x1p-32;
    // Pareto with exponent 1.2 where the mean is 0, else from half the mean to 1.5 times it; about 1: 0, 1 or 2.
    const double length = mean == 0 ? std::pow(1 - u, -1 / 1.2) : mean == 1 ? 3 * u : mean * (0.5 + u);
    offsets.push_back(std::min<std::int64_t>(n, offsets.back() + static_cast<std::int64_t>(std::min(length, 1e9))));
  }
  return offsets;
}

template <class T>
void Bench::segments_of(const char* type, const std::string& law, const std::vector<std::int64_t>& offsets,
                        const DeviceVector<std::int64_t>& offsets_there, const DeviceVector<std::int32_t>& keys) {
  const std::int64_t n = offsets.back(), segments = static_cast<std::int64_t>(offsets.size()) - 1;
  const std::vector<T> values = some_values<T>(n);
  DeviceVector<T> there(values), out(std::max(n, segments));
  DeviceVector<std::int32_t> keys_out(n);
  DeviceVector<std::int64_t> runs(1);
  const VectorView<const T> given = there.view();
  const VectorView<const std::int64_t> starts = offsets_there.view();
  const VectorView<T> scanned(out.data(), n, device()), reduced(out.data(), segments, device());
  const double both = static_cast<double>(n) * sizeof(T) + 8.0 * static_cast<double>(segments);

  papilio::ScanOptions scan_options{.cuda_stream = stream()};
  DeviceVector<std::byte> scan_workspace(papilio::segmented_scan_workspace_bytes<T>(starts, given, scanned, scan_options));
  scan_options.workspace = scan_workspace.view();
  const auto cub_scan = [&](void* memory, std::int64_t bytes) {
    return cub_scan_by_key<T>(memory, bytes, keys.data(), there.data(), out.data(), n);
  };
  Temporary scan_temporary(cub_scan);
  measure(
      Record("segmented_scan").set("type", type).set("law", law).set("segments", segments),
      both + static_cast<double>(n) * sizeof(T),
      [&] { papilio::segmented_scan<T>(starts, given, scanned, scan_options); },
      [&] {
        std::vector<T> expected(values.size());
        papilio::segmented_scan<T>(VectorView<const std::int64_t>(offsets), VectorView<const T>(values), expected);
        require_same(out, expected);
      },
      {{"cub_by_key", [&] { cub_scan(scan_temporary.data(), scan_temporary.size()); }}});

  papilio::SegmentedReduceOptions options{.cuda_stream = stream()};
  DeviceVector<std::byte> workspace(papilio::segmented_reduce_workspace_bytes<T>(starts, given, reduced, options));
  options.workspace = workspace.view();
  const auto by_key = [&](void* memory, std::int64_t bytes) {
    return cub_reduce_by_key<T>(memory, bytes, keys.data(), there.data(), keys_out.data(), out.data(), runs.data(), n);
  };
  const auto by_offsets = [&](void* memory, std::int64_t bytes) {
    return cub_segmented_reduce<T>(memory, bytes, offsets_there.data(), segments, there.data(), out.data());
  };
  Temporary key_temporary(by_key), offset_temporary(by_offsets);
  measure(
      Record("segmented_reduce").set("type", type).set("law", law).set("segments", segments),
      both + static_cast<double>(segments) * sizeof(T),
      [&] { papilio::segmented_reduce<T>(starts, given, reduced, options); },
      [&] {
        std::vector<T> expected(static_cast<std::size_t>(segments));
        papilio::segmented_reduce<T>(VectorView<const std::int64_t>(offsets), VectorView<const T>(values), expected);
        require_same(out, expected);
      },
      {{"cub_by_key", [&] { by_key(key_temporary.data(), key_temporary.size()); }},
       {"cub_segmented", [&] { by_offsets(offset_temporary.data(), offset_temporary.size()); }}});
}

void Bench::segments() {
  const std::int64_t n = std::int64_t{1} << 26;
  struct Law {
    const char* name;
    double mean;
  };
  const std::vector<Law> all = {{"1", 1},       {"4", 4},       {"16", 16},   {"64", 64},   {"256", 256},
                                {"4096", 4096}, {"1e7", 10'000'000}, {"Pareto", 0}};
  const std::vector<Law> few = {{"1", 1}, {"64", 64}, {"1e7", 10'000'000}};
  for (const Law& law : quick_ ? few : all) {
    if (report_.stop(std::string("segments, ") + law.name)) return;
    const std::vector<std::int64_t> offsets = offsets_of(law.mean, n);
    std::vector<std::int32_t> key_of(static_cast<std::size_t>(n));
    for_all(static_cast<std::int64_t>(offsets.size()) - 1, [&](std::int64_t s) {
      const auto at = static_cast<std::size_t>(s);
      std::fill(key_of.begin() + offsets[at], key_of.begin() + offsets[at + 1], static_cast<std::int32_t>(s));
    });
    const DeviceVector<std::int64_t> offsets_there(offsets);
    const DeviceVector<std::int32_t> keys(key_of);
    segments_of<std::int32_t>("int32", law.name, offsets, offsets_there, keys);
    segments_of<float>("float", law.name, offsets, offsets_there, keys);
  }
}

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
  measure(Record("counts").set("hits", hits).set("bins", bins), 4.0 * static_cast<double>(n), ours,
          [&] {
            std::vector<std::int32_t> expected(zeros);
            papilio::reduce_by_index<std::int32_t, std::int32_t>(VectorView<const std::int32_t>(keys),
                                                                 VectorView<std::int32_t>(expected));
            require_same(out, expected);
          },
          peers);
}

template <class T>
void Bench::sums_by_index(const char* hits, std::int64_t bins, const std::vector<std::int32_t>& keys,
                          const DeviceVector<std::int32_t>& keys_there) {
  const std::int64_t n = keys_there.size();
  const std::vector<T> values = some_values<T>(n), zeros(static_cast<std::size_t>(bins));
  DeviceVector<T> there(values), out(zeros);
  const VectorView<const std::int32_t> by = keys_there.view();
  const VectorView<const T> given = there.view();
  papilio::ReduceByIndexOptions options{.cuda_stream = stream()};
  DeviceVector<std::byte> workspace(
      papilio::reduce_by_index_workspace_bytes<std::int32_t, T>(by, given, out.view(), options));
  options.workspace = workspace.view();
  measure(
      Record(std::is_same_v<T, float> ? "sums of float" : "sums of int32").set("hits", hits).set("bins", bins),
      (4.0 + sizeof(T)) * static_cast<double>(n),
      [&] { papilio::reduce_by_index<std::int32_t, T>(by, given, out.view(), options); },
      [&] {
        std::vector<T> expected(zeros);
        papilio::reduce_by_index<std::int32_t, T>(VectorView<const std::int32_t>(keys), VectorView<const T>(values), expected);
        require_same(out, expected);
      },
      {{"atomic", [&] { queue_atomic_sums<T>(keys_there.data(), there.data(), n, out.data()); }}});
}

void Bench::by_index() {
  const std::int64_t n = std::int64_t{1} << 26;
  const std::vector<std::int64_t> all = {1, 256, 4096, 65'536, 1'000'000, 100'000'000, 1'000'000'000};
  const std::vector<std::int64_t> few = {256, 65'536, 100'000'000};
  for (const std::int64_t bins : quick_ ? few : all) {
    for (const char* const hits : {"uniform", "zipf", "one"}) {
      const bool zipf = hits[0] == 'z', one = hits[0] == 'o';
      if ((bins == 1 && !one) || (bins > 100'000'000 && one)) continue;
      if (report_.stop(std::string("by index, ") + hits + ", " + std::to_string(bins))) return;
      std::vector<std::int32_t> keys(static_cast<std::size_t>(n));
      for_all(n, [&](std::int64_t i) {
        const double u = hashed(i + 12'345) * 0x1p-32;
        const double at = one    ? static_cast<double>(bins / 2)
                          : zipf ? std::exp(u * std::log(static_cast<double>(bins))) - 1  // a bin's weight is as 1 / (b + 1)
                                 : u * static_cast<double>(bins);
        keys[static_cast<std::size_t>(i)] =
            static_cast<std::int32_t>(std::min<std::int64_t>(static_cast<std::int64_t>(at), bins - 1));
      });
      const DeviceVector<std::int32_t> keys_there(keys);
      counts_by_index(hits, bins, keys, keys_there);
      if (bins > 100'000'000) continue;
      sums_by_index<std::int32_t>(hits, bins, keys, keys_there);
      sums_by_index<float>(hits, bins, keys, keys_there);
    }
  }
}

void Bench::compactions() {
  const std::int64_t n = std::int64_t{1} << 27;
  const std::vector<std::int32_t> values = some_values<std::int32_t>(n);
  DeviceVector<std::int32_t> there(values), out(n);
  DeviceVector<std::int64_t> count(1);
  for (const double share : {0.05, 0.5, 0.95}) {
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(n));
    for_all(n, [&](std::int64_t i) { flags[static_cast<std::size_t>(i)] = hashed(i + 777) * 0x1p-32 < share ? 1 : 0; });
    DeviceVector<std::uint8_t> flags_there(flags);
    const VectorView<const std::int32_t> given = there.view();
    const VectorView<const std::uint8_t> by = flags_there.view();
    papilio::CompactOptions options{.count = count.view(), .cuda_stream = stream()};
    DeviceVector<std::byte> workspace(
        papilio::compact_workspace_bytes<std::uint8_t, std::int32_t>(by, given, out.view(), options));
    options.workspace = workspace.view();
    const auto cub = [&](void* memory, std::int64_t bytes) {
      return cub_select<std::int32_t>(memory, bytes, flags_there.data(), there.data(), out.data(), count.data(), n);
    };
    Temporary temporary(cub);
    measure(
        Record("compact").set("type", "int32").set("share", share), (1 + 4 + 4 * share) * static_cast<double>(n),
        [&] { papilio::compact<std::uint8_t, std::int32_t>(by, given, out.view(), options); },
        [&] {
          std::vector<std::int32_t> expected(values.size());
          const std::int64_t kept = papilio::compact<std::uint8_t, std::int32_t>(
              VectorView<const std::uint8_t>(flags), VectorView<const std::int32_t>(values), expected);
          expected.resize(static_cast<std::size_t>(kept));
          require_same(out, expected);
          if (count.to_host(0, 1)[0] != kept) throw std::runtime_error("wrong count");
        },
        {{"cub", [&] { cub(temporary.data(), temporary.size()); }}});
  }
}

template <class T>
void Bench::transposition_of(const char* type, std::int64_t rows, std::int64_t columns, std::int64_t batch) {
  const std::int64_t n = rows * columns * batch;
  std::vector<T> values(static_cast<std::size_t>(n));
  for_all(n, [&](std::int64_t i) { values[static_cast<std::size_t>(i)] = static_cast<T>(hashed(i) >> 8); });
  DeviceVector<T> there(values), out(n);
  const papilio::MatrixView<const T> in(there.data(), rows, columns, columns, 1, device());
  const papilio::MatrixView<T> transposed(out.data(), columns, rows, rows, 1, device());
  const papilio::TransposeOptions options{.batch = batch,
                                          .in_batch_stride = rows * columns,
                                          .out_batch_stride = rows * columns,
                                          .cuda_stream = stream()};
  measure(
      Record("transpose").set("type", type).set("rows", rows).set("columns", columns).set("batch", batch),
      2.0 * sizeof(T) * static_cast<double>(n), [&] { papilio::transpose<T>(in, transposed, options); },
      [&] {
        std::vector<T> expected(values.size());
        papilio::transpose<T>({values.data(), rows, columns, columns}, {expected.data(), columns, rows, rows},
                              {.batch = batch, .in_batch_stride = rows * columns, .out_batch_stride = rows * columns});
        require_same(out, expected);
      },
      {{"plain", [&] { queue_plain_transposition<T>(there.data(), out.data(), rows, columns, batch); }}});
}

void Bench::transpositions() {
  struct Shape {
    std::int64_t rows, columns, batch;
  };
  const std::vector<Shape> all = {{8192, 8192, 1},       {4096, 16'384, 1},   {16'384, 4096, 1}, {2, 33'554'432, 1},
                                  {33'554'432, 2, 1},    {16, 4'194'304, 1},  {4'194'304, 16, 1}, {1000, 67'108, 1},
                                  {67'108, 1000, 1},     {8191, 8193, 1},     {256, 256, 1024},   {64, 64, 16'384},
                                  {8, 8, 1'048'576}};
  const std::vector<Shape> few = {{8192, 8192, 1}, {33'554'432, 2, 1}, {8191, 8193, 1}};
  for (const Shape& shape : quick_ ? few : all) {
    if (report_.stop("transpose, " + std::to_string(shape.rows) + " rows")) return;
    transposition_of<float>("float", shape.rows, shape.columns, shape.batch);
    transposition_of<double>("double", shape.rows, shape.columns, shape.batch);
  }
}

struct Arguments {
  std::string json, cases = "scan,segments,by_index,compact,transpose";
  double limit = 1e9;
  bool quick = false;

  bool wants(const std::string& which) const {
    return ("," + cases + ",").find("," + which + ",") != std::string::npos;
  }
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--quick") {
      arguments.quick = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const char* value = argv[++i];
    if (name == "--json")
      arguments.json = value;
    else if (name == "--cases")
      arguments.cases = value;
    else if (name == "--limit")
      arguments.limit = std::atof(value);
    else
      return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fputs(usage, stderr);
    return 64;
  }
  try {
    Report report(arguments.json, describe_device() + ", \"papilio\": \"" + papilio::version() + "\"", arguments.limit);
    Bench bench(report, arguments.quick);
    if (arguments.wants("scan")) bench.scans();
    if (arguments.wants("segments")) bench.segments();
    if (arguments.wants("by_index")) bench.by_index();
    if (arguments.wants("compact")) bench.compactions();
    if (arguments.wants("transpose")) bench.transpositions();
    report.save();
    if (report.failures() > 0) std::fprintf(stderr, "%d cases failed\n", report.failures());
    return report.failures() > 0 ? 1 : 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "papilio_primitives_cuda_bench: %s\n", e.what());
    return 1;
  }
}
