// Stops a test program whose instruction set PAPILIO_CPU_TARGET names and this machine lacks; by what it says CTest
// counts the suite as skipped (cmake/list_suites.cmake). For programs that are discovered once for each instruction set
// of the build; their own code is compiled for the baseline.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "papilio/device.h"

namespace {

// The C library hands the arguments of main to initialisers.
__attribute__((constructor(65535))) void stop_where_wanted_target_is_lacking(int count, char** arguments) {
  const char* const wanted = std::getenv("PAPILIO_CPU_TARGET");
  if (wanted == nullptr || *wanted == '\0') return;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--gtest_list_tests") == 0) return;
  }
  const std::vector<std::string> targets = papilio::cpu_targets();
  if (std::find(targets.begin(), targets.end(), wanted) != targets.end()) return;
  std::printf("this machine has no target %s\n[  SKIPPED ] Target.IsHad\n", wanted);
  std::fflush(stdout);
  _exit(0);
}

}  // namespace
