// Random walks on a weighted graph by the law of node2vec: a walker that came from t to v goes on to x with weight
// w(v, x) / p if x is t, w(v, x) if x is a neighbour of t, w(v, x) / q otherwise (Grover and Leskovec, KDD 2016).
// All walkers take a step in one call. Checks the steps on the few packages below against their exact law.
//
// The graph is that of Debian's packages: the few below or, given a file such as the output of
// `apt-cache dumpavail` or /var/lib/dpkg/status, all packages that it lists.

#include <papilio/sampling.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/packages.h"

namespace {

const char* const few_packages =
    "Package: adduser\nDepends: passwd\n"
    "Package: apt\nDepends: adduser, gpgv | gpgv2, libapt-pkg6.0 (>= 2.6.1), libc6 (>= 2.34), libsystemd0\n"
    "Package: bash\nDepends: libc6 (>= 2.36), libtinfo6 (>= 6)\nRecommends: bash-completion\n"
    "Package: coreutils\nDepends: libacl1 (>= 2.2.23), libc6 (>= 2.34), libselinux1 (>= 3.1~)\n"
    "Package: dpkg\nDepends: tar (>= 1.28-1), libc6, liblzma5, libselinux1, libzstd1, zlib1g\n"
    "Package: gpgv\nDepends: libc6 (>= 2.34), libgcrypt20 (>= 1.10.0), zlib1g (>= 1:1.1.4)\n"
    "Package: libapt-pkg6.0\nDepends: libc6, libgcrypt20, liblzma5, libsystemd0, libzstd1, zlib1g\nRecommends: apt\n"
    "Package: passwd\nDepends: libc6 (>= 2.36), libselinux1 (>= 3.1~)\nRecommends: sensible-utils\n"
    "Package: tar\nDepends: libacl1 (>= 2.2.23), libc6 (>= 2.34), libselinux1 (>= 3.1~)\n";

constexpr double p = 4, q = 0.5;

// The weight of each step from v, for a walker that came from t; for none, t is v.
std::vector<double> weights_of(const PackageGraph& graph, std::int32_t t, std::int32_t v, double back, double out) {
  std::vector<double> weights;
  for (const auto& [x, w] : graph.around(v))
    weights.push_back(t == v || graph.around(t).contains(x) ? w : x == t ? w / back : w / out);
  return weights;
}

using Steps = std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int64_t>>;  // (t, v): counts of each x

// Chi-square of the steps under the law of (p, q) = (back, out), less its expectation, in standard deviations. Only
// from where each x is expected five times.
double deviation(const PackageGraph& graph, const Steps& steps, double back, double out) {
  double chi_square = 0, degrees = 0;
  for (const auto& [from, counts] : steps) {
    const std::vector<double> weights = weights_of(graph, from.first, from.second, back, out);
    double total = 0, n = 0;
    for (const double w : weights) total += w;
    for (const std::int64_t count : counts) n += static_cast<double>(count);
    if (n * *std::min_element(weights.begin(), weights.end()) < 5 * total) continue;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double expected = n * weights[i] / total, off = static_cast<double>(counts[i]) - expected;
      chi_square += off * off / expected;
    }
    degrees += static_cast<double>(weights.size()) - 1;
  }
  return (chi_square - degrees) / std::sqrt(2 * degrees);
}

}  // namespace

int main(int argc, char** argv) {
  std::istringstream few(few_packages);
  std::ifstream file(argc > 1 ? argv[1] : "");
  PackageGraph graph = read_packages(argc > 1 ? static_cast<std::istream&>(file) : few);
  std::vector<std::int32_t> linked;
  for (std::size_t v = 0; v < graph.edges.size(); ++v)
    if (!graph.edges[v].empty()) linked.push_back(static_cast<std::int32_t>(v));
  std::printf("%zu packages\n", linked.size());
  if (linked.empty()) return 1;

  const std::size_t walkers = argc > 1 ? 1000 : 5000;
  std::vector<std::int32_t> before(walkers), at(walkers), drawn(walkers);
  for (std::size_t i = 0; i < walkers; ++i) before[i] = at[i] = linked[i % linked.size()];
  std::vector<std::int64_t> visits(graph.name.size());
  Steps steps;
  for (std::uint64_t step = 0; step < 20; ++step) {
    std::vector<double> weights;
    std::vector<std::int64_t> offsets = {0};
    for (std::size_t i = 0; i < walkers; ++i) {
      const std::vector<double> row = weights_of(graph, before[i], at[i], p, q);
      weights.insert(weights.end(), row.begin(), row.end());
      offsets.push_back(static_cast<std::int64_t>(weights.size()));
    }
    papilio::sample_categorical(papilio::RaggedWeights<double>{weights, offsets}, drawn, {.seed = 5, .stream = step});
    for (std::size_t i = 0; i < walkers; ++i) {
      auto& counts = steps[{before[i], at[i]}];
      counts.resize(graph.around(at[i]).size());
      ++counts[static_cast<std::size_t>(drawn[i])];
      before[i] = at[i];
      at[i] = std::next(graph.around(at[i]).begin(), drawn[i])->first;
      ++visits[static_cast<std::size_t>(at[i])];
    }
  }

  std::vector<std::int32_t> order = linked;
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return visits[static_cast<std::size_t>(a)] > visits[static_cast<std::size_t>(b)];
  });
  for (std::size_t i = 0; i < 8 && i < order.size(); ++i) {
    const auto v = static_cast<std::size_t>(order[i]);
    std::printf("%-16s %5.2f %% of steps, %zu neighbours\n", graph.name[v].c_str(),
                100 * static_cast<double>(visits[v]) / (20 * static_cast<double>(walkers)), graph.edges[v].size());
  }
  if (argc > 1) return 0;

  // The few packages are visited often enough to test the law of each step, and to reject the law without p and q.
  const double exact = deviation(graph, steps, p, q), without = deviation(graph, steps, 1, 1);
  std::printf("chi-square: %.1f standard deviations from expected; without p and q %.0f\n", exact, without);
  bool good = std::abs(exact) < 4 && without > 4;
  // By hand: all edges of gpgv weigh 2, and apt has one to libc6, but none to libgcrypt20 and zlib1g. So after
  // apt and gpgv the weights are 2 / p, 2, 2 / q, 2 / q, or 1 : 4 : 8 : 8.
  const std::map<std::string, double> law = {{"apt", 1}, {"libc6", 4}, {"libgcrypt20", 8}, {"zlib1g", 8}};
  const std::vector<std::int64_t>& counts = steps.at({graph.node("apt"), graph.node("gpgv")});
  const auto n = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  auto count = counts.begin();
  for (const auto& [x, w] : graph.around(graph.node("gpgv"))) {
    const std::string& name = graph.name[static_cast<std::size_t>(x)];
    const double expected = law.at(name) / 21, error = std::sqrt(expected * (1 - expected) / n);
    const double seen = static_cast<double>(*count++) / n;
    std::printf("from apt by gpgv to %-11s %.3f +- %.3f, exact %.3f\n", name.c_str(), seen, error, expected);
    good = good && std::abs(seen - expected) < 3 * error;
  }
  return good ? 0 : 1;
}
