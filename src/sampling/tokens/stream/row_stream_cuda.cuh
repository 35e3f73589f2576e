#pragma once

#include <cstdint>

#include "sampling/tokens/rough_power_cuda.cuh"
#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/stream/row_stream_draw_cuda.cuh"
#include "sampling/tokens/stream/row_stream_memory_cuda.cuh"
#include "sampling/tokens/weight_sums_cuda.cuh"

// Draws from many rows without filters, as a stream: a cluster goes from row to row, and each of its blocks has its
// part of every row. One warp loads parts ahead into buffers, sixteen sum the weights of one part after another, and
// others draw from the sums meanwhile. If tokens alone are asked for, sums are rough; a row for which that is not
// enough is loaded again and summed exactly.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

template <class S, bool alone, unsigned lines>
class RowStream {
  using Part = ThreadPart<S, lines>;
  static constexpr unsigned in_line = Part::in_line, drawers = stream_drawers(alone);

 public:
  __device__ RowStream(const StreamCall& of, StreamMemory<alone>& memory, unsigned char* buffers)
      : of_(of), call_(of.call), memory_(memory), buffers_(buffers) {
    clusters_ = gridDim.x / static_cast<unsigned>(cluster::size());
    first_row_ = blockIdx.x / static_cast<unsigned>(cluster::size());
    begin_ = min(call_.categories, cluster::rank() * call_.in_slice);
    count_ = static_cast<unsigned>(min(call_.categories - begin_, call_.in_slice));
    rows_ = first_row_ < call_.rows ? static_cast<unsigned>((call_.rows - first_row_ - 1) / clusters_ + 1) : 0;
  }

  __device__ void run() {
    const int role = warp_of_thread() - stream_worker_warps;
    if (role == 0 && lane_of_thread() == 0) {
      memory_.init_loads();
      while (loaded_ < of_.buffers && begun_ < rows_) load();
    }
    if (role == 1) memory_.init();
    if (role == 2 && lane_of_thread() == 0)
      memory_.scale = token_scale(0, call_.temperature.value, token_unit_bits(call_.categories));
    if (role < 0) fill_around();
    __syncwarp();
    cluster::sync();
    scale_ = memory_.scale;
    if (role < 0)
      alone ? work_alone() : work();
    else if (role == 0 && lane_of_thread() == 0)
      while (!ended_) load();
    else if (role > 0 && role <= static_cast<int>(drawers))
      StreamDraw<S, alone, lines>(call_, memory_, begin_, count_).draw(static_cast<unsigned>(role - 1));
    else if (role > 0)
      tell_largest();
    __syncwarp();
    cluster::sync();
  }

 private:
  __device__ LogitLine<S>* buffer(unsigned n) const {
    return reinterpret_cast<LogitLine<S>*>(buffers_) + n * lines * stream_workers;
  }
  __device__ std::int64_t row_of(unsigned n) const { return first_row_ + std::int64_t{n} * clusters_; }

  // Puts -infinity behind the part in all buffers.
  __device__ void fill_around() const {
    for (unsigned n = 0; n < of_.buffers; ++n)
      for (unsigned e = count_ + threadIdx.x; e < Part::logits * stream_workers; e += stream_workers)
        reinterpret_cast<S*>(buffer(n))[e] = minus_infinity<S>();
  }

  // --- One thread loads

  // Whether the next row whose verdict is open has to be summed exactly; `job` becomes that.
  __device__ __forceinline__ bool next_again(RowJob& job) {
    const RowJob before = memory_.latest[checked_++ % 16];
    memory_.verdicts.wait(before.exchange);
    const std::uint64_t verdict = memory_.verdicts.of[before.exchange % stream_slots][0][0];
    memory_.verdicts.expect(before.exchange, 1);
    if ((verdict >> 32) == 0) return false;
    job = {before.row, RowJob::sum_exactly, static_cast<unsigned>(verdict), loaded_};
    return true;
  }

  // All blocks of a cluster come to the same.
  __device__ __forceinline__ RowJob next_job() {
    RowJob job = {0, RowJob::end, 0, loaded_};
    if (alone && loaded_ >= of_.lag && begun_ < rows_ && next_again(job)) return job;
    if (begun_ < rows_) return {row_of(begun_++), alone ? RowJob::sum_roughly : RowJob::sum_exactly, 0, loaded_};
    if constexpr (alone) {
      while (checked_ < loaded_)
        if (next_again(job)) return job;
    }
    return job;
  }

  __device__ __forceinline__ void load() {
    const unsigned place = loaded_ % of_.buffers, use = loaded_ / of_.buffers;
    if (use > 0) arrival::wait_for(&memory_.free[place], use - 1);
    const RowJob job = next_job();
    memory_.jobs[place] = job;
    memory_.latest[loaded_ % 16] = job;
    ++loaded_;
    const unsigned bytes = job.kind != RowJob::end ? count_ * static_cast<unsigned>(sizeof(S)) : 0;
    arrival::expect(&memory_.full[place], bytes);
    if (bytes != 0)
      arrival::copy(buffer(place), static_cast<const S*>(call_.logits) + job.row * call_.row_stride + begin_, bytes,
                    &memory_.full[place]);
    ended_ = job.kind == RowJob::end;
  }

  // --- Sixteen warps sum

  // The sums of a thread, and what the warps that draw need.
  template <class T>
  __device__ __forceinline__ void put_sum(unsigned n, const RowJob& job, T sum) const {
    const unsigned place = n % drawers;
    memory_.thread_sums[place].put(threadIdx.x, sum);
    if (threadIdx.x == 0) memory_.job_of_sums[place] = job;
    arrival::arrive_warp(&memory_.summed[place]);
  }
  // Waits until a row's place for sums is free.
  __device__ __forceinline__ void wait_for_drawn(unsigned n) const {
    const unsigned use = n / drawers;
    if (use > 0) arrival::wait_for(&memory_.drawn[n % drawers], use - 1);
  }

  __device__ void put_end(unsigned n) const {
    for (unsigned i = n; i < n + drawers; ++i) {
      wait_for_drawn(i);
      put_sum(i, {0, RowJob::end, 0, 0}, std::uint64_t{0});
    }
  }

  __device__ __forceinline__ const LogitLine<S>* of_thread(unsigned place) const {
    return buffer(place) + threadIdx.x * lines;
  }

  // Which line is a thread's first, for the sake of memory's banks.
  static __device__ __forceinline__ unsigned turn() { return threadIdx.x * lines / 8; }

  __device__ __forceinline__ std::uint64_t exact_sum(unsigned place, const TokenScale& scale) const {
    constexpr unsigned steps = Part::logits / WeightSums<S>::at_once;
    return WeightSums<S>(scale).of(reinterpret_cast<const S*>(of_thread(place)), steps, turn() % steps);
  }

  __device__ void work_alone() {
    unsigned place = 0, use = 0;
    for (unsigned n = 0;; ++n) {
      arrival::wait_for(&memory_.full[place], use);
      const RowJob job = memory_.jobs[place];
      if (job.kind == RowJob::sum_roughly) {
        sum_roughly(n, job, place);
      } else {
        std::uint64_t sum = 0;
        if (job.kind == RowJob::sum_exactly) {
          TokenScale scale = scale_;
          scale.largest = logit_of_order(job.order);
          sum = exact_sum(place, scale);
        }
        arrival::arrive_warp(&memory_.free[place]);
        if (job.kind == RowJob::end) return put_end(n);
        wait_for_drawn(n);
        put_sum(n, job, sum);
      }
      if (++place == of_.buffers) place = 0, ++use;
    }
  }

  // Rough sums of the threads, and the largest logit of each warp.
  __device__ __forceinline__ void sum_roughly(unsigned n, const RowJob& job, unsigned place) const {
    const LogitLine<S>* const from = of_thread(place);
    LogitLine<S> line[lines];
    PAPILIO_UNROLL
    for (unsigned i = 0; i < lines; ++i) line[i] = from[(i + turn()) % lines];
    arrival::arrive_warp(&memory_.free[place]);
    unsigned word = greatest_word(line[0]);
    PAPILIO_UNROLL
    for (unsigned i = 1; i < lines; ++i) word = greater_words(word, greatest_word(line[i]), S());
    const float largest = largest_of_word(word, S());
    const unsigned order = __reduce_max_sync(whole_warp, largest != largest ? ~0u : token_order(largest + 0.0f));
    const float top = rough_top(order, scale_.high);
    float sums[Part::sums];
    PAPILIO_UNROLL
    for (unsigned i = 0; i < Part::logits; ++i) {
      const float power = rough_power(__fmaf_rn(line[i / in_line][i % in_line], scale_.high, -top));
      sums[i % Part::sums] = i < Part::sums ? power : sums[i % Part::sums] + power;
    }
    add_half<Part::sums / 2>(sums);
    wait_for_drawn(n);
    if (lane_of_thread() == 0) memory_.orders[n % drawers][warp_of_thread()] = order;
    put_sum(n, job, sums[0]);
  }

  template <unsigned half>
  static __device__ __forceinline__ void add_half(float (&sums)[Part::sums]) {
    PAPILIO_UNROLL
    for (unsigned e = 0; e < half; ++e) sums[e] += sums[e + half];
    if constexpr (half > 1) add_half<half / 2>(sums);
  }

  // --- The same, with the largest logit of the next row ahead

  __device__ void work() {
    unsigned place = 0, use = 0;
    if (rows_ > 0) find_largest(0, 0, 0);
    for (unsigned n = 0; n < rows_; ++n) {
      unsigned next = place + 1, next_use = use;
      if (next == of_.buffers) next = 0, ++next_use;
      if (n + 1 < rows_) find_largest(n + 1, next, next_use);
      memory_.largest.wait(n);
      const unsigned order = __reduce_max_sync(whole_warp, static_cast<unsigned>(memory_.largest.of_lane(n, 0)));
      TokenScale scale = scale_;
      scale.largest = logit_of_order(order);
      const std::uint64_t sum = exact_sum(place, scale);
      arrival::arrive_warp(&memory_.free[place]);
      wait_for_drawn(n);
      put_sum(n, {row_of(n), RowJob::sum_exactly, order, n}, sum);
      place = next;
      use = next_use;
    }
    put_end(rows_);
  }

  __device__ __forceinline__ void find_largest(unsigned n, unsigned place, unsigned use) const {
    arrival::wait_for(&memory_.full[place], use);
    const LogitLine<S>* const from = buffer(place) + threadIdx.x;
    LogitLine<S> most = from[0];
    PAPILIO_UNROLL
    for (unsigned i = 1; i < lines; ++i) {
      const LogitLine<S> line = from[i * stream_workers];
      PAPILIO_UNROLL
      for (unsigned w = 0; w < 4; ++w) most.words[w] = greater_words(most.words[w], line.words[w], S());
    }
    const float largest = largest_of_word(greatest_word(most), S());
    const unsigned order = __reduce_max_sync(whole_warp, largest != largest ? ~0u : token_order(largest + 0.0f));
    if (lane_of_thread() == 0) memory_.orders[n % drawers][warp_of_thread()] = order;
    arrival::arrive_warp(&memory_.warps_largest[n % drawers]);
  }

  // One warp: the largest of the block's part goes to all blocks.
  __device__ void tell_largest() const {
    for (unsigned n = 0; n < rows_; ++n) {
      const unsigned place = n % drawers;
      arrival::wait_for(&memory_.warps_largest[place], n / drawers);
      const unsigned order =
          __reduce_max_sync(whole_warp, memory_.orders[place][lane_of_thread() % stream_worker_warps]);
      memory_.largest.tell(n, 0, order, cluster::rank());
      memory_.largest.wait(n);
      if (lane_of_thread() == 0) memory_.largest.expect(n, cluster::size());
    }
  }

  const StreamCall& of_;
  const TokenCall& call_;
  StreamMemory<alone>& memory_;
  unsigned char* buffers_;
  std::int64_t clusters_, first_row_, begin_;  // `begin_`: of this block's part
  unsigned count_, rows_;                      // logits of the part; rows of the cluster
  TokenScale scale_ = {};
  // Of the thread that loads: jobs, rows, and jobs whose verdict is known.
  unsigned loaded_ = 0, begun_ = 0, checked_ = 0;
  bool ended_ = false;
};

#endif

extern __shared__ __align__(128) unsigned char stream_buffers[];

// Clusters of several blocks, one per multiprocessor.
template <class S, bool alone, unsigned lines>
__global__ void __launch_bounds__(stream_threads(alone), 1)
    draw_rows_in_stream(const __grid_constant__ StreamCall call) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __shared__ StreamMemory<alone> memory;
  RowStream<S, alone, lines>(call, memory, stream_buffers).run();
#endif
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
