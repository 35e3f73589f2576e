#pragma once

#include <cstdint>

#include "execution/cpu/simd_targets.h"

namespace papilio::execution {

// Instruction sets that this build holds kernels for, slowest first: the rows of cmake/simd_targets.cmake.
enum class CpuTarget : std::uint8_t {
#define PAPILIO_ENUMERATOR(target, runs) target,
  PAPILIO_SIMD_TARGETS(PAPILIO_ENUMERATOR)
#undef PAPILIO_ENUMERATOR
};

// The target in use; see papilio::cpu_target().
CpuTarget cpu_target();

const char* name(CpuTarget target) noexcept;

}  // namespace papilio::execution
