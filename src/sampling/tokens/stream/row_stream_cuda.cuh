#pragma once

#include <cstdint>

#include "sampling/tokens/rough_power_cuda.cuh"
#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/stream/row_stream_draw_cuda.cuh"
#include "sampling/tokens/stream/row_stream_memory_cuda.cuh"
#include "sampling/tokens/stream/row_taker_cuda.cuh"
#include "sampling/tokens/weight_sums_cuda.cuh"

// Draws from many rows without filters, as a stream. A cluster goes from row to row, and each of its blocks has its
// part of every row. One thread has the parts copied into buffers, chunk by chunk and ahead of their use. Sixteen warps
// sum the weights of one chunk after another. Meanwhile other warps draw from the sums of earlier rows. If tokens alone
// are asked for, sums are rough. A row for which that is not enough is loaded again and summed exactly.

// Loops with several loads on their way at once.
#if defined(__CUDA_ARCH__)
#define PAPILIO_UNROLL_EIGHT _Pragma("unroll 8")
#else
#define PAPILIO_UNROLL_EIGHT
#endif

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

template <class S, bool alone>
class RowStream {
  using Part = ThreadPart<S>;
  static constexpr unsigned in_line = Part::in_line, lines = Part::lines, drawers = stream_drawers<S, alone>();

 public:
  __device__ RowStream(const StreamCall& of, StreamMemory<S, alone>& memory, unsigned char* buffers)
      : of_(of), call_(of.call), memory_(memory), buffers_(buffers), part_(of) {
    unsigned clusters, cluster;
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
    clusters_ = clusters;
    first_row_ = cluster;
    rows_ = of.rows + (!alone && cluster < of.longer ? 1 : 0);
  }

  __device__ void run() {
    const int role = warp_of_thread() - stream_worker_warps;
    if (role == 0 && lane_of_thread() == 0) memory_.init_loads();
    if (role < 0 && lane_of_thread() == 0) memory_.init(static_cast<unsigned>(warp_of_thread()));
    if (role < 0) fill_around();
    __syncwarp();
    cluster::begin();
    // The first loads need nothing of the other warps and blocks. An arrival with a fence would wait for them.
    if (role == 0 && lane_of_thread() == 0)
      while (loaded_ < of_.buffers && (begun_ < rows_ || chunk_ != 0)) load();
    __syncwarp();
    cluster::begun();
    if (of_.in_chunk < chunk_lines) __syncthreads();  // other warps read what fill_around has written
    if (role < 0) {
      if constexpr (alone)
        work_alone();
      else
        work();
    } else if (role == 0) {
      if (lane_of_thread() == 0)
        while (!ended_) load();
    } else if (role <= static_cast<int>(drawers)) {
      StreamDraw<S, alone>(of_, memory_, part_).draw(static_cast<unsigned>(role - 1));
    } else if constexpr (alone) {
      if (cluster::rank() == 0) RowTaker<S>(of_, memory_, rows_ * clusters_, first_row_).take();
    } else {
      find_largest(static_cast<unsigned>(role - 1) - drawers);
    }
    // A block ends after it has received all that others send to it, so it may end before them.
  }

 private:
  // A buffer, and how many times it was used before.
  struct Place {
    unsigned buffer, use;
  };

  __device__ LogitLine<S>* buffer(unsigned n) const {
    return reinterpret_cast<LogitLine<S>*>(buffers_) + n * chunk_lines;
  }
  __device__ std::int64_t row_of(unsigned n) const { return first_row_ + std::int64_t{n} * clusters_; }
  __device__ __forceinline__ Place after(Place at) const {
    return at.buffer + 1 == of_.buffers ? Place{0, at.use + 1} : Place{at.buffer + 1, at.use};
  }

  // Puts -infinity behind the chunk in each buffer.
  __device__ void fill_around() const {
    for (unsigned n = 0; n < of_.buffers; ++n)
      for (unsigned e = of_.in_chunk + threadIdx.x; e < chunk_lines; e += stream_workers)
        buffer(n)[e] = LogitLine<S>::empty();
  }

  // --- One thread loads

  // Waits for the next verdict. If it says that its row has to be summed exactly, `job` becomes that.
  __device__ __forceinline__ bool next_again(RowJob& job) {
    const RowJob before = memory_.latest[checked_++ % 16];
    memory_.verdicts.wait(before.exchange);
    const std::uint64_t verdict = memory_.verdicts.of[before.exchange % stream_slots][0][0];
    memory_.verdicts.expect(before.exchange, 1);
    if ((verdict >> 32) == 0) return false;
    job = {before.row, RowJob::sum_exactly, static_cast<unsigned>(verdict), begun_jobs_};
    return true;
  }

  // Waits for the next row that this cluster has taken; false if there is none any more.
  __device__ __forceinline__ bool next_taken(std::int64_t& row) {
    const unsigned n = begun_ - rows_;
    memory_.rows.wait(n);
    row = static_cast<std::int64_t>(memory_.rows.of[n % stream_slots][0][0]);
    memory_.rows.expect(n, 1);
    if (cluster::rank() == 0) arrival::arrive(&memory_.begun[n % taken_ahead]);
    if (row < 0) return false;
    ++begun_;
    return true;
  }

  // All blocks of a cluster come to the same jobs.
  __device__ __forceinline__ RowJob next_job() {
    RowJob job = {0, RowJob::end, 0, begun_jobs_};
    if constexpr (alone) {
      if (begun_jobs_ >= of_.lag && !all_begun_ && next_again(job)) return job;
      if (begun_ < rows_) return {row_of(begun_++), RowJob::sum_roughly, 0, begun_jobs_};
      if (!all_begun_) {
        std::int64_t row;
        if (next_taken(row)) return {row, RowJob::sum_roughly, 0, begun_jobs_};
        all_begun_ = true;
      }
      while (checked_ < begun_jobs_)
        if (next_again(job)) return job;
    } else if (begun_ < rows_) {
      return {row_of(begun_++), RowJob::sum_exactly, 0, begun_jobs_};
    }
    return job;
  }

  // Has the next chunk copied. For tokens alone, the last job says that this is the end.
  __device__ __forceinline__ void load() {
    if (!alone && chunk_ == 0 && begun_ == rows_) {
      ended_ = true;
      return;
    }
    const unsigned place = load_at_.buffer;
    if (load_at_.use > 0) arrival::wait_for(&memory_.free[place], load_at_.use - 1);
    load_at_ = after(load_at_);
    if (chunk_ == 0) {
      job_ = next_job();
      memory_.latest[begun_jobs_ % 16] = job_;
      ++begun_jobs_;
    }
    if (alone) memory_.jobs[place] = job_;
    ++loaded_;
    ended_ = job_.kind == RowJob::end;
    const unsigned count = ended_ ? 0 : part_.lines_of(chunk_);
    if (!ended_ && count < of_.in_chunk) {
      for (unsigned n = count; n < of_.in_chunk; ++n) buffer(place)[n] = LogitLine<S>::empty();
      arrival::before_copies();
    }
    arrival::expect(&memory_.full[place], 16 * count);
    if (count != 0)
      arrival::copy(buffer(place), part_.of_row(call_, job_.row) + std::int64_t{chunk_} * of_.in_chunk * in_line,
                    16 * count, &memory_.full[place]);
    if (++chunk_ == of_.chunks) chunk_ = 0;
  }

  // --- Sixteen warps sum

  // Hands a row's sums to the warp that draws from them.
  __device__ __forceinline__ void put_job(unsigned n, const RowJob& job) const {
    if (threadIdx.x == 0) memory_.job_of_sums[n % drawers] = job;
    arrival::arrive_warp(&memory_.summed[n % drawers]);
  }
  // Waits until the place for a row's sums is free.
  __device__ __forceinline__ void wait_for_drawn(unsigned n) const {
    const unsigned use = n / drawers;
    if (use > 0) arrival::wait_for(&memory_.drawn[n % drawers], use - 1);
  }

  __device__ void put_end(unsigned n) const {
    for (unsigned i = n; i < n + drawers; ++i) {
      wait_for_drawn(i);
      put_job(i, {0, RowJob::end, 0, 0});
    }
  }
  // The same when all rows are drawn.
  __device__ void put_end_of_all() const {
    const auto lane = static_cast<unsigned>(lane_of_thread());
    if (threadIdx.x < drawers) memory_.job_of_sums[threadIdx.x] = {0, RowJob::end, 0, 0};
    if (lane < drawers) arrival::arrive(&memory_.summed[lane]);
  }

  // The exact sum of this warp's segment of a chunk, which is in a buffer. The warp then no longer needs the buffer.
  __device__ __forceinline__ void sum_segment(unsigned n, unsigned chunk, Place at, const TokenScale& scale) const {
    using Sums = WeightSums<S, 16, true>;
    const Sums sums(scale);
    const LogitLine<S>* const from =
        buffer(at.buffer) + static_cast<unsigned>(warp_of_thread()) * segment_lines + lane_of_thread();
    double sum = sums.none();
    LogitLine<S> next[Sums::lines];
    PAPILIO_UNROLL
    for (unsigned m = 0; m < Sums::lines; ++m) next[m] = from[32 * m];
    PAPILIO_UNROLL_NONE
    for (unsigned i = 0; i < lines; i += Sums::lines) {
      LogitLine<S> some[Sums::lines];
      PAPILIO_UNROLL
      for (unsigned m = 0; m < Sums::lines; ++m) some[m] = next[m];
      PAPILIO_UNROLL
      for (unsigned m = 0; m < Sums::lines; ++m) next[m] = from[32 * ((i + Sums::lines + m) % lines)];
      sum = sums.plus(sum, some);
    }
    arrival::arrive_warp(&memory_.free[at.buffer]);
    const std::uint64_t of_segment = sum_of_warp_by_halves(sums.units(sum));
    if (lane_of_thread() == 0)
      memory_.segment_sums[n % drawers][chunk * stream_worker_warps + static_cast<unsigned>(warp_of_thread())] =
          of_segment;
  }

  __device__ void work_alone() {
    Place at = {0, 0};
    for (unsigned n = 0;; ++n)
      for (unsigned chunk = 0; chunk < rough_chunks<S>(); ++chunk) {
        arrival::wait_for(&memory_.full[at.buffer], at.use);
        const RowJob job = memory_.jobs[at.buffer];
        if (job.kind == RowJob::end) return put_end_of_all();
        if (job.kind == RowJob::sum_roughly) {
          sum_roughly(n, chunk, at);
        } else {
          TokenScale scale = of_.scale;
          scale.largest = logit_of_order(job.order);
          if (chunk == 0) wait_for_drawn(n);
          sum_segment(n, chunk, at, scale);
        }
        at = after(at);
        if (chunk + 1 == rough_chunks<S>()) put_job(n, job);
      }
  }

  // The rough sums of a chunk, one for each thread, and the largest logit of each warp.
  __device__ __forceinline__ void sum_roughly(unsigned n, unsigned chunk, Place at) const {
    // The threads begin at different lines, so that they read from different banks of the memory.
    const LogitLine<S>* const from = buffer(at.buffer) + threadIdx.x * lines;
    const unsigned turn = threadIdx.x * lines / 8;
    LogitLine<S> line[lines];
    PAPILIO_UNROLL
    for (unsigned i = 0; i < lines; ++i) line[i] = from[(i + turn) % lines];
    arrival::arrive_warp(&memory_.free[at.buffer]);
    unsigned word = greatest_word(line[0]);
    PAPILIO_UNROLL
    for (unsigned i = 1; i < lines; ++i) word = greater_words(word, greatest_word(line[i]), S());
    const float largest = largest_of_word(word, S());
    const unsigned order = __reduce_max_sync(whole_warp, largest != largest ? ~0u : token_order(largest + 0.0f));
    const float top = rough_top(order, of_.scale.high);
    float sums[Part::sums];
    PAPILIO_UNROLL
    for (unsigned i = 0; i < Part::logits; ++i) {
      const float power = rough_power(__fmaf_rn(line[i / in_line][i % in_line], of_.scale.high, -top));
      sums[i % Part::sums] = i < Part::sums ? power : sums[i % Part::sums] + power;
    }
    add_half<Part::sums / 2>(sums);
    if (chunk == 0) wait_for_drawn(n);
    if (lane_of_thread() == 0)
      memory_.orders[n % drawers][chunk * stream_worker_warps + static_cast<unsigned>(warp_of_thread())] = order;
    memory_.thread_sums[n % drawers][chunk].put(threadIdx.x, sums[0]);
  }

  template <unsigned half>
  static __device__ __forceinline__ void add_half(float (&sums)[Part::sums]) {
    PAPILIO_UNROLL
    for (unsigned e = 0; e < half; ++e) sums[e] += sums[e + half];
    if constexpr (half > 1) add_half<half / 2>(sums);
  }

  // --- The same with log probabilities: all sums are exact. Four more warps find the largest logits of rows ahead

  __device__ void work() {
    Place at = {0, 0};
    for (unsigned n = 0; n < rows_; ++n) {
      memory_.largest.wait(n);
      const unsigned order = __reduce_max_sync(whole_warp, static_cast<unsigned>(memory_.largest.any_of_lane(n)));
      TokenScale scale = of_.scale;
      scale.largest = logit_of_order(order);
      wait_for_drawn(n);
      for (unsigned c = 0; c < of_.chunks; ++c) {
        arrival::wait_for(&memory_.full[at.buffer], at.use);
        sum_segment(n, c, at, scale);
        at = after(at);
      }
      put_job(n, {row_of(n), RowJob::sum_exactly, order, n});
    }
    put_end(rows_);
  }

  // Each of these warps finds the largest logit of its share of every chunk. After the last chunk of a row it sends the
  // largest of the row to all blocks.
  __device__ void find_largest(unsigned finder) {
    constexpr unsigned of_finder = chunk_lines / stream_finders;
    Place at = {0, 0};
    for (unsigned n = 0; n < rows_; ++n) {
      LogitLine<S> most = LogitLine<S>::empty();
      for (unsigned c = 0; c < of_.chunks; ++c) {
        arrival::wait_for(&memory_.full[at.buffer], at.use);
        const LogitLine<S>* const from = buffer(at.buffer) + finder * of_finder + lane_of_thread();
        PAPILIO_UNROLL_EIGHT
        for (unsigned i = 0; i < of_finder; i += 32) {
          const LogitLine<S> line = from[i];
          PAPILIO_UNROLL
          for (unsigned w = 0; w < 4; ++w) most.words[w] = greater_words(most.words[w], line.words[w], S());
        }
        at = after(at);
      }
      const float largest = largest_of_word(greatest_word(most), S());
      const unsigned order = __reduce_max_sync(whole_warp, largest != largest ? ~0u : token_order(largest + 0.0f));
      memory_.largest.tell(n, static_cast<int>(finder), order, cluster::rank());
      if (finder != 0) continue;
      memory_.largest.wait(n);
      if (lane_of_thread() == 0) memory_.largest.expect(n, cluster::size());
    }
  }

  const StreamCall& of_;
  const TokenCall& call_;
  StreamMemory<S, alone>& memory_;
  unsigned char* buffers_;
  BlockPart<S> part_;
  std::int64_t clusters_, first_row_;
  unsigned rows_;  // of this cluster; for tokens alone, before it takes others
  // Of the thread that loads: how many chunks, jobs and rows were loaded, at least in part, and how many verdicts are
  // known; the job, its next chunk, and where that goes.
  unsigned loaded_ = 0, begun_jobs_ = 0, begun_ = 0, checked_ = 0;
  RowJob job_ = {};
  unsigned chunk_ = 0;
  Place load_at_ = {0, 0};
  bool ended_ = false, all_begun_ = false;
};

#endif

extern __shared__ __align__(128) unsigned char stream_buffers[];

// Clusters of several blocks, one per multiprocessor.
template <class S, bool alone>
__global__ void __launch_bounds__(stream_threads<S, alone>(), 1)
    draw_rows_in_stream(const __grid_constant__ StreamCall call) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __shared__ StreamMemory<S, alone> memory;
  RowStream<S, alone>(call, memory, stream_buffers).run();
#endif
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
