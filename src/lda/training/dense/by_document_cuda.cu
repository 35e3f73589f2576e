#include "execution/cuda/check.h"
#include "lda/training/dense/rows_cuda.cuh"
#include "lda/training/dense/shapes_cuda.h"
#include "lda/training/parameters/estimates.h"

// Draws with theta integrated out: the tokens of a document are drawn one after another. A group of
// G threads has a document, with its counts and its row theta_k = n_dk + alpha_k in shared memory.
// Only these G threads draw a token, while the next token's row of phi is being loaded. The
// documents of a warp proceed in step.

namespace papilio::lda {
namespace {

constexpr int block_threads = 128;

// Shapes for up to 2,048 topics: groups with 4 G N topics; more than 1,024 are in two segments.
template <int G, int N>
struct GroupShape {
  static constexpr int topics = 4 * G * N;
  static constexpr int threads = N > 9 ? block_threads / 2 : block_threads;  // per block; the threads share its memory
  static constexpr bool asks_ahead = N <= 9;                                 // else there are too few registers for it
  static constexpr bool is_short = topics <= collective::slots;              // then each slot has one weight
  // Groups of 4 threads read two rows at a time; 16 floats after each row put them in different banks.
  static constexpr int stride = topics + (G == 4 && N > 1 ? 16 : 0);
  static constexpr int groups = threads / G;
};

// What the kernel reads and writes for one document.
struct Document {
  float* theta;  // n_dk + alpha_k, without the token that is being drawn
  int* counts;   // n_dk
  const double* alpha;

  __device__ __forceinline__ void add(std::int32_t topic, int n) const {
    counts[topic] += n;
    theta[topic] = estimated_theta(counts[topic], alpha[topic]);
  }
};

template <int G, int N>
__device__ __forceinline__ void load_phi(const TopicDraw& draw, std::int32_t word, float (&phi)[N][4]) {
  const float* const row = draw.phi + word * draw.phi_stride;
  const int l = static_cast<int>(threadIdx.x) % G;
#pragma unroll
  for (int v = 0; v < N; ++v) {
    const int k = 4 * (v * G + l);
    if (k < draw.phi_stride)
      kernel::load<4>(row + k, phi[v]);
    else
      phi[v][0] = phi[v][1] = phi[v][2] = phi[v][3] = 0;
  }
}

__device__ __noinline__ std::int32_t last_positive(const float* theta, const float* phi, std::int32_t topics, int step,
                                                   std::int64_t segment = 0) {
  const kernel::MemoryRow<float, true> row = {theta, phi, 1, topics};
  return static_cast<std::int32_t>(collective::last_positive_on_device(row, segment, step));
}

// G threads draw once from at most 4 G N <= 128 topics, like collective::draw_short_rows with T = 1, except that at
// the end the thread whose weights contain the target continues alone. Every thread of the group returns the topic,
// which is `old` if no weight is positive.
template <int G, int N>
__device__ __forceinline__ std::int32_t draw_short(const float* theta, const float (&phi)[N][4], const float* phi_row,
                                                   std::int32_t topics, double u, std::int32_t old) {
  const int l = static_cast<int>(threadIdx.x) % G;
  float w[N][4], part[N], left[N];  // left[n + i]: the left child of node i in the level of n nodes
#pragma unroll
  for (int v = 0; v < N; ++v) {
    const float4 y = *reinterpret_cast<const float4*>(theta + 4 * (v * G + l));
    w[v][0] = phi[v][0] * y.x, w[v][1] = phi[v][1] * y.y, w[v][2] = phi[v][2] * y.z, w[v][3] = phi[v][3] * y.w;
    part[v] = collective::sum_of_four(w[v]);
  }
#pragma unroll
  for (int nodes = N / 2; nodes > 0; nodes /= 2) {
#pragma unroll
    for (int i = 0; i < nodes; ++i) {
      left[nodes + i] = part[i];
      part[i] = part[i] + part[i + nodes];
    }
  }
  float sums[1] = {part[0]};
  const collective::RowTree<G, 1, float> tree(sums);
  const double total = tree.total();
  double rest = u * total;
  const int thread = tree.find(rest);
  std::int32_t topic = old;
  if (l == thread && total > 0) {
    int vector = 0;
#pragma unroll
    for (int nodes = 1; nodes < N; nodes *= 2) {
      float sum = left[nodes];
#pragma unroll
      for (int i = 1; i < nodes; ++i)
        if (vector == i) sum = left[nodes + i];
      if (collective::descend(rest, sum)) vector += nodes;
    }
    float four[4] = {w[0][0], w[0][1], w[0][2], w[0][3]};
#pragma unroll
    for (int v = 1; v < N; ++v)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (vector == v) four[i] = w[v][i];
    constexpr int padding = (collective::logical_lanes - 1) & ~(N * G - 1);
    bool astray = padding != 0 && !(rest < static_cast<double>(collective::sum_of_four(four)));
    int slot = collective::descend(rest, four[0] + four[1]) ? 2 : 0;
    float weight = slot != 0 ? four[2] : four[0];
    if (collective::descend(rest, weight)) {
      weight = slot != 0 ? four[3] : four[1];
      slot += 1;
    }
    astray |= !(rest < static_cast<double>(weight));
    const int lane = vector * G + thread;
    topic = 4 * lane + slot;
    if (astray) [[unlikely]]
      topic = last_positive(theta, phi_row, topics,
                            collective::step_of_category(4 * (lane | padding) + slot) + collective::depths);
  }
  return __shfl_sync(all_threads, topic, thread, G);
}

// The slot sums of this thread in a segment of at most 128 N topics.
template <int N>
__device__ __forceinline__ void add_slots(const float* theta, const float (&phi)[N][4], float (&slots)[4]) {
  const int l = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int v = 0; v < N; ++v) {
    const float4 four = *reinterpret_cast<const float4*>(theta + 4 * (v * 32 + l));
    const float y[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) slots[i] = v == 0 ? phi[v][i] * y[i] : kernel::fused(phi[v][i], y[i], slots[i]);
  }
}

// The topic at `rest` in the slots of logical lane `lane`, which belong to this thread.
template <int N>
__device__ __forceinline__ std::int32_t find_in_slots(const float* theta, const float (&phi)[N][4],
                                                      const float (&slots)[4], int lane, double rest, bool& astray) {
  int slot = collective::descend(rest, slots[0] + slots[1]) ? 2 : 0;
  if (collective::descend(rest, slot != 0 ? slots[2] : slots[0])) slot += 1;
  const bool odd = (slot & 1) != 0, upper = (slot & 2) != 0;
  int depth = 0;
  bool searching = true;
#pragma unroll
  for (int v = 0; v < N; ++v) {
    const float x = upper ? (odd ? phi[v][3] : phi[v][2]) : (odd ? phi[v][1] : phi[v][0]);
    if (searching) {
      searching = collective::descend(rest, x * theta[4 * (32 * v + lane) + slot]);
      if (searching) depth += 1;
    }
  }
  astray = searching;
  return searching ? 4 * lane + slot : collective::slots * depth + 4 * lane + slot;
}

// A warp finds the topic of a target in a segment; `sums` is the tree over `slots`.
template <int N>
__device__ __forceinline__ std::int32_t find_in_segment(const float* theta, const float (&phi)[N][4],
                                                        const float (&slots)[4],
                                                        const collective::RowTree<32, 1, float>& tree, double rest,
                                                        const float* theta_row, const float* phi_row,
                                                        std::int32_t topics, std::int32_t segment) {
  const int lane = tree.find(rest);
  std::int32_t topic = 0;
  if (static_cast<int>(threadIdx.x) % 32 == lane) {
    bool astray = false;
    topic = find_in_slots<N>(theta, phi, slots, lane, rest, astray);
    if (astray) [[unlikely]] {
      topic =
          last_positive(theta_row, phi_row, topics, collective::step_of_category(topic) + collective::depths, segment);
    } else {
      topic += segment * static_cast<std::int32_t>(collective::segment_size);
    }
  }
  return __shfl_sync(all_threads, topic, lane);
}

// The same by a warp for more than 128 and at most 128 N topics: like draw_rows with T = 1 or, with two
// segments, like draw_two_segments.
template <int N>
__device__ __forceinline__ std::int32_t draw_long(const float* theta, const float (&phi)[N][4], const float* phi_row,
                                                  std::int32_t topics, double u, std::int32_t old) {
  constexpr int first = N < collective::depths ? N : collective::depths, last = N - first;
  const auto& phi_of_first = reinterpret_cast<const float(&)[first][4]>(phi);
  float slots[4];
  add_slots<first>(theta, phi_of_first, slots);
  float sums[1] = {collective::sum_of_four(slots)};
  const collective::RowTree<32, 1, float> tree(sums);
  double total = tree.total();
  if constexpr (last == 0) {
    if (!(total > 0)) return old;
    return find_in_segment<first>(theta, phi_of_first, slots, tree, u * total, theta, phi_row, topics, 0);
  } else {
    const float* const last_theta = theta + collective::segment_size;
    const auto& phi_of_last = reinterpret_cast<const float(&)[last][4]>(phi[first]);
    float last_slots[4];
    add_slots<last>(last_theta, phi_of_last, last_slots);
    float last_sums[1] = {collective::sum_of_four(last_slots)};
    const collective::RowTree<32, 1, float> last_tree(last_sums);
    const double before = total;
    total = before + static_cast<double>(last_tree.total());
    if (!(total > 0)) return old;
    const double target = u * total;
    if (target < before) {
      return find_in_segment<first>(theta, phi_of_first, slots, tree, target, theta, phi_row, topics, 0);
    }
    return find_in_segment<last>(last_theta, phi_of_last, last_slots, last_tree, target - before, theta, phi_row,
                                 topics, 1);
  }
}

template <int G, int N, int blocks>
__global__ void __launch_bounds__(GroupShape<G, N>::threads, blocks)
    draw_by_document(const TopicDraw draw, const double* alpha) {
  using S = GroupShape<G, N>;
  alignas(16) __shared__ float theta_of_groups[S::groups][S::stride];
  __shared__ int counts_of_groups[S::groups][S::topics];
  const int l = static_cast<int>(threadIdx.x) % G, g = static_cast<int>(threadIdx.x) / G;
  const Document document = {theta_of_groups[g], counts_of_groups[g], alpha};
  const std::int64_t group = (std::int64_t{blockIdx.x} * S::threads + threadIdx.x) / G;
  const TopicItem item = draw.items[group < draw.item_count ? group : draw.item_count - 1];
  const int count = group < draw.item_count ? item.count : 0;
  const int longest = __reduce_max_sync(all_threads, count);
  if (longest == 0) return;
  const std::int32_t* const words = draw.words + item.first;
  std::int32_t* const z = draw.z + item.first;

  for (int k = l; k < S::topics; k += G) document.counts[k] = 0;
  __syncwarp();
  for (int i = l; i < count; i += G) atomicAdd(document.counts + z[i], 1);
  __syncwarp();
  for (int k = l; k < S::topics; k += G) {
    document.theta[k] = k < draw.topics ? estimated_theta(document.counts[k], alpha[k]) : 0.0f;
  }
  __syncwarp();

  float phi[N][4];
  if constexpr (S::asks_ahead) load_phi<G, N>(draw, words[0], phi);
  for (int run = 0; run < longest; run += G) {
    const int own = run + l < item.count ? run + l : item.count - 1;
    const std::int32_t word_of_own = words[own], old_of_own = run + l < count ? z[own] : 0;
    const double uniform_of_own = uniforms_of(draw, draw.stream, item.first + own).draw;
#pragma unroll 1
    for (int i = 0; i < G && run + i < longest; ++i) {
      const std::int32_t word = __shfl_sync(all_threads, word_of_own, i, G);
      const std::int32_t old = __shfl_sync(all_threads, old_of_own, i, G);
      const double u = __shfl_sync(all_threads, uniform_of_own, i, G);
      const bool is_there = run + i < count;
      float next[N][4];
      const std::int32_t in_run = __shfl_sync(all_threads, word_of_own, (i + 1) % G, G);
      if constexpr (S::asks_ahead) {
        load_phi<G, N>(draw, i + 1 < G ? in_run : words[run + G < item.count ? run + G : item.count - 1], next);
      } else {
        load_phi<G, N>(draw, word, phi);
      }

      if (l == 0 && is_there) document.add(old, -1);
      __syncwarp();
      const float* const phi_row = draw.phi + word * draw.phi_stride;
      std::int32_t topic;
      if constexpr (S::is_short)
        topic = draw_short<G, N>(document.theta, phi, phi_row, draw.topics, u, old);
      else
        topic = draw_long<N>(document.theta, phi, phi_row, draw.topics, u, old);
      __syncwarp();  // all threads have read theta
      if (l == 0 && is_there) {
        document.add(topic, 1);
        if (topic != old) move_token(draw, item.first + run + i, word, old, topic);
      }
      if constexpr (S::asks_ahead) {
#pragma unroll
        for (int v = 0; v < N; ++v)
#pragma unroll
          for (int e = 0; e < 4; ++e) phi[v][e] = next[v][e];
      }
    }
  }
}

// For more than 2,048 topics: a warp has a document, whose row of theta and counts are in global memory.
__global__ void __launch_bounds__(block_threads)
    draw_by_document_of_many_topics(const TopicDraw draw, const double* alpha, float* rows) {
  const int thread = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t group = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32;
  if (group >= draw.item_count) return;
  const TopicItem item = draw.items[group];
  float* const theta = rows + item.document * by_document_row(draw.topics);
  const Document document = {theta, reinterpret_cast<int*>(theta + draw.phi_stride), alpha};
  for (std::int64_t k = thread; k < draw.phi_stride; k += 32) document.counts[k] = 0;
  __syncwarp();
  for (int i = thread; i < item.count; i += 32) atomicAdd(document.counts + draw.z[item.first + i], 1);
  __syncwarp();
  for (std::int64_t k = thread; k < draw.phi_stride; k += 32) {
    theta[k] = k < draw.topics ? estimated_theta(document.counts[k], alpha[k]) : 0.0f;
  }
  __syncwarp();

  const int count = __reduce_max_sync(all_threads, item.count);
  for (int i = 0; i < count; ++i) {
    const std::int64_t token = item.first + i;
    const std::int32_t word = draw.words[token], old = draw.z[token];
    const float without = estimated_theta(document.counts[old] - 1, alpha[old]);
    const LongTopicRow row = {theta, draw.phi + word * draw.phi_stride, draw.topics, draw.phi_stride, old, without};
    const collective::DrawnRow drawn = collective::draw_long_row(row, uniforms_of(draw, draw.stream, token).draw);
    const auto topic = drawn.total > 0 ? static_cast<std::int32_t>(drawn.category) : old;
    __syncwarp();  // all threads have read theta and the counts
    if (thread == 0 && topic != old) {
      document.add(old, -1);
      document.add(topic, 1);
      move_token(draw, token, word, old, topic);
    }
    __syncwarp();
  }
}

unsigned blocks_for(std::int64_t threads, int of_block = block_threads) {
  return static_cast<unsigned>((threads + of_block - 1) / of_block);
}

}  // namespace

void queue_by_document_draws(const TopicDraw& draw, const double* alpha, float* rows, void* cuda_stream) {
  if (draw.item_count == 0) return;
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  const bool has_shape = with_shape<by_document_shapes>(draw.topics, [&]<std::size_t i>() {
    constexpr ByDocumentShape s = by_document_shapes[i];
    constexpr int threads = GroupShape<s.G, s.N>::threads;
    draw_by_document<s.G, s.N, s.blocks>
        <<<blocks_for(draw.item_count * s.G, threads), threads, 0, stream>>>(draw, alpha);
  });
  if (!has_shape) {
    draw_by_document_of_many_topics<<<blocks_for(draw.item_count * 32), block_threads, 0, stream>>>(draw, alpha, rows);
  }
  execution::check_launch("drawing topics in order");
}

}  // namespace papilio::lda
