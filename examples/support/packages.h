#pragma once

// The graph of Debian's packages, from a list of them in the format of `apt-cache dumpavail` and /var/lib/dpkg/status.

#include <cstdint>
#include <istream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct PackageGraph {
  std::vector<std::string> name;
  std::vector<std::map<std::int32_t, double>> edges;  // weights of a node's edges, by neighbour

  const std::map<std::int32_t, double>& around(std::int32_t v) const { return edges[static_cast<std::size_t>(v)]; }

  void add_edge(std::int32_t a, std::int32_t b, double weight) {
    if (a == b) return;
    edges[static_cast<std::size_t>(a)][b] = edges[static_cast<std::size_t>(b)][a] = weight;
  }

  std::int32_t node(const std::string& package) {
    const auto [found, added] = number_.try_emplace(package, static_cast<std::int32_t>(name.size()));
    if (added) {
      name.push_back(package);
      edges.emplace_back();
    }
    return found->second;
  }

 private:
  std::map<std::string, std::int32_t> number_;
};

// An edge of weight 2 between a package and each that it depends on, of weight 1 for those that it recommends. All
// alternatives count.
inline PackageGraph read_packages(std::istream& in) {
  PackageGraph graph;
  std::string package;
  for (std::string line; std::getline(in, line);) {
    const std::string field = line.substr(0, line.find(": "));
    if (field == "Package") package = line.substr(field.size() + 2);
    const bool depends = field == "Depends" || field == "Pre-Depends";
    if (!depends && field != "Recommends") continue;
    for (char& c : line) c = c == '|' ? ',' : c;
    std::istringstream entries(line.substr(field.size() + 2));
    for (std::string entry; std::getline(entries, entry, ',');) {
      std::string other;
      std::istringstream(entry) >> other;  // without a version
      graph.add_edge(graph.node(package), graph.node(other.substr(0, other.find(':'))), depends ? 2 : 1);
    }
  }
  return graph;
}
