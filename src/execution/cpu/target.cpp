#include "execution/cpu/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string_view>

#include "papilio/device.h"
#include "papilio/error.h"

namespace papilio {
namespace execution {
namespace {

// The targets that this build holds kernels for (cmake/simd_targets.cmake), as
// far as this machine runs them; slowest first.
std::vector<CpuTarget> available_targets() {
  std::vector<CpuTarget> targets;
#if defined(PAPILIO_HAS_baseline)
  targets.push_back(CpuTarget::baseline);
#endif
#if defined(PAPILIO_HAS_neon)
  targets.push_back(CpuTarget::neon);
#endif
#if defined(__x86_64__)
  __builtin_cpu_init();
  [[maybe_unused]] const bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#if defined(PAPILIO_HAS_avx2)
  if (avx2) targets.push_back(CpuTarget::avx2);
#endif
#if defined(PAPILIO_HAS_avx512)
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    targets.push_back(CpuTarget::avx512);
#endif
#endif
  return targets;
}

// The fastest target, or the one that PAPILIO_CPU_TARGET names. A variable that
// is set to nothing counts as not set.
CpuTarget chosen_target() {
  const std::vector<CpuTarget> targets = available_targets();
  const char* wanted = std::getenv("PAPILIO_CPU_TARGET");
  if (wanted == nullptr || *wanted == '\0') return targets.back();
  for (const CpuTarget target : targets) {
    if (std::string_view(wanted) == name(target)) return target;
  }
  throw DeviceUnavailable(fmt::format(
      "papilio::cpu_target: PAPILIO_CPU_TARGET is \"{}\"; the targets of this build on this machine are: {}", wanted,
      fmt::join(cpu_targets(), ", ")));
}

}  // namespace

CpuTarget cpu_target() {
  static const CpuTarget target = chosen_target();
  return target;
}

const char* name(CpuTarget target) noexcept {
  switch (target) {
    case CpuTarget::baseline:
      return "baseline";
    case CpuTarget::neon:
      return "neon";
    case CpuTarget::avx2:
      return "avx2";
    case CpuTarget::avx512:
      return "avx512";
  }
  return "unknown";
}

}  // namespace execution

std::vector<std::string> cpu_targets() {
  std::vector<std::string> names;
  for (const execution::CpuTarget target : execution::available_targets()) names.emplace_back(execution::name(target));
  return names;
}

std::string cpu_target() { return execution::name(execution::cpu_target()); }

}  // namespace papilio
