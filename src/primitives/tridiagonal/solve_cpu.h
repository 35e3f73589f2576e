#pragma once

#include <cstdint>

#include "primitives/tridiagonal/systems.h"

namespace papilio::primitives {

// Solves the systems on up to `threads` threads. `faults` is null or has one
// entry per system, initially 0, to which bits of chunk_kernel.h are added.
template <class T>
void solve_on_cpu(const TridiagonalCall<T>& call, std::uint8_t* faults, int threads);

}  // namespace papilio::primitives
