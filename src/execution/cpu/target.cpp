#include "execution/cpu/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "papilio/device.h"
#include "papilio/error.h"

namespace papilio {
namespace execution {
namespace {

// The targets of this build that this machine can run; slowest first.
std::vector<CpuTarget> available_targets() {
  std::vector<CpuTarget> targets;
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
#define PAPILIO_ADD(target, runs) \
  if (runs) targets.push_back(CpuTarget::target);
  PAPILIO_SIMD_TARGETS(PAPILIO_ADD)
#undef PAPILIO_ADD
  return targets;
}

// The fastest target, or the one that PAPILIO_CPU_TARGET
// names. A variable that is empty counts as not set.
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
#define PAPILIO_NAME(target, runs) #target,
  static constexpr const char* names[] = {PAPILIO_SIMD_TARGETS(PAPILIO_NAME)};
#undef PAPILIO_NAME
  return names[static_cast<std::size_t>(target)];
}

}  // namespace execution

std::vector<std::string> cpu_targets() {
  std::vector<std::string> names;
  for (const execution::CpuTarget target : execution::available_targets()) names.emplace_back(execution::name(target));
  return names;
}

std::string cpu_target() { return execution::name(execution::cpu_target()); }

}  // namespace papilio
