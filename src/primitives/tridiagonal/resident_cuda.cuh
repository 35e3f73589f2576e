#pragma once

#include "primitives/tridiagonal/levels_cuda.cuh"
#include "primitives/tridiagonal/stage_cuda.cuh"

// Whole systems within a block or a cluster of blocks: copied to shared memory, then chunks in registers, then
// equations between separators in shared memory again. Each number of the call is read once and written once.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

using papilio::primitives::TridiagonalCall;

// Systems of at most half a chunk take half of the memory and of the work.
inline constexpr int half_chunk = chunk_rows / 2;

// The status of a system, from the faults that were found.
__device__ __forceinline__ std::uint8_t status_of_faults(unsigned faults, bool needs_positive) {
  if ((faults & singular) != 0) return 3;
  if (needs_positive) return (faults & falling) != 0 ? 2 : 0;
  return (faults & loose) != 0 && (faults & (skewed | falling)) != 0 ? 1 : 0;
}

// Where a check writes what it finds: statuses, or bits that are added; null: nowhere.
struct Findings {
  std::uint8_t* status = nullptr;
  unsigned* faults = nullptr;
};

// A block's shared memory. First comes what is read again after the elimination: c, or a of a walk; x takes
// its place. When all chunks are in registers, the levels take the place of the arrays after it.
template <class T>
struct ResidentMemory {
  T *kept, *b, *d, *a;
  T* from_next;  // of Levels
  unsigned* faults;

  // The numbers in one array.
  __host__ __device__ static constexpr int area(const ResidentShape& shape, bool interleaved, int rows_of_chunk) {
    if (rows_of_chunk == half_chunk)
      return interleaved ? Area<T, true, half_chunk>::numbers(shape.systems, shape.chunks)
                         : Area<T, false, half_chunk>::numbers(shape.systems, shape.chunks);
    return interleaved ? Area<T, true, chunk_rows>::numbers(shape.systems, shape.chunks)
                       : Area<T, false, chunk_rows>::numbers(shape.systems, shape.chunks);
  }
  // The numbers in all arrays, or in the first and the levels. `arrays`: 3 if there is no a besides c.
  __host__ __device__ static constexpr int numbers(const ResidentShape& shape, int area, int arrays, int all_chunks) {
    const int with_levels = area + (all_chunks > 1 ? level_numbers<T>(shape, all_chunks) : 0);
    const int all = arrays * area > with_levels ? arrays * area : with_levels;
    return all + all % 2;
  }
  __host__ __device__ static constexpr int bytes(const ResidentShape& shape, int numbers) {
    return (numbers + 3 * shape.systems) * static_cast<int>(sizeof(T)) + shape.systems * 4;
  }

  __device__ __forceinline__ ResidentMemory(unsigned char* memory, const ResidentShape& shape, int area, int arrays,
                                            int all_chunks)
      : kept(reinterpret_cast<T*>(memory)),
        b(kept + area),
        d(b + area),
        a(d + area),
        from_next(kept + numbers(shape, area, arrays, all_chunks)),
        faults(reinterpret_cast<unsigned*>(from_next + 3 * shape.systems)) {}
};

// What a check finds in an input row; c_before is the c of the row before it.
template <class Form, class T>
__device__ __forceinline__ unsigned given_faults(const Row<T>& row, [[maybe_unused]] T c_before) {
  if constexpr (Form::is_walk)
    return walk_faults(row.a, row.b);
  else
    return row_faults(row.a, row.b, row.c, c_before);
}

// The state of one block.
template <class T, class Form, bool draws, bool interleaved, int rows>
class ResidentBlock {
 public:
  __device__ __forceinline__ ResidentBlock(const TridiagonalCall<T>& call, const ResidentShape& shape,
                                           const StagePlan& plan, int all_chunks, const Findings& findings,
                                           unsigned char* shared)
      : call_(call),
        plan_(plan),
        findings_(findings),
        cluster_(shape.ranks),
        part_(part_of(call.systems, shape, cluster_.rank())),
        share_{shape, part_.systems, all_chunks},
        memory_(shared, shape, ResidentMemory<T>::area(shape, interleaved, rows), stages_a() ? 4 : 3, all_chunks),
        s_(interleaved ? thread() % shape.systems : thread() / shape.chunks),
        k_(interleaved ? thread() / shape.systems : thread() % shape.chunks),
        count_(s_ < part_.systems && k_ < shape.chunks ? max(0, min(rows, part_.rows - k_ * rows)) : 0),
        starts_(part_.first_row == 0),
        ends_(part_.first_row + part_.rows == call.systems.rows),
        place_(valid() ? Place{part_.first_system + s_, part_.first_row / rows + k_} : Place{0, 0}),
        noise_(call.noise, place_) {}

  // All threads of a block call these, one after the other.

  __device__ __forceinline__ void stage() const {
    if (checks())
      for (int s = thread(); s < share_.shape.systems; s += static_cast<int>(blockDim.x)) memory_.faults[s] = 0;
    cluster_.arrive(checks());
    const auto source = [&](const Diagonal<const T>& from, T* to, unsigned bit, int begin, int end) {
      const bool lenient = !interleaved && part_.first_system > 0 && from.system_stride != 0 &&
                           call_.systems.rows > 1 && part_.first_system + part_.systems < call_.systems.count;
      return Source<T>{from, to, begin, end, (plan_.uniform & bit) == 0, (plan_.wide & bit) != 0, lenient};
    };
    const Stager<T, interleaved, rows> stager(part_);
    const Systems<T>& systems = call_.systems;
    const Source<T> b = source(systems.b, memory_.b, StagePlan::b, 0, part_.rows);
    const Source<T> d = source(systems.d, memory_.d, StagePlan::d, 0, part_.rows);
    Source<T> a = source(systems.a, memory_.a, StagePlan::a, starts_ ? 1 : 0, part_.rows);
    if constexpr (Form::is_walk) {
      a.to = memory_.kept;
      stager.copy({a, b, d});
    } else {
      a.used = stages_a();
      stager.copy({source(systems.c, memory_.kept, StagePlan::c, 0, part_.rows - (ends_ ? 1 : 0)), b, d, a});
    }
    wait_for_copies();
    __syncthreads();
  }

  __device__ __forceinline__ void eliminate() {
    if (!valid()) return;
    eliminate_rows<QuickMath>(false);
    unsigned order = 0;
#pragma unroll
    for (int i = 0; i + 1 < rows; ++i) order = max(order, quick_order(b_[i]));
    if (!is_quick<T>(order)) eliminate_rows<OneMath>(true);
    if (!checks()) return;
#pragma unroll
    for (int i = 0; i + 1 < rows; ++i) found_ |= pivot_faults(b_[i]);
  }

  // Finds the unknowns of the chunk's separator and of the separator before it.
  __device__ __forceinline__ void solve_separators() {
    if constexpr (draws) four_ = noise_.quad(rows / 4 - 1);
    const Levels<Form, draws, interleaved, T> levels(share_, cluster_, memory_.b, memory_.from_next,
                                                     checks() ? cluster_.of(0, memory_.faults) : nullptr);
    cluster_.wait();
    if (share_.all_chunks == 1) {
      if (!valid()) return;
      solve_alone();
      levels.add_faults(s_, found_);
      return;
    }
    __syncthreads();
    if (valid()) {
      levels.put(s_, k_, row_, link_, four_.at[3]);
      levels.add_faults(s_, found_);
    }
    levels.solve(valid(), s_, k_, row_);
    if (valid()) before_ = levels.unknown(s_, k_ - 1), next_ = levels.unknown(s_, k_);
  }

  __device__ __forceinline__ void substitute() {
    if (!valid()) return;
    T c[rows];
    constexpr int left = rows == chunk_rows ? separator : rows;
    if constexpr (rows == chunk_rows) d_[separator] = next_;
#pragma unroll
    for (int i = rows - 1; i >= 0; --i) {
      if (i % width == width - 1) home().read(memory_.kept, i - width + 1, c);
      if (i >= left) continue;
      if constexpr (draws)
        if (i % 4 == 3) four_ = noise_.quad(i / 4);
      // The c of a walk's row is the a of the next row.
      next_ = tridiagonal_kernel::substitute<OneMath>(Row<T>{a_[i], b_[i], c[Form::is_walk ? i + 1 : i], d_[i]},
                                                      before_, next_);
      if constexpr (draws) next_ = disturbed<OneMath>(next_, b_[i], static_cast<T>(four_.at[i % 4]));
      d_[i] = next_;
    }
  }

  __device__ __forceinline__ void store() {
    if constexpr (interleaved) {
      T* const to =
          call_.x.data + place_.system * call_.x.system_stride + (part_.first_row + k_ * rows) * call_.x.row_stride;
#pragma unroll
      for (int i = 0; i < rows; ++i)
        if (i < count_) to[i * call_.x.row_stride] = d_[i];
    } else {
      if (valid()) {
#pragma unroll
        for (int i = 0; i < rows; i += width) home().write(memory_.kept, i, d_);
      }
      __syncthreads();
      Stager<T, interleaved, rows>(part_).write(memory_.kept, call_.x, (plan_.wide & StagePlan::x) != 0);
    }
  }

  __device__ __forceinline__ void report() const {
    if (!checks() || cluster_.rank() != 0) return;
    __syncthreads();
    for (int s = thread(); s < part_.systems; s += static_cast<int>(blockDim.x)) {
      const std::int64_t system = part_.first_system + s;
      if (findings_.faults != nullptr)
        atomicOr(&findings_.faults[system], memory_.faults[s]);
      else
        findings_.status[system] = status_of_faults(memory_.faults[s], call_.walk || draws);
    }
  }

  // Other blocks may still read what they need from this one.
  __device__ __forceinline__ void end() const { cluster_.wait(); }

 private:
  static constexpr int width = Wide<T>::width;

  __device__ __forceinline__ static int thread() { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ static Part part_of(const Systems<T>& systems, const ResidentShape& shape, int rank) {
    const unsigned cluster = shape.ranks == 1 ? blockIdx.x : blockIdx.x / static_cast<unsigned>(shape.ranks);
    const std::int64_t first_system = std::int64_t{cluster} * shape.systems;
    const std::int64_t first_row = std::int64_t{rank} * shape.chunks * rows;
    return {first_system,
            first_row,
            static_cast<int>(min(std::int64_t{shape.systems}, systems.count - first_system)),
            static_cast<int>(min(std::int64_t{shape.chunks} * rows, systems.rows - first_row)),
            shape.systems,
            shape.chunks};
  }
  // Not a member: an object that refers to itself stays in memory.
  __device__ __forceinline__ ChunkPlace<T, interleaved, rows> home() const { return {part_, s_, k_}; }

  // Whether a has an array of its own besides c.
  __device__ __forceinline__ bool stages_a() const {
    return !Form::is_walk && !plan_.mirrored && (plan_.uniform & StagePlan::a) == 0;
  }
  __device__ __forceinline__ bool checks() const { return findings_.status != nullptr || findings_.faults != nullptr; }
  // Whether the thread has a chunk; whether that chunk is the first or the last of its system.
  __device__ __forceinline__ bool valid() const { return count_ > 0; }
  __device__ __forceinline__ bool is_first() const { return starts_ && k_ == 0; }
  __device__ __forceinline__ bool is_last() const { return ends_ && (k_ + 1) * rows >= part_.rows; }

  // The c of the row before the chunk, for three diagonals.
  __device__ __forceinline__ T c_before() const {
    if (Form::is_walk || is_first()) return 0;
    return element(call_.systems.c, place_.system, part_.first_row + k_ * rows - 1);
  }

  // `again`: the kept array has already been prepared.
  template <class Math>
  __device__ __forceinline__ void eliminate_rows(bool again) {
    link_ = Form::start(T{0}, T{1});
    T c[rows], c_of_row_before = checks() ? c_before() : T{0};
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      if (i % width == 0) {
        asm volatile("" ::: "memory");  // not all loads at once, which would take too many registers
        read(i, c, again);
      }
      Row<T> next = {a_[i], b_[i], c[i], d_[i]};
      if (checks() && call_.systems.given && i < count_) found_ |= given_faults<Form>(next, c_of_row_before);
      c_of_row_before = c[i];
      if (i > 0) {
        Form::template eliminate<Math>(row_, next, link_);
        keep(i - 1, row_);
      }
      row_ = next;
    }
  }

  // Reads numbers i ... i + width - 1 of the chunk from shared
  // memory. The kept array there becomes what the substitution reads.
  __device__ __forceinline__ void read(int i, T (&c)[rows], bool again) {
    home().read(memory_.b, i, b_);
    home().read(memory_.d, i, d_);
    if constexpr (Form::is_walk)
      fill(i, 0, c, T{0});
    else
      read_c(i, c);
    if (Form::is_walk && again) {
      home().read(memory_.kept, i, a_);
    } else if ((plan_.uniform & StagePlan::a) != 0) {
      fill(i, 0, a_, *call_.systems.a.data);
    } else if (!Form::is_walk && plan_.mirrored) {
      if (i > 0) a_[i] = c[i - 1];
      if (i == 0) a_[0] = is_first() ? T{0} : k_ > 0 ? home().before(memory_.kept) : c_before();
#pragma unroll
      for (int e = 1; e < width; ++e) a_[i + e] = c[i + e - 1];
    } else {
      home().read(Form::is_walk ? memory_.kept : memory_.a, i, a_);
    }
    if (i == 0 && is_first() && !(Form::is_walk && again)) a_[0] = 0;
    if (count_ < rows) fill(i, count_, b_, T{1}), fill(i, count_, d_, T{0});
    if (Form::is_walk && again) return;
    if (count_ < rows) fill(i, count_, a_, T{0});
    if constexpr (Form::is_walk) {
      if (call_.systems.given) {
#pragma unroll
        for (int e = 0; e < width; ++e) a_[i + e] = -a_[i + e];
      }
      home().write(memory_.kept, i, a_);
    }
  }
  __device__ __forceinline__ void read_c(int i, T (&c)[rows]) const {
    const bool uniform = (plan_.uniform & StagePlan::c) != 0;
    if (uniform)
      fill(i, 0, c, *call_.systems.c.data);
    else
      home().read(memory_.kept, i, c);
    if (is_last()) fill(i, count_ - 1, c, T{0});
    if (uniform || is_last()) home().write(memory_.kept, i, c);
  }
  // Fills those of numbers i ... i + width - 1 that are not before `from`.
  __device__ __forceinline__ static void fill(int i, int from, T (&values)[rows], T filling) {
#pragma unroll
    for (int e = 0; e < width; ++e)
      if (i + e >= from) values[i + e] = filling;
  }

  __device__ __forceinline__ void keep(int i, const Row<T>& row) { a_[i] = row.a, b_[i] = row.b, d_[i] = row.d; }

  // Solves for the separator of a system that has only one chunk.
  __device__ __forceinline__ void solve_alone() {
    if constexpr (rows == half_chunk) {
      // The other half would be x = 0, or NaN if the last pivot is not finite.
      Row<T> after = {T{0}, T{1}, T{0}, T{0}};
      Form::template eliminate<OneMath>(row_, after, link_);
      keep(rows - 1, row_);
      next_ = after.d;
      found_ |= pivot_faults(row_.b);
    } else {
      const T inverse = T{1} / row_.b;
      next_ = inverse * row_.d;
      if constexpr (draws) next_ = disturbed<OneMath>(next_, inverse, static_cast<T>(four_.at[3]));
      found_ |= pivot_faults(inverse);
    }
  }

  const TridiagonalCall<T>& call_;
  const StagePlan& plan_;
  const Findings& findings_;
  const Cluster cluster_;
  const Part part_;
  const Share share_;
  const ResidentMemory<T> memory_;
  const int s_, k_;           // the thread's system in the block, and its chunk in the rank
  const int count_;           // rows of the chunk that exist
  const bool starts_, ends_;  // whether the block has the first and the last row of its systems
  const Place place_;
  const ChunkNoise noise_;

  // The chunk without c; d becomes x.
  T a_[rows], b_[rows], d_[rows];
  Row<T> row_ = {};  // of the separator
  Link<T> link_ = {};
  T before_ = 0, next_ = 0;  // unknowns: of the separator before, and of the row after the current one
  FourNormals<ChunkNoise::W> four_ = {};
  unsigned found_ = 0;
};

// The blocks per multiprocessor for which registers must suffice.
template <class T, bool draws, int rows>
inline constexpr int least_blocks = rows == half_chunk ? (sizeof(T) == 4 ? 4 : 5) : (draws && sizeof(T) == 4 ? 2 : 3);

template <class T, class Form, bool draws, bool interleaved, int rows>
__global__ __launch_bounds__(
    papilio::primitives::most_resident_threads(sizeof(T)),
    least_blocks<T, draws, rows>) void solve_resident(const __grid_constant__ TridiagonalCall<T> call,
                                                      const __grid_constant__ ResidentShape shape,
                                                      const __grid_constant__ StagePlan plan, int all_chunks,
                                                      const __grid_constant__ Findings findings) {
  static_assert(rows == chunk_rows || (rows == half_chunk && !draws && !Form::is_walk));
  extern __shared__ __align__(16) unsigned char shared[];
  ResidentBlock<T, Form, draws, interleaved, rows> block(call, shape, plan, all_chunks, findings, shared);
  block.stage();
  block.eliminate();
  block.solve_separators();
  block.substitute();
  block.store();
  block.report();
  block.end();
}

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
