// Stops a test executable of an instruction-set target that this machine lacks
// before any of its code runs: even the registration of tests is compiled for that
// target. Compiled for the baseline itself, and run before all other initialisers.
// It speaks as GoogleTest would for one skipped test, so that CTest counts it.

#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace {

const char* lacking_instruction_set(const char* target) {
  (void)target;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx512 = std::strcmp(target, "avx512") == 0;
  if (avx512 || std::strcmp(target, "avx2") == 0) {
    if (!__builtin_cpu_supports("avx2")) return "avx2";
    if (!__builtin_cpu_supports("fma")) return "fma";
    if (!__builtin_cpu_supports("bmi2")) return "bmi2";
  }
  if (avx512) {
    if (!__builtin_cpu_supports("avx512f")) return "avx512f";
    if (!__builtin_cpu_supports("avx512bw")) return "avx512bw";
    if (!__builtin_cpu_supports("avx512dq")) return "avx512dq";
    if (!__builtin_cpu_supports("avx512vl")) return "avx512vl";
  }
#endif
  return nullptr;
}

// The C library hands the arguments of main to initialisers.
__attribute__((constructor(101))) void stop_where_target_is_lacking(int count, char** arguments) {
  const char* lacking = lacking_instruction_set(PAPILIO_TEST_TARGET);
  if (lacking == nullptr) return;
  bool list = false;
  for (int i = 1; i < count; ++i) list |= std::strcmp(arguments[i], "--gtest_list_tests") == 0;
  if (list)
    std::printf("Target.\n  IsHad\n");
  else
    std::printf("this machine has no %s\n[  SKIPPED ] Target.IsHad\n", lacking);
  std::fflush(stdout);
  _exit(0);
}

}  // namespace
