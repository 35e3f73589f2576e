#pragma once

// Floors 1 and 2 are one source for every machine. A function marked
// PAPILIO_LANEWISE is always inlined, so no copy of it compiled for one
// instruction set can be merged by the linker into code for another. For the same
// reason these floors live in an inline namespace named by the target.
#if defined(__CUDACC__)
#define PAPILIO_LANEWISE __host__ __device__ __forceinline__
#else
#define PAPILIO_LANEWISE inline __attribute__((always_inline))
#endif

// A build that wants small code rather than fast code (the tests) defines
// PAPILIO_UNROLL as nothing. nvcc reads a file twice, for the device and for the
// host, where kernels do not run.
#if defined(PAPILIO_UNROLL)
#elif defined(__CUDA_ARCH__) || (defined(__clang__) && !defined(__CUDACC__))
#define PAPILIO_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define PAPILIO_UNROLL
#else
#define PAPILIO_UNROLL _Pragma("GCC unroll 128")
#endif

// For a loop that hardly ever reaches its bound, which is a constant.
#if defined(__clang__)
#define PAPILIO_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define PAPILIO_NO_UNROLL _Pragma("GCC unroll 1")
#endif

// Loops over whole tiles are unrolled where a tile must live in registers (CUDA);
// on a CPU it is in memory, and the code stays small.
#if defined(__CUDA_ARCH__)
#define PAPILIO_UNROLL_TILE PAPILIO_UNROLL
#else
#define PAPILIO_UNROLL_TILE
#endif

#if !defined(PAPILIO_TARGET)
#define PAPILIO_TARGET portable
#endif
