#include "table_reporter.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  for (const Run& run : runs) {
    if (run.error_occurred || run.run_type != Run::RT_Aggregate || run.aggregate_name != "median") continue;
    std::istringstream name(run.run_name.function_name);
    std::string workload, type, K, method;
    std::getline(name, workload, '/');
    std::getline(name, type, '/');
    std::getline(name, K, '/');
    std::getline(name, method);
    if (std::find(methods_.begin(), methods_.end(), method) == methods_.end()) methods_.push_back(method);
    nanoseconds_[workload + ", " + type][std::stol(K.substr(2))][method] = run.counters.at("ns_per_row").value;
  }
}

void TableReporter::Finalize() {
  ConsoleReporter::Finalize();
  for (const auto& [workload, by_K] : nanoseconds_) {
    std::printf("\n%s: time as a multiple of the roof (a plain SIMD sum of the same weights)\n\n", workload.c_str());
    std::printf("| method |");
    for (const auto& [K, times] : by_K) std::printf(" K = %ld |", K);
    std::printf("\n| --- |");
    for (std::size_t i = 0; i < by_K.size(); ++i) std::printf(" ---: |");
    for (const std::string& method : methods_) {
      const bool roof = method == "roof";
      std::printf("\n| %s |", roof ? "roof, ns per row" : method.c_str());
      for (const auto& [K, times] : by_K) {
        if (!times.contains(method) || !times.contains("roof"))
          std::printf(" |");
        else if (roof)
          std::printf(" %.1f |", times.at("roof"));
        else
          std::printf(" %.2f |", times.at(method) / times.at("roof"));
      }
    }
    std::printf("\n");
  }
}
