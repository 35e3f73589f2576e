#pragma once

#include "base/math.h"
#include "execution/cuda/code_for_90.h"
#include "execution/cuda/memory.h"
#include "execution/cuda/shared_bytes.h"
#include "primitives/tridiagonal/plan_cuda.h"
#include "primitives/tridiagonal/split_cuda.cuh"
#include "primitives/tridiagonal/tridiagonal_cuda.h"

// The launches for one type of numbers.

namespace papilio::primitives {

using namespace tridiagonal_kernel;

inline unsigned blocks_of(std::int64_t items, std::int64_t per_block) {
  return static_cast<unsigned>(base::ceil_div(items, per_block));
}

// Whether the numbers of a diagonal can be copied 16 bytes at a time, along the direction in which they are contiguous.
template <class T>
bool is_wide(const Diagonal<T>& diagonal, bool interleaved) {
  constexpr std::int64_t width = 16 / sizeof(T);
  const std::int64_t along = interleaved ? diagonal.system_stride : diagonal.row_stride;
  const std::int64_t across = interleaved ? diagonal.row_stride : diagonal.system_stride;
  constexpr std::int64_t most = std::int64_t{1} << 30;  // kernels multiply it in 32 bits
  return along == 1 && across % width == 0 && across >= -most && across <= most &&
         reinterpret_cast<std::uintptr_t>(diagonal.data) % 16 == 0;
}

template <class T>
bool is_one_number(const Diagonal<T>& diagonal) {
  return diagonal.system_stride == 0 && diagonal.row_stride == 0;
}

template <class T>
StagePlan stage_plan(const TridiagonalCall<T>& call, const ResidentShape& shape, bool interleaved) {
  const Systems<T>& systems = call.systems;
  StagePlan plan;
  if (!interleaved || shape.systems % (16 / static_cast<int>(sizeof(T))) == 0) {
    const Diagonal<const T> diagonals[] = {systems.a, systems.b, systems.c, systems.d};
    for (unsigned i = 0; i < 4; ++i)
      if (is_wide(diagonals[i], interleaved)) plan.wide |= 1u << i;
    if (is_wide(call.x, interleaved)) plan.wide |= StagePlan::x;
  }
  if (systems.rows > 1 && is_one_number(systems.a)) plan.uniform |= StagePlan::a;
  if (systems.rows > 1 && is_one_number(systems.c) && !call.walk) plan.uniform |= StagePlan::c;
  plan.mirrored = !call.walk && plan.uniform == 0 && systems.a.data == systems.c.data - systems.c.row_stride &&
                  systems.a.system_stride == systems.c.system_stride && systems.a.row_stride == systems.c.row_stride;
  return plan;
}

template <class T, class Form, bool draws, bool interleaved, int rows_of_chunk>
void launch_shape(const TridiagonalCall<T>& call, const ResidentShape& shape, const Findings& findings,
                  cudaStream_t stream) {
  const StagePlan plan = stage_plan(call, shape, interleaved);
  const int chunks = static_cast<int>(base::ceil_div<std::int64_t>(call.systems.rows, rows_of_chunk));
  const int area = ResidentMemory<T>::area(shape, interleaved, rows_of_chunk);
  const int arrays = call.walk || plan.mirrored || (plan.uniform & StagePlan::a) != 0 ? 3 : 4;
  const auto kernel = solve_resident<T, Form, draws, interleaved, rows_of_chunk>;
  const int bytes = ResidentMemory<T>::bytes(shape, ResidentMemory<T>::numbers(shape, area, arrays, chunks));
  constexpr int without_asking = 48 << 10;
  if (bytes > without_asking) execution::allow_shared_bytes(kernel, bytes, "asking for shared memory");
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks_of(call.systems.count, shape.systems) * static_cast<unsigned>(shape.ranks));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
  config.stream = stream;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(shape.ranks), 1, 1};
  config.attrs = &cluster;
  config.numAttrs = shape.ranks > 1 ? 1 : 0;
  execution::check(cudaLaunchKernelEx(&config, kernel, call, shape, plan, chunks, findings),
                   "solving tridiagonal systems");
}

template <class T, class Form, bool draws>
void launch_resident(const TridiagonalCall<T>& call, bool interleaved, bool clusters, const Findings& findings,
                     cudaStream_t stream) {
  const ResidentShape shape = resident_shape(call.systems.count, call.systems.rows, interleaved, sizeof(T), clusters);
  if constexpr (!draws && !Form::is_walk) {
    if (call.systems.rows <= half_chunk)
      return interleaved ? launch_shape<T, Form, draws, true, half_chunk>(call, shape, findings, stream)
                         : launch_shape<T, Form, draws, false, half_chunk>(call, shape, findings, stream);
  }
  return interleaved ? launch_shape<T, Form, draws, true, chunk_rows>(call, shape, findings, stream)
                     : launch_shape<T, Form, draws, false, chunk_rows>(call, shape, findings, stream);
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
void launch_split(const TridiagonalCall<T>& call, bool interleaved, bool clusters, unsigned* faults,
                  Workspace& workspace, cudaStream_t stream) {
  const Systems<T>& systems = call.systems;
  if (systems.rows <= most_resident_rows(interleaved, sizeof(T), clusters))
    return launch_resident<T, Form, draws>(call, interleaved, clusters, {nullptr, faults}, stream);
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
  launch_split<T, Form, draws>(next, interleaved, clusters, faults, workspace, stream);

  solve_chunks<T, Form, draws><<<blocks, split_threads, 0, stream>>>(call, order, memory);
  execution::check_launch("solving chunks");
}

template <class T, class Form, bool draws>
void launch(const TridiagonalCall<T>& call, std::uint8_t* status, void* memory, bool clusters, cudaStream_t stream) {
  const bool interleaved = is_interleaved(call.x);
  if (call.systems.rows <= most_resident_rows(interleaved, sizeof(T), clusters))
    return launch_resident<T, Form, draws>(call, interleaved, clusters, {status, nullptr}, stream);
  Workspace workspace(memory);
  unsigned* const faults = workspace.take<unsigned>(call.systems.count);
  if (status != nullptr)
    execution::check(
        cudaMemsetAsync(faults, 0, static_cast<std::size_t>(call.systems.count) * sizeof(unsigned), stream),
        "clearing faults");
  launch_split<T, Form, draws>(call, interleaved, clusters, status != nullptr ? faults : nullptr, workspace, stream);
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
  const bool clusters = execution::runs_code_for_90();
  if (call.walk)
    call.noise.wanted ? launch<T, Walk, true>(call, status, workspace, clusters, stream)
                      : launch<T, Walk, false>(call, status, workspace, clusters, stream);
  else
    call.noise.wanted ? launch<T, General, true>(call, status, workspace, clusters, stream)
                      : launch<T, General, false>(call, status, workspace, clusters, stream);
}

}  // namespace papilio::primitives
