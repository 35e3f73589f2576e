// Stops a test executable of an instruction-set target that this machine lacks
// before any of its code runs: even the registration of tests is compiled for that
// target. Compiled for the baseline itself, and run before all other initialisers.
// By what it says CTest counts the suite as skipped (cmake/list_suites.cmake).

#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "execution/cpu/simd_targets.h"

namespace {

bool machine_runs(const char* target) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
#define PAPILIO_RUNS(name, runs) \
  if (std::strcmp(target, #name) == 0) return runs;
  PAPILIO_SIMD_TARGETS(PAPILIO_RUNS)
#undef PAPILIO_RUNS
  return false;
}

// The C library hands the arguments of main to initialisers.
__attribute__((constructor(101))) void stop_where_target_is_lacking(int count, char** arguments) {
  if (machine_runs(PAPILIO_TEST_TARGET)) return;
  bool list = false;
  for (int i = 1; i < count; ++i) list |= std::strcmp(arguments[i], "--gtest_list_tests") == 0;
  if (list)
    std::printf("Target.\n  IsHad\n");
  else
    std::printf("this machine has no target %s\n[  SKIPPED ] Target.IsHad\n", PAPILIO_TEST_TARGET);
  std::fflush(stdout);
  _exit(0);
}

}  // namespace
