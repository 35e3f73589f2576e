#include "primitives/tridiagonal/solve_cpu.h"

#include <algorithm>
#include <vector>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "primitives/tridiagonal/chunk_kernel.h"
#include "primitives/tridiagonal/kernels.h"

namespace papilio::primitives {
namespace {

using tridiagonal_kernel::chunk_rows;

// Unknowns that one thread handles at a time: the equations between their separators stay in a cache.
constexpr std::int64_t group_rows = std::int64_t{1} << 16;

// Chunks per task if threads share a group.
constexpr std::int64_t task_chunks = 64 * tile_chunks;

const ChunkKernels<float>& kernels_of(float) { return tridiagonal_kernels().of_float; }
const ChunkKernels<double>& kernels_of(double) { return tridiagonal_kernels().of_double; }

template <class Body>
void for_chunks(std::int64_t chunks, int threads, const Body& body) {
  if (threads == 1 || chunks <= task_chunks) return body(0, chunks);
  execution::parallel_for(chunks, task_chunks, threads, body);
}

// Divides memory into the seven arrays of `chunks` separators.
template <class T>
Separators<T> separators_in(std::vector<T>& memory, std::int64_t chunks) {
  memory.resize(static_cast<std::size_t>(7 * chunks));
  T* const p = memory.data();
  return {p, p + chunks, p + 2 * chunks, p + 3 * chunks, p + 4 * chunks, p + 5 * chunks, p + 6 * chunks};
}

// The equations between separators, as systems.
template <class T>
Systems<T> systems_of(const ChunkWork<T>& work) {
  const std::int64_t system_stride = work.interleaved ? 1 : work.chunks;
  const std::int64_t row_stride = work.interleaved ? work.systems.count : 1;
  const auto diagonal = [&](const T* data) { return Diagonal<const T>{data, system_stride, row_stride}; };
  return {diagonal(work.separators.a),
          diagonal(work.separators.b),
          diagonal(work.separators.c),
          diagonal(work.separators.d),
          work.systems.count,
          work.chunks,
          false};
}

// One group of systems: solves it level by level down to one chunk, and then back.
template <class T>
class Group {
 public:
  Group(bool walk, bool interleaved, int threads) : walk_(walk), interleaved_(interleaved), threads_(threads) {}

  // Sets where faults of the next systems are added; null: nowhere.
  void set_faults(std::uint8_t* faults) { faults_ = faults; }

  void solve(const Systems<T>& systems, const Diagonal<T>& x, const Noise& noise, std::size_t level = 0) {
    const ChunkKernels<T>& kernels = kernels_of(T{});
    ChunkWork<T> work = {.systems = systems,
                         .chunks = base::ceil_div<std::int64_t>(systems.rows, chunk_rows),
                         .interleaved = interleaved_,
                         .separators = {},
                         .x = x,
                         .noise = noise,
                         .walk = walk_,
                         .faults = faults_};
    const std::int64_t chunks = work.chunks * systems.count;
    const auto run = [&](auto kernel) {
      for_chunks(chunks, threads_, [&](std::int64_t begin, std::int64_t end) { kernel(work, begin, end); });
    };
    if (work.chunks > 1) {
      if (memory_.size() == level) memory_.emplace_back();
      work.separators = separators_in(memory_[level], chunks);
      run(kernels.reduce);
      run(kernels.join);
      const Systems<T> next = systems_of(work);
      Noise next_noise = noise;
      next_noise.scale *= chunk_rows;
      solve(next, {work.separators.d, next.d.system_stride, next.d.row_stride}, next_noise, level + 1);
    }
    run(kernels.solve);
  }

 private:
  bool walk_, interleaved_;
  int threads_;
  std::uint8_t* faults_ = nullptr;
  std::vector<std::vector<T>> memory_;  // of each level
};

template <class T>
Systems<T> systems_from(const Systems<T>& all, std::int64_t first, std::int64_t count) {
  Systems<T> some = all;
  for (auto* diagonal : {&some.a, &some.b, &some.c, &some.d})
    if (diagonal->data != nullptr) diagonal->data += first * diagonal->system_stride;
  some.count = count;
  return some;
}

// Systems per group: enough to fill a tile, and a multiple of that.
std::int64_t group_of(std::int64_t systems, std::int64_t rows, bool interleaved) {
  const std::int64_t fitting = std::max<std::int64_t>(1, group_rows / rows);
  if (!interleaved && rows > chunk_rows) return std::min(systems, fitting);
  return std::min(systems, base::round_up(fitting, 2 * tile_chunks));
}

}  // namespace

template <class T>
void solve_on_cpu(const TridiagonalCall<T>& call, std::uint8_t* faults, int threads) {
  const Systems<T>& all = call.systems;
  const auto size = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  const bool interleaved = size(call.x.system_stride) < size(call.x.row_stride) && all.count >= tile_chunks;
  const std::int64_t group = group_of(all.count, all.rows, interleaved);
  const std::int64_t groups = base::ceil_div(all.count, group);
  const int wanted = execution::thread_count(threads);
  const bool share = groups < 2 * wanted && wanted > 1;  // threads then share each group
  const auto solve_groups = [&](std::int64_t begin, std::int64_t end, int threads_per_group) {
    Group<T> work(call.walk, interleaved, threads_per_group);
    for (std::int64_t g = begin; g < end; ++g) {
      const std::int64_t first = g * group, count = std::min(group, all.count - first);
      Noise noise = call.noise;
      if (noise.ids != nullptr)
        noise.ids += first;
      else
        noise.first_id += static_cast<std::uint64_t>(first);
      work.set_faults(faults == nullptr ? nullptr : faults + first);
      work.solve(systems_from(all, first, count),
                 {call.x.data + first * call.x.system_stride, call.x.system_stride, call.x.row_stride}, noise);
    }
  };
  if (share) return solve_groups(0, groups, threads);
  execution::parallel_for(groups, 1, threads,
                          [&](std::int64_t begin, std::int64_t end) { solve_groups(begin, end, 1); });
}

template void solve_on_cpu(const TridiagonalCall<float>&, std::uint8_t*, int);
template void solve_on_cpu(const TridiagonalCall<double>&, std::uint8_t*, int);

}  // namespace papilio::primitives
