#pragma once

#include "primitives/tridiagonal/chunk_cuda.cuh"

// Whole systems within a block: chunks in registers, equations between separators in shared memory, level by level.
// Each number of the call is read once and written once.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

using papilio::primitives::TridiagonalCall;

inline constexpr int most_levels = 4;

// How a block is laid out.
struct ResidentShape {
  int systems = 0;                   // of a block
  int chunks = 0;                    // of a system
  int threads = 0;                   // systems * chunks, rounded up to whole warps
  int levels = 0;                    // of equations between separators; 0: a chunk is a whole system
  int rows[most_levels + 1] = {};    // of level 1, 2, ...: chunks, chunks / 16, ..., 1
  int offset[most_levels + 1] = {};  // where a level begins in each array
  int entries = 0;                   // of each array
};

// Shared memory: an entry of padding every 16 spreads strided rows over all banks.
__host__ __device__ constexpr int padded(int i) { return i + i / chunk_rows; }

// The equations between separators of all levels.
template <class T>
struct LevelMemory {
  T *a, *b, *c, *d;
  float* noise;  // of the separators' unknowns; of draws only

  __device__ __forceinline__ Row<T> row(int i) const { return {a[i], b[i], c[i], d[i]}; }
  __device__ __forceinline__ void set(int i, const Row<T>& row) const {
    a[i] = row.a, b[i] = row.b, c[i] = row.c, d[i] = row.d;
  }
};

template <class T>
__host__ __device__ constexpr int resident_bytes(const ResidentShape& shape, bool interleaved, bool draws) {
  const int turners = interleaved ? 0 : shape.threads / warp_threads * static_cast<int>(sizeof(Turner<T>));
  const int entries = padded(shape.entries) + 1;
  return turners + entries * (4 * static_cast<int>(sizeof(T)) + (draws ? 4 : 0)) + shape.systems * 4;
}

// The levels above the chunks of a block's systems.
template <class Form, bool draws, class T>
class Levels {
 public:
  __device__ __forceinline__ Levels(const ResidentShape& shape, const LevelMemory<T>& memory, unsigned* faults)
      : shape_(shape), memory_(memory), faults_(faults) {}

  // Place of row k of a system in the arrays.
  __device__ __forceinline__ int index(int level, int k, int system) const {
    return padded(shape_.offset[level] + k * shape_.systems + system);
  }

  // Puts the separator of chunk k into `level` and joins it with the link of the chunk after it. All threads call it.
  __device__ __forceinline__ void put(bool valid, int level, int k, int system, const Row<T>& row,
                                      const Link<T>& link) const {
    if (valid) memory_.set(index(level, k, system), row);
    __syncthreads();
    if (valid && k > 0) {
      const int i = index(level, k - 1, system);
      Row<T> before = memory_.row(i);
      Form::template join<OneMath>(before, link);
      memory_.set(i, before);
    }
    __syncthreads();
  }

  // Up to the level of one row per system, solves that, and back.
  __device__ __forceinline__ void solve() const {
    for (int level = 1; level < shape_.levels; ++level) eliminate(level);
    const int top = shape_.levels, s = static_cast<int>(threadIdx.x);
    if (s < shape_.systems) {
      const int i = index(top, 0, s);
      const T inverse = T{1} / memory_.b[i];
      T x = inverse * memory_.d[i];
      if constexpr (draws) x = disturbed<OneMath>(x, inverse, static_cast<T>(memory_.noise[i]));
      memory_.d[i] = x;
      add_faults(s, pivot_faults(inverse));
    }
    __syncthreads();
    for (int level = top - 1; level >= 1; --level) substitute_back(level);
  }

  __device__ __forceinline__ T unknown(int level, int k, int system) const {
    return k < 0 ? T{0} : memory_.d[index(level, k, system)];
  }

  __device__ __forceinline__ void add_faults(int system, unsigned found) const {
    if (faults_ != nullptr && found != 0) atomicOr(&faults_[system], found);
  }

 private:
  __device__ __forceinline__ bool mine(int level, int& chunk, int& system) const {
    chunk = static_cast<int>(threadIdx.x) / shape_.systems, system = static_cast<int>(threadIdx.x) % shape_.systems;
    return chunk < shape_.rows[level + 1];
  }

  __device__ __forceinline__ Row<T> row_of(int level, int k, int system) const {
    const int rows = shape_.rows[level];
    if (k >= rows) return {T{0}, T{1}, T{0}, T{0}};
    Row<T> row = memory_.row(index(level, k, system));
    if (k == 0) row.a = 0;
    if (k + 1 == rows || Form::is_walk) row.c = 0;
    return row;
  }

  __device__ __forceinline__ void eliminate(int level) const {
    int q, s;
    const bool valid = mine(level, q, s);
    Row<T> row = {T{0}, T{1}, T{0}, T{0}};
    Link<T> link = Form::start(T{0}, T{1});
    if (valid) {
      unsigned found = 0;
      row = row_of(level, chunk_rows * q, s);
#pragma unroll 1
      for (int i = 0; i < separator; ++i) {
        Row<T> next = row_of(level, chunk_rows * q + i + 1, s);
        Form::template eliminate<OneMath>(row, next, link);
        memory_.set(index(level, chunk_rows * q + i, s), row);
        found |= pivot_faults(row.b);
        row = next;
      }
      add_faults(s, found);
      if constexpr (draws) {
        const int k = chunk_rows * q + separator;
        memory_.noise[index(level + 1, q, s)] = k < shape_.rows[level] ? memory_.noise[index(level, k, s)] : 0.0f;
      }
    }
    put(valid, level + 1, q, s, row, link);
  }

  __device__ __forceinline__ void substitute_back(int level) const {
    int q, s;
    if (mine(level, q, s)) {
      const T before = unknown(level + 1, q - 1, s);
      T next = unknown(level + 1, q, s);
      memory_.d[index(level, chunk_rows * q + separator, s)] = next;
#pragma unroll 1
      for (int i = separator - 1; i >= 0; --i) {
        const int k = chunk_rows * q + i, at = index(level, k, s);
        const Row<T> row = memory_.row(at);
        next = substitute<OneMath>(row, before, next);
        if constexpr (draws) {
          const float e = k < shape_.rows[level] ? memory_.noise[at] : 0.0f;
          next = disturbed<OneMath>(next, row.b, static_cast<T>(e));
        }
        memory_.d[at] = next;
      }
    }
    __syncthreads();
  }

  const ResidentShape& shape_;
  const LevelMemory<T>& memory_;
  unsigned* faults_;
};

// The status of a system from the faults that were found.
__device__ __forceinline__ std::uint8_t status_of_faults(unsigned faults, bool needs_positive) {
  if ((faults & singular) != 0) return 3;
  if (needs_positive) return (faults & falling) != 0 ? 2 : 0;
  return (faults & loose) != 0 && (faults & (skewed | falling)) != 0 ? 1 : 0;
}

// Where what a check finds goes: statuses, or bits to be added to; null: nowhere.
struct Findings {
  std::uint8_t* status = nullptr;
  unsigned* faults = nullptr;
};

template <class T>
inline constexpr int most_threads = sizeof(T) == sizeof(float) ? 512 : 256;

template <class T, class Form, bool draws>
__global__ __launch_bounds__(most_threads<T>) void solve_resident(TridiagonalCall<T> call, ResidentShape shape,
                                                                  bool interleaved, Findings findings) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int t = static_cast<int>(threadIdx.x), warp = t / warp_threads;
  auto* const turners = reinterpret_cast<Turner<T>*>(shared);
  const int turner_count = interleaved ? 0 : shape.threads / warp_threads;
  const int entries = padded(shape.entries) + 1;
  LevelMemory<T> memory;
  memory.a = reinterpret_cast<T*>(turners + turner_count);
  memory.b = memory.a + entries, memory.c = memory.b + entries, memory.d = memory.c + entries;
  memory.noise = reinterpret_cast<float*>(memory.d + entries);
  auto* const faults = reinterpret_cast<unsigned*>(memory.noise + (draws ? entries : 0));
  const bool check = findings.status != nullptr || findings.faults != nullptr;
  if (check) {
    for (int s = t; s < shape.systems; s += shape.threads) faults[s] = 0;
    __syncthreads();
  }

  const std::int64_t first = std::int64_t{blockIdx.x} * shape.systems;
  const Order order = {first, shape.systems, shape.chunks, interleaved};
  const int end = shape.systems * shape.chunks;
  const int s = interleaved ? t % shape.systems : t / shape.chunks;
  const int k = interleaved ? t / shape.systems : t % shape.chunks;
  const Place place = {first + s, k};
  const bool valid = t < end && place.system < call.systems.count;
  const Levels<Form, draws, T> levels(shape, memory, check ? faults : nullptr);

  Chunk<T> chunk;
  load_chunk<Form>(chunk, call.systems, order, std::int64_t{warp} * warp_threads, end, turners + warp);
  if (check && valid) levels.add_faults(s, faults_before<Form>(chunk, call.systems, place));
  const Link<T> link = eliminate_chunk<Form>(chunk);
  if (check && valid) levels.add_faults(s, faults_after(chunk));

  // Threads without a system draw for the first, in vain.
  const ChunkNoise noise(call.noise, valid && draws ? place : Place{0, 0});
  FourNormals<ChunkNoise::W> upper = {};
  if constexpr (draws) upper = noise.quad(chunk_rows / 4 - 1);
  T before = 0;
  if (shape.levels == 0) {
    const T inverse = T{1} / chunk.b[separator];
    T x = inverse * chunk.d[separator];
    if constexpr (draws) x = disturbed<OneMath>(x, inverse, static_cast<T>(upper.at[3]));
    chunk.d[separator] = x;
    if (check && valid) levels.add_faults(s, pivot_faults(inverse));
  } else {
    const bool has_chunk = t < end;
    if constexpr (draws)
      if (has_chunk) memory.noise[levels.index(1, k, s)] = upper.at[3];
    levels.put(has_chunk, 1, k, s, chunk.row(separator), link);
    levels.solve();
    if (has_chunk) {
      before = levels.unknown(1, k - 1, s);
      chunk.d[separator] = levels.unknown(1, k, s);
    }
  }
  substitute_chunk<draws>(chunk, before, &noise, upper);
  store_chunk(chunk, call.x, call.systems, order, std::int64_t{warp} * warp_threads, end, turners + warp);

  if (!check) return;
  __syncthreads();
  for (int i = t; i < shape.systems; i += shape.threads) {
    if (first + i >= call.systems.count) continue;
    if (findings.faults != nullptr)
      atomicOr(&findings.faults[first + i], faults[i]);
    else
      findings.status[first + i] = status_of_faults(faults[i], call.walk || draws);
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
