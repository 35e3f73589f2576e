// Tokens of language models on a CUDA device: `sample_tokens` beside a kernel that only reads the logits.
//
//   papilio_tokens_cuda_bench [--json FILE] [--limit SECONDS] [--quick] [--cases NAMES]
//
// NAMES, between commas: filters, own (filters per row), flat (much is kept), plain (no filter, with and without
// log probabilities), changes (masks, biases, ranks). Rows of 131,072 logits, normal numbers times 3; for one case
// equal ones, for another some that are larger. What a call draws is compared with the CPU first, to the bit, and so is
// what a replay of it in a CUDA graph draws, which is timed as well.

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

constexpr std::int64_t categories = 131072, most_rows = 512, room = 64, biased_categories = 256;

constexpr const char* token_alone = "no filter, the token alone";
constexpr const char* all_filters = "top_k 50, top_p 0.9, min_p 0.01; log probability, kept set";

// Filters as one value for all rows, as arrays of equal values (`top_p_per_row`: top_p alone), or as arrays of requests
// of different kinds.
enum class Given { for_all, per_row, top_p_per_row, mixed };

struct Case {
  std::string group, name;
  papilio::TokenFilters filters;
  bool kept = false, mass = false;
  bool masked = false, biased = false, ranks = false;
  bool alone = false;  // the token, without its log probability
  Given given = Given::for_all;
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
  const auto masked = [](const std::string& name, const papilio::TokenFilters& filters, bool kept = false) {
    const std::string allowed = (kept ? "; " : ", ") + std::string("half of the categories allowed");
    return Case{.group = "changes", .name = name + allowed, .filters = filters, .kept = kept, .masked = true};
  };
  const auto own = [](const std::string& name, Given given, bool kept) {
    const std::string results = kept ? "; log probability, kept set" : "; log probability";
    return Case{.group = "own", .name = name + results, .filters = {}, .kept = kept, .given = given};
  };
  return {{"filters", all_filters, filtered(0.8f, 50, 0.9f, 0.01f), true},
          {"filters", "the same, and the kept mass", filtered(0.8f, 50, 0.9f, 0.01f), true, true},
          own("top_k 50, top_p 0.9, min_p 0.01, each per row", Given::per_row, true),
          own("top_p 0.9 per row", Given::top_p_per_row, false),
          own("a mixture of requests", Given::mixed, true),
          own("a mixture of requests", Given::mixed, false),
          {"filters", "temperature 0", filtered(0, 0, 1, 0)},
          {"filters", "top_k 1,024, top_p 0.9", filtered(0.8f, 1024, 0.9f, 0)},
          {"filters", "top_p 0.9", filtered(0.8f, 0, 0.9f, 0)},
          {"filters", "top_p 0.9; log probability, kept set", filtered(0.8f, 0, 0.9f, 0), true},
          {"filters", "top_p 0.9, temperature 0.6", filtered(0.6f, 0, 0.9f, 0)},
          {"flat", "top_p 0.9, temperature 1", filtered(1, 0, 0.9f, 0)},
          {"flat", "top_p 0.9, temperature 3", filtered(3, 0, 0.9f, 0)},
          {"flat", "top_p 0.99", filtered(0.8f, 0, 0.99f, 0)},
          {"filters", "min_p 0.05", filtered(0.8f, 0, 1, 0.05f)},
          {"plain", "no filter", filtered(0.8f, 0, 1, 0)},
          masked("no filter", filtered(0.8f, 0, 1, 0)),
          masked("top_p 0.9", filtered(0.8f, 0, 0.9f, 0)),
          masked(all_filters, filtered(0.8f, 50, 0.9f, 0.01f), true),
          masked("temperature 0", filtered(0, 0, 1, 0)),
          {.group = "changes",
           .name = "no filter, a bias of 256 categories",
           .filters = filtered(0.8f, 0, 1, 0),
           .biased = true},
          {.group = "changes", .name = "no filter, the rank", .filters = filtered(0.8f, 0, 1, 0), .ranks = true},
          {.group = "plain", .name = token_alone, .filters = filtered(0.8f, 0, 1, 0), .alone = true}};
}

// What a call gives, in memory of the device or the host.
template <template <class> class Array>
struct Results {
  Array<std::int32_t> tokens = Array<std::int32_t>(most_rows), counts = Array<std::int32_t>(most_rows),
                      kept = Array<std::int32_t>(most_rows * room), ranks = Array<std::int32_t>(most_rows);
  Array<float> logs = Array<float>(most_rows), masses = Array<float>(most_rows),
               kept_logs = Array<float>(most_rows * room);
  Array<papilio::TokenStatus> status = Array<papilio::TokenStatus>(most_rows);
};

template <class T>
using HostVector = std::vector<T>;

// Filters per row.
template <template <class> class Array>
struct OwnFilters {
  Array<float> temperature, top_p, min_p;
  Array<std::int32_t> top_k;

  papilio::TokenFilters of(std::int64_t rows, papilio::Device device) const {
    papilio::TokenFilters filters;
    filters.temperature.values = {temperature.data(), rows, device};
    filters.top_k.values = {top_k.data(), rows, device};
    filters.top_p.values = {top_p.data(), rows, device};
    filters.min_p.values = {min_p.data(), rows, device};
    return filters;
  }
};

// Equal filters, all of them or top_p alone; or, mixed, of every eight requests four with top_k and top_p, two with
// top_p, one greedy and one without filters.
OwnFilters<HostVector> make_own(Given given) {
  const bool mixed = given == Given::mixed;
  OwnFilters<HostVector> made;
  for (std::int64_t row = 0; row < most_rows; ++row) {
    const std::int64_t kind = mixed ? row % 8 : given == Given::top_p_per_row ? 4 : 0;
    made.temperature.push_back(kind == 6 ? 0.0f : mixed ? 0.6f + 0.05f * static_cast<float>(row % 5) : 0.8f);
    made.top_k.push_back(kind < 4 ? (mixed ? 20 + static_cast<std::int32_t>(row % 31) : 50) : 0);
    made.top_p.push_back(kind < 6 ? 0.9f : 1.0f);
    made.min_p.push_back(kind < 4 ? 0.01f : 0.0f);
  }
  return made;
}

// A mask per row, and a bias per row of the same size.
template <template <class> class Array>
struct Changes {
  Array<std::uint32_t> allowed;
  Array<std::int64_t> offsets;
  Array<std::int32_t> biased;
  Array<float> values;
  OwnFilters<Array> equal, top_p, mixed;

  papilio::TokenFilters on(const Case& which, std::int64_t rows, papilio::Device device) const {
    if (which.given != Given::for_all)
      return (which.given == Given::mixed ? mixed : which.given == Given::per_row ? equal : top_p).of(rows, device);
    papilio::TokenFilters filters = which.filters;
    if (which.masked) filters.allowed = {allowed.data(), rows, categories / 32, categories / 32, 1, device};
    if (!which.biased) return filters;
    filters.bias_offsets = {offsets.data(), rows + 1, device};
    filters.bias_categories = {biased.data(), rows * biased_categories, device};
    filters.bias_values = {values.data(), rows * biased_categories, device};
    return filters;
  }
};

Changes<HostVector> make_changes() {
  std::mt19937_64 bits(2);
  Changes<HostVector> made;
  for (std::int64_t n = 0; n < most_rows * categories / 32; ++n)
    made.allowed.push_back(static_cast<std::uint32_t>(bits()));
  made.offsets = {0};
  for (std::int64_t row = 0; row < most_rows; ++row) {
    for (std::int64_t n = 0; n < biased_categories; ++n) {
      made.biased.push_back(static_cast<std::int32_t>(n * (categories / biased_categories) + row));
      made.values.push_back(n % 2 == 0 ? -1.0f : 1.0f);
    }
    made.offsets.push_back(static_cast<std::int64_t>(made.biased.size()));
  }
  made.equal = make_own(Given::per_row);
  made.top_p = make_own(Given::top_p_per_row);
  made.mixed = make_own(Given::mixed);
  return made;
}

template <class Arrays>
papilio::TokenResults results_of(Arrays& arrays, const Case& which, std::int64_t rows, papilio::Device device) {
  const auto view = [&](auto& array) { return papilio::VectorView(array.data(), rows, device); };
  papilio::TokenResults results = {.tokens = view(arrays.tokens)};
  if (!which.alone) results.log_probabilities = view(arrays.logs);
  results.status = view(arrays.status);
  if (which.mass) results.kept_masses = view(arrays.masses);
  if (which.ranks) results.ranks = view(arrays.ranks);
  if (!which.kept) return results;
  results.kept_counts = view(arrays.counts);
  results.kept_categories = {arrays.kept.data(), rows, room, room, 1, device};
  results.kept_log_probabilities = {arrays.kept_logs.data(), rows, room, room, 1, device};
  return results;
}

// The same on both sides.
struct ChangesOfRows {
  Changes<HostVector> host = make_changes();
  Changes<DeviceVector> device = {DeviceVector(host.allowed), DeviceVector(host.offsets), DeviceVector(host.biased),
                                  DeviceVector(host.values),  on_device(host.equal),      on_device(host.top_p),
                                  on_device(host.mixed)};

 private:
  static OwnFilters<DeviceVector> on_device(const OwnFilters<HostVector>& of) {
    return {DeviceVector(of.temperature), DeviceVector(of.top_p), DeviceVector(of.min_p), DeviceVector(of.top_k)};
  }
};

template <class T>
class Rows {
 public:
  Rows(const std::vector<float>& logits, const ChangesOfRows& changes) : host_(logits.size()), changes_(changes) {
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
    const auto call = [&](std::uint64_t seed = 7) {
      draw(device_.data(), changes_.device, on_device_, which, rows, device(), seed);
    };
    call();
    draw(host_.data(), changes_.host, on_host_, which, rows, papilio::Device::cpu());
    if (!same(rows, which)) return report.fail(record, "the device draws what the CPU does not");
    const Timing timing = time_launches([&](int) { call(); }, effort);
    const Graph graph(call);
    call(8);  // other tokens, which the replay has to replace
    graph.replay();
    if (!same(rows, which)) return report.fail(record, "a replay draws what the CPU does not");
    const Timing replay = time_launches([&](int) { graph.replay(); }, effort);
    const std::int64_t bytes = rows * categories * static_cast<std::int64_t>(sizeof(T));
    DeviceVector<std::uint32_t> sink(1);
    const FastestRead read = fastest_read([&](int) { return device_.data(); }, bytes, sink.data());
    record.set("ms", timing.median_ms).set("graph_ms", replay.median_ms).set("read_ms", read.timing.median_ms);
    report.add(record.set("of_read", read.timing.median_ms / timing.median_ms));
  }

 private:
  template <template <class> class Array>
  static void draw(const T* logits, const Changes<Array>& changes, Results<Array>& results, const Case& which,
                   std::int64_t rows, papilio::Device where, std::uint64_t seed = 7) {
    papilio::TokenOptions options = {.seed = seed};
    if (!where.is_cpu()) options.cuda_stream = stream();
    papilio::sample_tokens(papilio::MatrixView<const T>(logits, rows, categories, categories, 1, where),
                           results_of(results, which, rows, where), changes.on(which, rows, where), options);
  }

  bool same(std::int64_t rows, const Case& which) const {
    const auto n = static_cast<std::ptrdiff_t>(rows);
    const auto equal = [](const auto& there, const auto& here, std::ptrdiff_t count) {
      const auto found = there.to_host(0, count);
      return std::equal(found.begin(), found.end(), here.begin());
    };
    return equal(on_device_.tokens, on_host_.tokens, n) && (which.alone || equal(on_device_.logs, on_host_.logs, n)) &&
           (!which.ranks || equal(on_device_.ranks, on_host_.ranks, n)) &&
           (!which.kept ||
            (equal(on_device_.counts, on_host_.counts, n) && equal(on_device_.kept, on_host_.kept, n * room)));
  }

  std::vector<T> host_;
  DeviceVector<T> device_;
  const ChangesOfRows& changes_;
  Results<DeviceVector> on_device_;
  Results<HostVector> on_host_;
};

// Rows of the same logits in both types.
struct BothTypes {
  Rows<float> floats;
  Rows<papilio::BFloat16> shorts;

  BothTypes(const std::vector<float>& logits, const ChangesOfRows& changes)
      : floats(logits, changes), shorts(logits, changes) {}

  // Returns false if the time is over.
  bool measure(const Case& which, Report& report, const Effort& effort) {
    for (const std::int64_t rows : {512, 64, 8, 1}) {
      if (report.stop(which.name)) return false;
      floats.measure(which, rows, report, effort);
      shorts.measure(which, rows, report, effort);
      report.save();
    }
    return true;
  }
};

Case renamed(const std::string& from, const std::string& to) {
  for (Case& which : cases())
    if (which.name == from) {
      which.name = from + to;
      return which;
    }
  throw std::logic_error("no case " + from);
}

int run(const Arguments& arguments) {
  Report report(arguments.json, describe_device(), arguments.limit);
  std::vector<float> logits(static_cast<std::size_t>(most_rows * categories));
  std::mt19937_64 bits(1);
  std::normal_distribution<float> normal(0, 3);
  for (float& x : logits) x = normal(bits);
  const ChangesOfRows changes;
  const Effort effort = arguments.quick ? Effort{0.01, 3, 5} : Effort{0.05, 10, 40};
  {
    BothTypes rows(logits, changes);
    for (const Case& which : cases())
      if (arguments.wants(which.group) && !rows.measure(which, report, effort)) return 0;
  }
  if (arguments.wants("plain")) {
    // What rough sums are not enough for.
    BothTypes rows(std::vector<float>(logits.size(), 1.5f), changes);
    if (!rows.measure(renamed(token_alone, ", equal logits"), report, effort)) return 0;
  }
  if (arguments.wants("filters")) {
    // Large logits that are next to each other.
    for (std::size_t n = 0; n < logits.size(); ++n)
      if (n % categories < categories / 8) logits[n] += 6;
    BothTypes rows(logits, changes);
    if (!rows.measure(renamed(all_filters, ", the first eighth 2 deviations larger"), report, effort)) return 0;
  }
  return report.failures() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments{.cases = "filters,own,flat,plain,changes"};
  if (!arguments.parse(argc, argv)) {
    fmt::print(stderr, "usage: papilio_tokens_cuda_bench [--json FILE] [--limit SECONDS] [--quick] [--cases NAMES]\n");
    return 2;
  }
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "papilio_tokens_cuda_bench: {}\n", error.what());
    return 1;
  }
}
