#pragma once

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "primitives/tridiagonal/plan_cuda.h"
#include "primitives/tridiagonal/split_cuda.cuh"
#include "primitives/tridiagonal/tridiagonal_cuda.h"

// The launches, for one type of numbers.

namespace papilio::primitives {

using namespace tridiagonal_kernel;

inline unsigned blocks_of(std::int64_t items, std::int64_t per_block) {
  return static_cast<unsigned>(base::ceil_div(items, per_block));
}

template <class T>
ResidentShape resident_shape(const Systems<T>& systems, bool interleaved) {
  ResidentShape shape;
  shape.chunks = static_cast<int>(base::ceil_div<std::int64_t>(systems.rows, chunk_rows));
  shape.systems = resident_systems(systems.count, shape.chunks, interleaved, sizeof(T));
  shape.threads = base::round_up(shape.systems * shape.chunks, warp_threads);
  for (int rows = shape.chunks; shape.chunks > 1; rows = base::ceil_div(rows, chunk_rows)) {
    const int level = ++shape.levels;
    shape.rows[level] = rows;
    shape.offset[level] = shape.entries;
    shape.entries += shape.systems * (rows == 1 ? 1 : base::round_up(rows, chunk_rows));
    if (rows == 1) break;
  }
  return shape;
}

template <class T, class Form, bool draws>
void launch_resident(const TridiagonalCall<T>& call, bool interleaved, const Findings& findings, cudaStream_t stream) {
  const ResidentShape shape = resident_shape(call.systems, interleaved);
  const auto bytes = static_cast<std::size_t>(resident_bytes<T>(shape, interleaved, draws));
  constexpr int most_bytes = 96 << 10;  // no shape asks for more
  execution::check(
      cudaFuncSetAttribute(solve_resident<T, Form, draws>, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes),
      "asking for shared memory");
  solve_resident<T, Form, draws>
      <<<blocks_of(call.systems.count, shape.systems), static_cast<unsigned>(shape.threads), bytes, stream>>>(
          call, shape, interleaved, findings);
  execution::check_launch("solving tridiagonal systems");
}

// Takes parts of the workspace, from its front.
class Workspace {
 public:
  explicit Workspace(void* memory) : next_(static_cast<std::byte*>(memory)) {}

  template <class T>
  T* take(std::int64_t count) {
    auto* const part = reinterpret_cast<T*>(next_);
    next_ += workspace_part(count * static_cast<std::int64_t>(sizeof(T)));
    return part;
  }

 private:
  std::byte* next_;
};

template <class T, class Form, bool draws>
void launch_split(const TridiagonalCall<T>& call, bool interleaved, unsigned* faults, Workspace& workspace,
                  cudaStream_t stream) {
  const Systems<T>& systems = call.systems;
  if (systems.rows <= most_resident_rows(interleaved))
    return launch_resident<T, Form, draws>(call, interleaved, {nullptr, faults}, stream);
  const Order order = {0, systems.count, base::ceil_div<std::int64_t>(systems.rows, chunk_rows), interleaved};
  const std::int64_t all = order.systems * order.chunks;
  T* part[7];
  for (T*& p : part) p = workspace.take<T>(all);
  const SplitMemory<T> memory = {part[0], part[1], part[2], part[3], part[4], part[5], part[6]};
  const unsigned blocks = blocks_of(all, split_threads);
  reduce_chunks<T, Form><<<blocks, split_threads, 0, stream>>>(systems, order, memory, faults);
  execution::check_launch("eliminating chunks");
  join_chunks<T, Form><<<blocks, split_threads, 0, stream>>>(order, memory);
  execution::check_launch("joining chunks");

  TridiagonalCall<T> next = call;
  const std::int64_t system_stride = interleaved ? 1 : order.chunks, row_stride = interleaved ? systems.count : 1;
  const auto diagonal = [&](const T* data) { return Diagonal<const T>{data, system_stride, row_stride}; };
  next.systems = {diagonal(memory.a),
                  diagonal(memory.b),
                  diagonal(memory.c),
                  diagonal(memory.d),
                  systems.count,
                  order.chunks,
                  false};
  next.x = {memory.d, system_stride, row_stride};
  next.noise.scale *= chunk_rows;
  launch_split<T, Form, draws>(next, interleaved, faults, workspace, stream);

  solve_chunks<T, Form, draws><<<blocks, split_threads, 0, stream>>>(call, order, memory);
  execution::check_launch("solving chunks");
}

template <class T, class Form, bool draws>
void launch(const TridiagonalCall<T>& call, std::uint8_t* status, void* memory, cudaStream_t stream) {
  const bool interleaved = is_interleaved(call.x);
  if (call.systems.rows <= most_resident_rows(interleaved))
    return launch_resident<T, Form, draws>(call, interleaved, {status, nullptr}, stream);
  Workspace workspace(memory);
  unsigned* const faults = workspace.take<unsigned>(call.systems.count);
  if (status != nullptr)
    execution::check(
        cudaMemsetAsync(faults, 0, static_cast<std::size_t>(call.systems.count) * sizeof(unsigned), stream),
        "clearing faults");
  launch_split<T, Form, draws>(call, interleaved, status != nullptr ? faults : nullptr, workspace, stream);
  if (status == nullptr) return;
  write_statuses<<<blocks_of(call.systems.count, 256), 256, 0, stream>>>(faults, call.systems.count, call.walk || draws,
                                                                         status);
  execution::check_launch("writing statuses");
}

template <class T>
void launch_any(const TridiagonalCall<T>& call, std::uint8_t* status, void* workspace, Device device,
                void* cuda_stream) {
  const execution::OnDevice here(device);
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  if (call.walk)
    call.noise.wanted ? launch<T, Walk, true>(call, status, workspace, stream)
                      : launch<T, Walk, false>(call, status, workspace, stream);
  else
    call.noise.wanted ? launch<T, General, true>(call, status, workspace, stream)
                      : launch<T, General, false>(call, status, workspace, stream);
}

}  // namespace papilio::primitives
