#pragma once

#include <cstdint>

#include "sampling/tokens/top_p/top_p_memory_cuda.cuh"

// Finds where top_p cuts the order of a row. The blocks of a cluster send each other histograms of the weights over the
// distance from the largest logit. Every block finds the bin of the cut, and gets its keys from all blocks; if there
// are too many, the bin is divided again. The first histogram is of the listed logits; if the rough sum of the others
// leaves a doubt, all weights are summed exactly. If the cut is beyond the list, or the list is full, a sample says
// which window has the cut, and the next histogram is of the window's logits. If the cut is not there, or blocks have
// no lists, bins cover all logits evenly.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

// By all threads of all blocks of a cluster.
template <class Shape, class S, class Part>
class TopPCut {
  using Memory = TopPMemory<Shape>;
  static constexpr int threads = Shape::threads, warps = Shape::warps;

 public:
  // The scale in memory must have been set.
  __device__ __forceinline__ TopPCut(const Part& part, Memory& memory, float temperature)
      : part_(part), memory_(memory), scale_(memory.scale), temperature_(temperature) {}

  // Returns false if there are too many keys at the cut, however often its bin is divided.
  __device__ __forceinline__ bool find(float top_p) {
    begin(Stage::listed);
    if (has_list()) collect();
    PAPILIO_UNROLL_NONE
    for (int round = 0; round < top_p_rounds; ++round) {
      std::uint64_t of_bins;
      const std::uint64_t mine = join_bins(round);
      const std::uint64_t to = sum_to_thread<top_p_bins>(mine, memory_.scratch, of_bins);
      const RoughBounds rest = memory_.rest;
      std::uint64_t wanted = depth_ == 0 ? wanted_of(top_p, of_bins, rest.low) : memory_.wanted;
      Stage next = stage_;
      if (stage_ == Stage::sampled || is_too_long() || of_bins < wanted || wanted == 0) {
        next = next_stage();
      } else {
        if (threadIdx.x < top_p_bins && to >= wanted && to - mine < wanted) {
          memory_.bin = static_cast<int>(threadIdx.x);
          memory_.before = to - mine;
          memory_.found = 0;
        }
        __syncthreads();
        const int bin = memory_.bin;
        wanted -= memory_.before;
        if (stage_ == Stage::all && depth_ == 0 && bin == last_bin) {
          next = next_stage();
        } else if (send_keys(round, bin)) {
          find_key(wanted);
          // The exact sum of all weights is at most `doubt` larger, and asks for at most that and 1 more.
          const std::uint64_t doubt = rest.high - rest.low;
          if (doubt == 0 ? wanted <= memory_.cut_sum : wanted + doubt < memory_.cut_sum) return true;
          next = Stage::listed_exactly;
        } else {
          if (depth_ == top_p_most_depth) return false;
          if (threadIdx.x == 0) memory_.path[depth_] = bin, memory_.wanted = wanted;
          ++depth_;
        }
      }
      if (next != stage_) {
        if (stage_ == Stage::sampled && guess_window(mine, top_p)) next = Stage::window;
        begin_again(next);
      }
      if (threadIdx.x == 0 && round + 1 < top_p_rounds) memory_.init_round(round + 1);
      cluster::sync();  // all blocks have read the old bins and keys
    }
    return false;
  }

  // Whether all logits that the bins cover are listed.
  __device__ __forceinline__ bool has_list() const { return stage_ <= Stage::window; }
  // Whether those that are kept are listed or above a window.
  __device__ __forceinline__ bool has_window() const { return stage_ == Stage::window; }

 private:
  // Whether all weights have been summed.
  __device__ __forceinline__ bool has_sum() const { return stage_ == Stage::listed_exactly || stage_ == Stage::window; }

  // What the bins cover: the listed logits, with a rough sum of the others, or with the exact sum of all; a window; a
  // sample; all logits, the last bin being of what is farther from the largest than the list; all weights but 0.
  enum class Stage { listed, listed_exactly, window, sampled, all, all_weights };

  static constexpr float near_temperatures = 10;  // usually far enough
  static constexpr float all_temperatures = 44;   // all weights beyond are 0
  static constexpr int last_bin = top_p_bins - 1;

  __device__ __forceinline__ void begin(Stage stage) {
    const float temperatures = (stage == Stage::all_weights ? all_temperatures : near_temperatures) * temperature_;
    bound_ = -0x1.fffffep127f;
    per_bin_ = static_cast<float>(top_p_bins) / temperatures;
    offset_ = 0;
    depth_ = 0;
    const float bound = bound_of_list();
    const bool can_be_listed = part_.can_list() && has_tops(bound, scale_.high);
    stage_ = stage == Stage::listed && !can_be_listed ? Stage::all : stage;
    if (stage_ == Stage::listed || stage_ == Stage::listed_exactly) bound_ = bound;
    if (stage == Stage::window) {
      const TopPWindow window = memory_.window;
      const float from = fminf(window.upper, scale_.largest);
      bound_ = window.least;
      per_bin_ = static_cast<float>(top_p_bins) / (from - window.least);
      offset_ = (scale_.largest - from) * per_bin_;
    }
  }
  __device__ __forceinline__ float bound_of_list() const {
    return scale_.largest - 1.0001f * near_temperatures * temperature_;
  }
  __device__ __forceinline__ void begin_again(Stage stage) {
    const bool had_window = has_window();
    begin(stage);
    __syncthreads();  // all threads have read what belongs to the stage before
    double near = 0;
    if (stage_ == Stage::sampled)
      near = sum_of_block<warps>(static_cast<double>(memory_.nears[threadIdx.x]), memory_.scratch);
    if (threadIdx.x < 2 * most_blocks) memory_.kept_of[threadIdx.x / 2][threadIdx.x % 2] = 0;
    if (had_window) memory_.buckets[threadIdx.x][0] = memory_.buckets[threadIdx.x][1] = 0;
    if (threadIdx.x == 0) {
      memory_.above = memory_.above_of_block = memory_.count_above = 0;
      const double mass = __builtin_bit_cast(double, memory_.rest_of_block) + near;
      if (stage_ == Stage::sampled) memory_.rest_of_block = __builtin_bit_cast(std::uint64_t, mass);
      if (stage_ == Stage::sampled || stage_ == Stage::window) memory_.listed = 0;
      if (stage_ == Stage::listed_exactly) memory_.window.least = memory_.window.upper = __builtin_inff();
    }
    if (has_sum()) sum_all();
  }

  __device__ __forceinline__ void collect() {
    const float top = top_of(bound_, scale_.high);
    float near = 0;
    const double of_thread = part_.collect(bound_, scale_.high, top, memory_.listed, near);
    memory_.nears[threadIdx.x] = near;
    const double rest = sum_of_block<warps>(of_thread, memory_.scratch);
    if (threadIdx.x == 0) memory_.rest_of_block = __builtin_bit_cast(std::uint64_t, rest);
  }

  // Sums all weights, and lists the window's logits if there is a window.
  __device__ __forceinline__ void sum_all() const {
    __syncthreads();
    const TopPSums sums = part_.collect_window(memory_.window, memory_.scale, memory_.listed, memory_.buckets);
    __syncwarp();
    const unsigned count = __reduce_add_sync(whole_warp, sums.count_above);
    if (lane_of_thread() == 0) atomicAdd(&memory_.count_above, count);
    const std::uint64_t other = sum_of_block<warps>(sums.other, memory_.scratch);
    const std::uint64_t above = sum_of_block<warps>(sums.above, memory_.scratch);
    if (threadIdx.x == 0) memory_.rest_of_block = other, memory_.above_of_block = above;
  }

  // What top_p asks for of the bins; 0 if what is above the window is enough.
  __device__ __forceinline__ std::uint64_t wanted_of(float top_p, std::uint64_t of_bins, std::uint64_t rest) const {
    const std::uint64_t above = memory_.above;
    const std::uint64_t wanted = top_p_sum(top_p, (has_sum() ? above : of_bins) + rest);
    return wanted > above ? wanted - above : 0;
  }

  // Where to look for the cut next, if it is not covered.
  __device__ __forceinline__ Stage next_stage() const {
    if (stage_ == Stage::listed) return Stage::sampled;
    return stage_ == Stage::all ? Stage::all_weights : Stage::all;
  }

  // Whether a block has no room to list its logits.
  __device__ __forceinline__ bool is_too_long() const {
    if (!has_list() || depth_ > 0) return false;
    return sum_of_blocks([&](int b) { return std::uint64_t{memory_.listed_of[b] > Shape::listed}; }) != 0;
  }

  // Guesses a window from the counts of all blocks' samples, this thread's being `mine`. The same for all blocks.
  __device__ __forceinline__ bool guess_window(std::uint64_t mine, float top_p) const {
    static_assert(top_p_bins == window_bins);
    unsigned(&counts)[top_p_bins] = memory_.low_bins;
    if (threadIdx.x < top_p_bins) counts[threadIdx.x] = static_cast<unsigned>(mine);
    __syncthreads();
    const std::uint64_t sampled = sum_of_blocks([&](int block) { return memory_.listed_of[block]; });
    const float each = static_cast<float>(part_.categories()) / static_cast<float>(sampled);
    // The sum is of powers in the unit of the list.
    const double exponent = static_cast<double>(top_of(bound_of_list(), scale_.high)) -
                            static_cast<double>(scale_.largest) * static_cast<double>(scale_.high);
    const float cut_off = (1 - top_p) * static_cast<float>(memory_.mass) * rough_power(static_cast<float>(exponent));
    const float most = 0.5f * static_cast<float>(Shape::listed) * static_cast<float>(cluster::size());
    const TopPWindow window =
        WindowGuess(each, scale_.largest, cut_off, scale_.high, part_.categories(), most).of(counts, memory_.guess);
    if (threadIdx.x == 0) memory_.window = window;
    __syncthreads();
    return window.is_good;
  }

  // The number of the thread, hidden from the compiler: it would compute what depends on it before the loop over
  // rounds, and, for want of registers, keep that in local memory.
  static __device__ __forceinline__ int thread_here() {
    auto thread = static_cast<int>(threadIdx.x);
    asm volatile("" : "+r"(thread));
    return thread;
  }

  // The bin of a logit at the current depth; -1 if it is outside the current bin.
  __device__ __forceinline__ int bin_of(float x, float largest) const {
    if (!(x >= bound_)) return -1;
    float place = (largest - x) * per_bin_ - offset_;
    int bin = max(0, min(__float2int_rz(place), last_bin));
    PAPILIO_UNROLL
    for (int d = 0; d < top_p_most_depth; ++d) {
      if (d >= depth_) break;
      if (bin != memory_.path[d]) return -1;
      place = (place - static_cast<float>(bin)) * static_cast<float>(top_p_bins);
      bin = max(0, min(__float2int_rz(place), last_bin));
    }
    return bin;
  }

  __device__ __forceinline__ void add(int bin, std::uint64_t weight) const {
    const auto low = static_cast<unsigned>(weight);
    const unsigned before = atomicAdd(&memory_.low_bins[bin], low);
    const unsigned high = static_cast<unsigned>(weight >> 32) + (before > ~low ? 1 : 0);
    if (high != 0) atomicAdd(&memory_.high_bins[bin], high);
  }

  // Fills the bins of this block.
  __device__ __forceinline__ void fill_bins() const {
    const TokenScale scale = scale_;
    if (has_list()) {
      if (memory_.listed > Shape::listed) return;
      part_.each_listed(memory_.listed, [&](float x, unsigned) {
        const int bin = bin_of(x, scale.largest);
        if (bin >= 0) add(bin, weight_of(x, scale));
      });
      return;
    }
    if (stage_ == Stage::sampled) return count_sample();
    // Nearly all may be in the first bin and the last: each thread has its own sums of these.
    std::uint64_t ends[2] = {};
    part_.each([&](float x, unsigned) {
      const int bin = bin_of(x, scale.largest);
      if (bin < 0) return;
      const std::uint64_t weight = weight_of(x, scale);
      if (bin == 0)
        ends[0] += weight;
      else if (bin == last_bin)
        ends[1] += weight;
      else
        add(bin, weight);
    });
    __syncwarp();
    PAPILIO_UNROLL
    for (int end = 0; end < 2; ++end) {
      const std::uint64_t sum = sum_of_warp(ends[end]);
      if (lane_of_thread() == 0 && sum != 0) add(end * last_bin, sum);
    }
  }

  // Counts the logits of a sample in the bins.
  __device__ __forceinline__ void count_sample() const {
    const float bins = static_cast<float>(window_bins_of_two) * scale_.high;
    const unsigned count =
        part_.each_sampled([&](float x) { count_in_window_bin(memory_.low_bins, scale_.largest, x, bins); });
    __syncwarp();
    const unsigned of_warp = __reduce_add_sync(whole_warp, count);
    if (lane_of_thread() == 0) atomicAdd(&memory_.listed, of_warp);
  }

  // Fills the bins and sends them to all blocks. Returns the sum of this thread's bin over all blocks. The bounds of
  // the rest are known after the next barrier.
  __device__ __forceinline__ std::uint64_t join_bins(int round) const {
    const int thread = thread_here(), bin = thread % top_p_bins, blocks = cluster::size();
    if (thread < top_p_bins) memory_.low_bins[bin] = memory_.high_bins[bin] = 0;
    __syncthreads();
    fill_bins();
    __syncthreads();
    const int rank = cluster::rank();
    const std::uint64_t mine = std::uint64_t{memory_.high_bins[bin]} << 32 | memory_.low_bins[bin];
    std::uint64_t* const arrived = &memory_.bins_arrived[round];
    for (int to = thread / top_p_bins; to < blocks; to += threads / top_p_bins)
      arrival::send(&memory_.bins_of[rank][bin], mine, arrived, to);
    if (thread < blocks) {
      arrival::send(&memory_.rests[rank], memory_.rest_of_block, arrived, thread);
      arrival::send(&memory_.above_of[rank], memory_.above_of_block, arrived, thread);
      arrival::send(&memory_.listed_of[rank], std::uint64_t{memory_.listed}, arrived, thread);
    }
    if (warp_of_thread() == warps - 1) {
      const RoughRest rest_of(bound_, scale_, part_.categories(), Part::additions);
      arrival::wait(arrived);
      const int lane = lane_of_thread();
      const std::uint64_t of_block = lane < blocks ? memory_.rests[lane] : 0;
      RoughBounds bounds = {0, 0};
      if (stage_ == Stage::listed) {
        bounds = rest_of.of(sum_of_warp(__builtin_bit_cast(double, of_block)));
      } else if (stage_ == Stage::sampled) {
        memory_.mass = sum_of_warp(__builtin_bit_cast(double, of_block));
      } else if (has_sum()) {
        const std::uint64_t exact = sum_of_warp(of_block);
        bounds = {exact, exact};
        memory_.above = sum_of_warp(lane < blocks ? memory_.above_of[lane] : 0);
      }
      if (lane == 0) memory_.rest = bounds;
    } else {
      arrival::wait(arrived);
    }
    return thread < top_p_bins ? sum_of_blocks([&](int block) { return memory_.bins_of[block][bin]; }) : 0;
  }

  // Sends the keys of a bin to all blocks, and waits for theirs. Returns false if there are too many.
  __device__ __forceinline__ bool send_keys(int round, int bin) const {
    const int thread = static_cast<int>(threadIdx.x), blocks = cluster::size(), rank = cluster::rank();
    const int most = top_p_keys / blocks;  // of a block
    const float largest = scale_.largest;
    const auto take = [&](float x, unsigned entry) {
      if (bin_of(x, largest) != bin) return;
      const auto place = static_cast<int>(atomicAdd(&memory_.found, 1u));
      if (place < most) memory_.keys[place] = token_key(token_order(x + 0.0f), part_.category_of(entry));
    };
    if (has_list())
      part_.each_listed(memory_.listed, take);
    else
      part_.each(take);
    __syncthreads();
    if (thread < top_p_keys)
      arrival::send(&memory_.keys_of[rank * most + thread % most], memory_.keys[thread % most],
                    &memory_.keys_arrived[round], thread / most);
    if (thread < blocks) arrival::send(&memory_.counts_of[rank], memory_.found, &memory_.keys_arrived[round], thread);
    add_bins_before(bin);
    arrival::wait(&memory_.keys_arrived[round]);
    return sum_of_blocks([&](int block) {
             const std::uint64_t count = memory_.counts_of[block];
             return count > static_cast<unsigned>(most) ? 1 : 0;
           }) == 0;
  }

  // Adds the sums of the bins before the cut, and above a window, to what each block keeps.
  __device__ __forceinline__ void add_bins_before(int bin) const {
    const int block = warps - 1 - warp_of_thread();
    if (block >= cluster::size()) return;
    std::uint64_t sum = 0;
    PAPILIO_UNROLL
    for (int n = 0; n < top_p_bins; n += 32)
      sum += n + lane_of_thread() < bin ? memory_.bins_of[block][n + lane_of_thread()] : 0;
    sum = sum_of_warp(sum) + (depth_ == 0 ? memory_.above_of[block] : 0);
    if (lane_of_thread() == 0) add_halves(memory_.kept_of[block], sum);
  }

  // Finds the key at which the sum of these keys' weights reaches `wanted`, and adds to what each block keeps.
  __device__ __forceinline__ void find_key(std::uint64_t wanted) const {
    const int thread = static_cast<int>(threadIdx.x), most = top_p_keys / cluster::size();
    const int block = min(thread / most, most_blocks - 1), place = thread % most;
    const auto count = static_cast<int>(sum_of_blocks([&](int b) { return memory_.counts_of[b]; }));
    const auto before =
        static_cast<int>(sum_of_blocks([&](int b) { return memory_.counts_of[b] * (b < block ? 1 : 0); }));
    const bool has = thread < top_p_keys && static_cast<unsigned>(place) < memory_.counts_of[block];
    const std::uint64_t key = has ? memory_.keys_of[thread] : 0;
    const std::uint64_t weight = has ? weight_of(logit_of_order(static_cast<std::uint32_t>(key >> 32)), scale_) : 0;
    if (has) memory_.cut[before + place] = {key, weight};
    __syncthreads();
    // With few keys several lanes share one.
    if (count <= threads / 8)
      rank_key<8>(count, wanted);
    else if (count <= threads / 2)
      rank_key<2>(count, wanted);
    else
      rank_key<1>(count, wanted);
    __syncthreads();
    if (has && key >= memory_.cut_key) add_halves(memory_.kept_of[block], weight);
    __syncthreads();
  }

  template <int lanes>
  __device__ __forceinline__ void rank_key(int count, std::uint64_t wanted) const {
    const int mine = thread_here() / lanes, lane = lane_of_thread() % lanes;
    if (warp_of_thread() * 32 / lanes >= count) return;
    const auto [key, weight] = memory_.cut[min(mine, count - 1)];
    std::uint64_t to = 0;
    PAPILIO_UNROLL_FEW
    for (int n = lane; n < count; n += lanes) {
      std::uint64_t other, of_other;  // both at once: the compiler would make a branch
      asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];"
                   : "=l"(other), "=l"(of_other)
                   : "r"(arrival::address(&memory_.cut[n]))
                   : "memory");
      to += other >= key ? of_other : 0;
    }
    PAPILIO_UNROLL
    for (int distance = 1; distance < lanes; distance *= 2) to += __shfl_xor_sync(whole_warp, to, distance);
    if (lane == 0 && mine < count && to >= wanted && to - weight < wanted) memory_.cut_key = key, memory_.cut_sum = to;
  }

  const Part& part_;
  Memory& memory_;
  const TokenScale& scale_;
  float temperature_;
  float bound_ = 0, per_bin_ = 0, offset_ = 0;
  Stage stage_ = Stage::listed;
  int depth_ = 0;
};

#endif

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
