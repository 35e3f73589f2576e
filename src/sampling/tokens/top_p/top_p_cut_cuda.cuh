#pragma once

#include <cstdint>

#include "sampling/tokens/top_p/top_p_memory_cuda.cuh"

// Finds where top_p cuts the order of a row. The blocks of a cluster send each other histograms of the weights over the
// distance from the largest logit. Every block finds the bin of the cut, and gets its keys from all blocks; if there
// are too many, the bin is divided again. The first histogram is of the listed logits; if the rough sum of the others
// leaves a doubt, they are summed exactly. If not all near logits fit in the lists, a sample says where the cut is, and
// a histogram of all logits has its bins there. If neither is enough, bins cover the row evenly.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

// By all threads of all blocks of a cluster.
template <class Shape, class S, class Part>
class TopPCut {
  using Memory = TopPMemory<Shape>;
  static constexpr int threads = Shape::threads, warps = Shape::warps;

 public:
  __device__ __forceinline__ TopPCut(const Part& part, Memory& memory, const TokenScale& scale, float temperature,
                                     std::int64_t categories)
      : part_(part), memory_(memory), scale_(scale), temperature_(temperature), categories_(categories) {}

  // Returns false if there are too many keys at the cut, however often its bin is divided.
  __device__ __forceinline__ bool find(float top_p) {
    std::uint64_t wanted = 0, doubt = 0;
    bool anew = true;  // the bins do not divide one of the round before
    begin(Stage::listed);
    if (is_listed()) collect();
    PAPILIO_UNROLL_NONE
    for (int round = 0; round < top_p_rounds; ++round) {
      std::uint64_t of_bins;
      const std::uint64_t mine = join_bins(round);
      const std::uint64_t to = sum_to_thread<top_p_bins>(mine, memory_.scratch, of_bins);
      if (anew) {
        const RoughBounds rest = memory_.rest;
        wanted = top_p_sum(top_p, of_bins + rest.low);
        doubt = rest.high - rest.low;
      }
      Stage next = Stage::all;
      int bin = 0;
      anew = is_too_long(next) || of_bins < wanted;
      if (!anew) {
        if (threadIdx.x < top_p_bins && to >= wanted && to - mine < wanted) {
          memory_.bin = static_cast<int>(threadIdx.x);
          memory_.before = to - mine;
          memory_.found = 0;
        }
        __syncthreads();
        bin = memory_.bin;
        anew = needs_next(bin, next);
        wanted -= memory_.before;
        if (!anew && send_keys(round, bin)) {
          find_key(wanted);
          // The exact sum of all weights is at most `doubt` larger, and asks for at most that and 1 more.
          if (doubt == 0 ? wanted <= memory_.cut_sum : wanted + doubt < memory_.cut_sum) return true;
          anew = true;
          next = Stage::listed_exactly;
        } else if (!anew) {
          if (depth_ == most_depth) return false;
          (depth_ == 0 ? path_[0] : path_[1]) = bin;
          ++depth_;
        }
      }
      if (anew) begin_again(next, bin);
      if (threadIdx.x == 0 && round + 1 < top_p_rounds) memory_.init_round(round + 1);
      cluster::sync();  // all blocks have read the old bins and keys
    }
    return false;
  }

  __device__ __forceinline__ bool is_listed() const { return stage_ <= Stage::listed_exactly; }

 private:
  // What the bins cover: the listed logits, where the others are summed roughly, and exactly; a sample; of all logits,
  // what is near the bin that the sample says; the same distance from the largest as the list, the last bin with all
  // that is beyond; all weights that are not 0.
  enum class Stage { listed, listed_exactly, sampled, near_sample, all, all_weights };

  static constexpr float near_temperatures = 10;  // usually far enough
  static constexpr float all_temperatures = 44;   // all weights beyond are 0
  static constexpr int most_depth = 2;
  static constexpr int last_bin = top_p_bins - 1;

  // `bin`: of the sample.
  __device__ __forceinline__ void begin(Stage stage, int bin = 0) {
    constexpr float beside = 16, share = static_cast<float>(top_p_bins - 2) / (2 * beside);
    const float temperatures = stage == Stage::all_weights ? all_temperatures : near_temperatures;
    bound_ = scale_.largest - 1.0001f * temperatures * temperature_;
    const bool has_list = part_.has_list() && has_tops(bound_, scale_.high);
    stage_ = stage == Stage::listed && !has_list ? Stage::sampled : stage;
    if (!is_listed()) bound_ = -0x1.fffffep127f;
    per_bin_ = static_cast<float>(top_p_bins) / (temperatures * temperature_);
    offset_ = 0;
    if (stage == Stage::near_sample) {
      per_bin_ *= share;
      offset_ = (static_cast<float>(bin) + 0.5f - beside) * share - 1;
    }
    depth_ = 0;
  }
  __device__ __forceinline__ void begin_again(Stage stage, int bin) {
    begin(stage, bin);
    if (stage_ == Stage::listed_exactly) rest_ = sum_of_block<warps>(part_.sum_below(bound_, scale_), memory_.scratch);
    __syncthreads();
    if (threadIdx.x < 2 * most_blocks) memory_.kept_of[threadIdx.x / 2][threadIdx.x % 2] = 0;
  }

  __device__ __forceinline__ void collect() {
    const float top = top_of(bound_, scale_.high);
    const double rest = sum_of_block<warps>(part_.collect(bound_, scale_.high, top, memory_.listed), memory_.scratch);
    rest_ = __builtin_bit_cast(std::uint64_t, rest);
  }

  // Whether a block has no room to list its logits.
  __device__ __forceinline__ bool is_too_long(Stage& next) const {
    if (stage_ != Stage::listed || depth_ > 0) return false;
    const bool is = sum_of_blocks([&](int b) { return std::uint64_t{memory_.listed_of[b] > Shape::listed}; }) != 0;
    if (is) next = Stage::sampled;
    return is;
  }

  // Whether the cut is in a bin that says nothing yet: of a sample, or with all that is beyond the others.
  __device__ __forceinline__ bool needs_next(int bin, Stage& next) const {
    if (stage_ == Stage::sampled) next = Stage::near_sample;
    if (stage_ == Stage::all) next = Stage::all_weights;
    if (stage_ == Stage::sampled) return true;
    if (depth_ > 0) return false;
    return stage_ == Stage::near_sample ? bin == 0 || bin == last_bin : stage_ == Stage::all && bin == last_bin;
  }

  // The bin of a logit at the current depth; -1 if it is outside the current bin.
  __device__ __forceinline__ int bin_of(float x) const {
    if (!(x >= bound_)) return -1;
    float place = (scale_.largest - x) * per_bin_ - offset_;
    int bin = max(0, min(__float2int_rz(place), last_bin));
    PAPILIO_UNROLL
    for (int d = 0; d < most_depth; ++d) {
      if (d >= depth_) break;
      if (bin != path_[d]) return -1;
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
    if (is_listed()) {
      if (memory_.listed > Shape::listed) return;
      part_.each_listed(memory_.listed, [&](float x, unsigned) {
        const int bin = bin_of(x);
        if (bin >= 0) add(bin, weight_of(x, scale_));
      });
      return;
    }
    // Nearly all may be in the first bin and the last: each thread has its own sums of these.
    std::uint64_t ends[2] = {};
    const bool sampled = stage_ == Stage::sampled;
    const float near = scale_.largest - 5 * temperature_;  // few of these can have most of the mass
    const unsigned share = part_.in_sample_of();
    part_.each_line([&](const LogitLine<S>& line, unsigned entry) {
      const bool in_sample = part_.in_sample(entry);
      PAPILIO_UNROLL
      for (unsigned e = 0; e < LogitLine<S>::size; ++e) {
        const float x = line[e];
        if (sampled && !in_sample && !(x >= near)) continue;
        const int bin = bin_of(x);
        if (bin < 0) continue;
        const std::uint64_t weight = weight_of(x, scale_) * (sampled && !(x >= near) ? share : 1);
        if (bin == 0)
          ends[0] += weight;
        else if (bin == last_bin)
          ends[1] += weight;
        else
          add(bin, weight);
      }
    });
    __syncwarp();
    PAPILIO_UNROLL
    for (int end = 0; end < 2; ++end) {
      const std::uint64_t sum = sum_of_warp(ends[end]);
      if (lane_of_thread() == 0 && sum != 0) add(end * last_bin, sum);
    }
  }

  // Fills the bins and sends them to all blocks. Returns the sum of this thread's bin over all blocks. The bounds of
  // the rest are known after the next barrier.
  __device__ __forceinline__ std::uint64_t join_bins(int round) const {
    const int thread = static_cast<int>(threadIdx.x), bin = thread % top_p_bins, blocks = cluster::size();
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
      arrival::send(&memory_.rests[rank], rest_, arrived, thread);
      arrival::send(&memory_.listed_of[rank], std::uint64_t{memory_.listed}, arrived, thread);
    }
    if (warp_of_thread() == warps - 1) {
      const RoughRest rest_of(bound_, scale_, categories_, Part::additions);
      arrival::wait(arrived);
      const int lane = lane_of_thread();
      const std::uint64_t of_block = lane < blocks ? memory_.rests[lane] : 0;
      RoughBounds bounds = {0, 0};
      if (stage_ == Stage::listed) {
        bounds = rest_of.of(sum_of_warp(__builtin_bit_cast(double, of_block)));
      } else if (stage_ == Stage::listed_exactly) {
        const std::uint64_t exact = sum_of_warp(of_block);
        bounds = {exact, exact};
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
    const auto take = [&](float x, unsigned entry) {
      if (bin_of(x) != bin) return;
      const auto place = static_cast<int>(atomicAdd(&memory_.found, 1u));
      if (place < most) memory_.keys[place] = token_key(token_order(x + 0.0f), part_.category_of(entry));
    };
    if (is_listed())
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

  // Adds the sums of the bins before the cut to what each block keeps.
  __device__ __forceinline__ void add_bins_before(int bin) const {
    const int block = warps - 1 - warp_of_thread();
    if (block >= cluster::size()) return;
    std::uint64_t sum = 0;
    PAPILIO_UNROLL
    for (int n = 0; n < top_p_bins; n += 32)
      sum += n + lane_of_thread() < bin ? memory_.bins_of[block][n + lane_of_thread()] : 0;
    sum = sum_of_warp(sum);
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
    const int mine = static_cast<int>(threadIdx.x) / lanes, lane = lane_of_thread() % lanes;
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
  std::int64_t categories_;
  float bound_ = 0, per_bin_ = 0, offset_ = 0;
  std::uint64_t rest_ = 0;  // of this block, the sum of what is below the bound: a rough one as a double
  Stage stage_ = Stage::listed;
  int depth_ = 0, path_[most_depth] = {};
};

#endif

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
