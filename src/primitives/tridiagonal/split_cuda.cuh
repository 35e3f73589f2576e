#pragma once

#include "primitives/tridiagonal/resident_cuda.cuh"

// Systems that do not fit into a block. One kernel eliminates all chunks and writes the equations between
// separators, which are solved as systems of their own. Another kernel eliminates again and substitutes back.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

inline constexpr int split_threads = 128;

// The equations between separators: one entry per chunk, in the order of the threads.
template <class T>
struct SplitMemory {
  T *a, *b, *c, *d;
  T *link_c, *link_b, *link_d;
};

template <class T, class Form>
__global__ __launch_bounds__(split_threads) void reduce_chunks(Systems<T> systems, Order order, SplitMemory<T> out,
                                                               unsigned* faults) {
  __shared__ Turner<T> turners[split_threads / warp_threads];
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const std::int64_t end = order.systems * order.chunks;
  const std::int64_t first = std::int64_t{blockIdx.x} * split_threads;
  Chunk<T> chunk;
  load_chunk<Form>(chunk, systems, order, first + warp * warp_threads, end, turners + warp);
  const std::int64_t p = first + threadIdx.x;
  if (p >= end) return;
  const Place place = order.at(p);
  unsigned found = faults != nullptr ? faults_before<Form>(chunk, systems, place) : 0;
  const Link<T> link = eliminate_chunk<Form>(chunk);
  if (faults != nullptr) {
    found |= faults_after(chunk);
    if (found != 0) atomicOr(&faults[place.system], found);
  }
  out.a[p] = chunk.a[separator], out.b[p] = chunk.b[separator], out.d[p] = chunk.d[separator];
  out.link_b[p] = link.b, out.link_d[p] = link.d;
  if constexpr (!Form::is_walk) out.c[p] = chunk.c[separator], out.link_c[p] = link.c;
}

template <class T, class Form>
__global__ __launch_bounds__(split_threads) void join_chunks(Order order, SplitMemory<T> all) {
  const std::int64_t p = std::int64_t{blockIdx.x} * split_threads + threadIdx.x;
  if (p >= order.systems * order.chunks || order.at(p).chunk + 1 == order.chunks) return;
  const std::int64_t q = p + (order.interleaved ? order.systems : 1);
  Row<T> row = {T{0}, all.b[p], Form::is_walk ? T{0} : all.c[p], all.d[p]};
  Form::template join<OneMath>(row, Link<T>{Form::is_walk ? T{0} : all.link_c[q], all.link_b[q], all.link_d[q]});
  all.b[p] = row.b, all.d[p] = row.d;
  if constexpr (!Form::is_walk) all.c[p] = row.c;
}

// Needs the unknowns of the separators, in solved.d.
template <class T, class Form, bool draws>
__global__ __launch_bounds__(split_threads) void solve_chunks(TridiagonalCall<T> call, Order order,
                                                              SplitMemory<T> solved) {
  __shared__ Turner<T> turners[split_threads / warp_threads];
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const std::int64_t end = order.systems * order.chunks;
  const std::int64_t first = std::int64_t{blockIdx.x} * split_threads;
  const std::int64_t first_of_warp = first + warp * warp_threads;
  Chunk<T> chunk;
  load_chunk<Form>(chunk, call.systems, order, first_of_warp, end, turners + warp);
  eliminate_chunk<Form>(chunk);
  const std::int64_t p = first + threadIdx.x;
  const Place place = p < end ? order.at(p) : Place{0, 0};
  const ChunkNoise noise(call.noise, place);
  FourNormals<ChunkNoise::W> upper = {};
  if constexpr (draws) upper = noise.quad(chunk_rows / 4 - 1);
  T before = 0;
  if (p < end) {
    chunk.d[separator] = solved.d[p];
    if (place.chunk > 0) before = solved.d[p - (order.interleaved ? order.systems : 1)];
  }
  substitute_chunk<draws>(chunk, before, &noise, upper);
  store_chunk(chunk, call.x, call.systems, order, first_of_warp, end, turners + warp);
}

static __global__ void write_statuses(const unsigned* faults, std::int64_t systems, bool needs_positive,
                                      std::uint8_t* status) {
  const std::int64_t s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (s < systems) status[s] = status_of_faults(faults[s], needs_positive);
}

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
