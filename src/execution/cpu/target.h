#pragma once

#include <cstdint>

namespace papilio::execution {

// Instruction sets that kernels are compiled for, slowest first.
enum class CpuTarget : std::uint8_t { baseline, neon, avx2, avx512 };

// The target in use; see papilio::cpu_target().
CpuTarget cpu_target();

const char* name(CpuTarget target) noexcept;

}  // namespace papilio::execution
