// Tokens of language models on a CUDA device: `sample_tokens` beside a kernel that only reads the logits.
//
//   papilio_tokens_cuda_bench [--json FILE] [--limit SECONDS] [--quick]
//
// Rows of 131,072 logits, normal numbers times 3. What a call draws is compared with the CPU first, to the bit, and so
// is what a replay of it in a CUDA graph draws, which is timed as well.

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "arguments.h"
#include "ceilings.h"
#include "device.h"
#include "papilio/tokens.h"
#include "report.h"

namespace {

constexpr std::int64_t categories = 131072, most_rows = 512, room = 64;

struct Case {
  std::string name;
  papilio::TokenFilters filters;
  bool kept = false, mass = false;
};

std::vector<Case> cases() {
  const auto filtered = [](float temperature, std::int32_t top_k, float top_p, float min_p) {
    papilio::TokenFilters filters;
    filters.temperature = temperature;
    filters.top_k = top_k;
    filters.top_p = top_p;
    filters.min_p = min_p;
    return filters;
  };
  return {{"top_k 50, top_p 0.9, min_p 0.01; log probability, kept set", filtered(0.8f, 50, 0.9f, 0.01f), true},
          {"the same, and the kept mass", filtered(0.8f, 50, 0.9f, 0.01f), true, true},
          {"temperature 0", filtered(0, 0, 1, 0)},
          {"top_k 1,024, top_p 0.9", filtered(0.8f, 1024, 0.9f, 0)},
          {"top_p 0.9", filtered(0.8f, 0, 0.9f, 0)},
          {"min_p 0.05", filtered(0.8f, 0, 1, 0.05f)},
          {"no filter", filtered(0.8f, 0, 1, 0)}};
}

// What a call gives, in memory of the device or the host.
template <template <class> class Array>
struct Results {
  Array<std::int32_t> tokens = Array<std::int32_t>(most_rows), counts = Array<std::int32_t>(most_rows),
                      kept = Array<std::int32_t>(most_rows * room);
  Array<float> logs = Array<float>(most_rows), masses = Array<float>(most_rows),
               kept_logs = Array<float>(most_rows * room);
  Array<papilio::TokenStatus> status = Array<papilio::TokenStatus>(most_rows);
};

template <class T>
using HostVector = std::vector<T>;

template <class Arrays>
papilio::TokenResults results_of(Arrays& arrays, const Case& which, std::int64_t rows, papilio::Device device) {
  const auto view = [&](auto& array) { return papilio::VectorView(array.data(), rows, device); };
  papilio::TokenResults results = {.tokens = view(arrays.tokens)};
  results.log_probabilities = view(arrays.logs);
  results.status = view(arrays.status);
  if (which.mass) results.kept_masses = view(arrays.masses);
  if (!which.kept) return results;
  results.kept_counts = view(arrays.counts);
  results.kept_categories = {arrays.kept.data(), rows, room, room, 1, device};
  results.kept_log_probabilities = {arrays.kept_logs.data(), rows, room, room, 1, device};
  return results;
}

template <class T>
class Rows {
 public:
  explicit Rows(const std::vector<float>& logits) : host_(logits.size()) {
    for (std::size_t n = 0; n < logits.size(); ++n) {
      if constexpr (std::is_same_v<T, float>)
        host_[n] = logits[n];
      else
        host_[n] = papilio::to_bfloat16(logits[n]);
    }
    device_ = DeviceVector<T>(host_);
  }

  void measure(const Case& which, std::int64_t rows, Report& report, const Effort& effort) {
    const char* const type = std::is_same_v<T, float> ? "float" : "bfloat16";
    Record record("tokens");
    record.set("filters", which.name).set("type", type).set("rows", rows);
    draw(device_.data(), on_device_, which, rows, device());
    draw(host_.data(), on_host_, which, rows, papilio::Device::cpu());
    if (!same(rows, which.kept)) return report.fail(record, "the device draws what the CPU does not");
    const auto call = [&] { draw(device_.data(), on_device_, which, rows, device()); };
    const Timing timing = time_launches([&](int) { call(); }, effort);
    const Graph graph(call);
    draw(device_.data(), on_device_, which, rows, device(), 8);  // other tokens, which the replay has to replace
    graph.replay();
    if (!same(rows, which.kept)) return report.fail(record, "a replay draws what the CPU does not");
    const Timing replay = time_launches([&](int) { graph.replay(); }, effort);
    const std::int64_t bytes = rows * categories * static_cast<std::int64_t>(sizeof(T));
    DeviceVector<std::uint32_t> sink(1);
    const FastestRead read = fastest_read([&](int) { return device_.data(); }, bytes, sink.data());
    record.set("ms", timing.median_ms).set("graph_ms", replay.median_ms).set("read_ms", read.timing.median_ms);
    report.add(record.set("of_read", read.timing.median_ms / timing.median_ms));
  }

 private:
  template <class Arrays>
  static void draw(const T* logits, Arrays& arrays, const Case& which, std::int64_t rows, papilio::Device where,
                   std::uint64_t seed = 7) {
    papilio::TokenOptions options = {.seed = seed};
    if (!where.is_cpu()) options.cuda_stream = stream();
    papilio::sample_tokens(papilio::MatrixView<const T>(logits, rows, categories, categories, 1, where),
                           results_of(arrays, which, rows, where), which.filters, options);
  }

  bool same(std::int64_t rows, bool kept) const {
    const auto n = static_cast<std::ptrdiff_t>(rows);
    const auto equal = [](const auto& there, const auto& here, std::ptrdiff_t count) {
      const auto found = there.to_host(0, count);
      return std::equal(found.begin(), found.end(), here.begin());
    };
    return equal(on_device_.tokens, on_host_.tokens, n) && equal(on_device_.logs, on_host_.logs, n) &&
           (!kept || (equal(on_device_.counts, on_host_.counts, n) && equal(on_device_.kept, on_host_.kept, n * room)));
  }

  std::vector<T> host_;
  DeviceVector<T> device_;
  Results<DeviceVector> on_device_;
  Results<HostVector> on_host_;
};

int run(const Arguments& arguments) {
  Report report(arguments.json, describe_device(), arguments.limit);
  std::vector<float> logits(static_cast<std::size_t>(most_rows * categories));
  std::mt19937_64 bits(1);
  std::normal_distribution<float> normal(0, 3);
  for (float& x : logits) x = normal(bits);
  Rows<float> floats(logits);
  Rows<papilio::BFloat16> shorts(logits);
  const Effort effort = arguments.quick ? Effort{0.01, 3, 5} : Effort{0.05, 10, 40};
  for (const Case& which : cases())
    for (const std::int64_t rows : {512, 64, 8, 1}) {
      if (report.stop(which.name)) return 0;
      floats.measure(which, rows, report, effort);
      shorts.measure(which, rows, report, effort);
      report.save();
    }
  return report.failures() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!arguments.parse(argc, argv)) {
    fmt::print(stderr, "usage: papilio_tokens_cuda_bench [--json FILE] [--limit SECONDS] [--quick]\n");
    return 2;
  }
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "papilio_tokens_cuda_bench: {}\n", error.what());
    return 1;
  }
}
