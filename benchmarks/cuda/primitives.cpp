// The primitives on a CUDA device, beside a copy of as many bytes, CUB and plain kernels. Every answer is compared with
// the CPU's, byte by byte, before it is timed.

#include <cmath>
#include <cstdio>

#include "arguments.h"
#include "papilio/version.h"
#include "primitives_bench.h"

namespace {

constexpr const char* usage =
    "usage: papilio_primitives_cuda_bench [--json FILE] [--cases LIST] [--limit SECONDS] [--bins NUMBER] [--quick]\n"
    "\n"
    "  --json FILE      keep all figures there\n"
    "  --cases LIST     of scan,segments,by_index,compact,transpose (all)\n"
    "  --limit SECONDS  begin nothing new after this time\n"
    "  --bins NUMBER    by_index: this number of bins only\n"
    "  --quick          a few cases only\n";

}  // namespace

template <class T>
void Bench::scan_of(const char* type) {
  const std::int64_t n = std::int64_t{1} << 28;
  const std::vector<T> values = some_values<T>(n);
  DeviceVector<T> there(values), out(n);
  const VectorView<const T> given = there.view();
  papilio::ScanOptions options{.cuda_stream = stream()};
  DeviceVector<std::byte> workspace(papilio::scan_workspace_bytes<T>(given, out.view(), options));
  options.workspace = workspace.view();
  const auto cub = [&](void* memory, std::int64_t bytes) {
    return cub_scan<T>(memory, bytes, there.data(), out.data(), n);
  };
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
static std::vector<std::int64_t> offsets_of(double mean, std::int64_t n) {
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
  DeviceVector<std::byte> scan_workspace(
      papilio::segmented_scan_workspace_bytes<T>(starts, given, scanned, scan_options));
  scan_options.workspace = scan_workspace.view();
  const auto cub_scan = [&](void* memory, std::int64_t bytes) {
    return cub_scan_by_key<T>(memory, bytes, keys.data(), there.data(), out.data(), n);
  };
  const auto cub_by_offsets = [&](void* memory, std::int64_t bytes) {
    return cub_segmented_scan<T>(memory, bytes, offsets_there.data(), segments, there.data(), out.data());
  };
  Temporary scan_temporary(cub_scan), scan_by_offsets(cub_by_offsets);
  std::vector<std::pair<const char*, std::function<void()>>> scan_peers = {
      {"cub_by_key", [&] { cub_scan(scan_temporary.data(), scan_temporary.size()); }}};
  if (cub_by_offsets(nullptr, 0) != 0)
    scan_peers.push_back({"cub_segmented", [&] { cub_by_offsets(scan_by_offsets.data(), scan_by_offsets.size()); }});
  measure(
      Record("segmented_scan").set("type", type).set("law", law).set("segments", segments),
      both + static_cast<double>(n) * sizeof(T),
      [&] { papilio::segmented_scan<T>(starts, given, scanned, scan_options); },
      [&] {
        std::vector<T> expected(values.size());
        papilio::segmented_scan<T>(VectorView<const std::int64_t>(offsets), VectorView<const T>(values), expected);
        require_same(out, expected);
      },
      scan_peers);

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
  const std::vector<Law> all = {{"1", 1},     {"4", 4},       {"16", 16},          {"64", 64},
                                {"256", 256}, {"4096", 4096}, {"1e7", 10'000'000}, {"Pareto", 0}};
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
  const papilio::TransposeOptions options{
      .batch = batch, .in_batch_stride = rows * columns, .out_batch_stride = rows * columns, .cuda_stream = stream()};
  std::vector<std::pair<const char*, std::function<void()>>> peers = {
      {"plain", [&] { queue_plain_transposition<T>(there.data(), out.data(), rows, columns, batch); }}};
  if (batch == 1 && cublas_.absence().empty())
    peers.push_back({"geam", [&] { cublas_.transpose<T>(there.data(), out.data(), rows, columns); }});
  measure(
      Record("transpose").set("type", type).set("rows", rows).set("columns", columns).set("batch", batch),
      2.0 * sizeof(T) * static_cast<double>(n), [&] { papilio::transpose<T>(in, transposed, options); },
      [&] {
        std::vector<T> expected(values.size());
        papilio::transpose<T>({values.data(), rows, columns, columns}, {expected.data(), columns, rows, rows},
                              {.batch = batch, .in_batch_stride = rows * columns, .out_batch_stride = rows * columns});
        require_same(out, expected);
      },
      peers);
}

void Bench::transpositions() {
  if (!cublas_.absence().empty()) report_.add(Record("transpose").set("geam", cublas_.absence()));
  struct Shape {
    std::int64_t rows, columns, batch;
  };
  const std::vector<Shape> all = {{8192, 8192, 1},    {4096, 16'384, 1},  {16'384, 4096, 1},  {2, 33'554'432, 1},
                                  {33'554'432, 2, 1}, {16, 4'194'304, 1}, {4'194'304, 16, 1}, {1000, 67'108, 1},
                                  {67'108, 1000, 1},  {8191, 8193, 1},    {256, 256, 1024},   {64, 64, 16'384},
                                  {8, 8, 1'048'576}};
  const std::vector<Shape> few = {{8192, 8192, 1}, {33'554'432, 2, 1}, {8191, 8193, 1}};
  for (const Shape& shape : quick_ ? few : all) {
    if (report_.stop("transpose, " + std::to_string(shape.rows) + " rows")) return;
    transposition_of<float>("float", shape.rows, shape.columns, shape.batch);
    transposition_of<double>("double", shape.rows, shape.columns, shape.batch);
  }
}

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  Arguments arguments = {.cases = "scan,segments,by_index,compact,transpose", .takes_bins = true};
  if (!arguments.parse(argc, argv)) {
    std::fputs(usage, stderr);
    return 64;
  }
  try {
    Report report(
        arguments.json,
        describe_device() + ", \"papilio\": \"" + papilio::version() + "\", \"cub\": " + std::to_string(cub_version()),
        arguments.limit);
    Bench bench(report, arguments.quick);
    if (arguments.wants("scan")) bench.scans();
    if (arguments.wants("segments")) bench.segments();
    if (arguments.wants("by_index")) bench.by_index(arguments.bins);
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
