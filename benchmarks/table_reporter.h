#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

// Prints, after Google Benchmark's own lines, a table a workload: nanoseconds a
// row of the roof, and each method's time as a multiple of it. Names are
// "workload/type/K:n/method".
class TableReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::map<std::string, std::map<long, std::map<std::string, double>>> nanoseconds_;  // workload/type, K, method
  std::vector<std::string> methods_;                                                  // in order of appearance
};
