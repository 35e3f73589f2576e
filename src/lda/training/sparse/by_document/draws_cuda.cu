#include <algorithm>

#include "base/math.h"
#include "collective/block.cuh"
#include "collective/warp_scan.cuh"
#include "execution/cuda/memory.h"
#include "execution/cuda/shared_bytes.h"
#include "lda/training/dense/rows_cuda.cuh"
#include "lda/training/sparse/by_document/document_cuda.cuh"
#include "lda/training/sparse/by_document/draws_cuda.h"
#include "lda/training/sparse/by_document/prior_part_cuda.cuh"
#include "lda/training/sparse/rounding.h"

namespace papilio::lda {
namespace {

constexpr int lanes = sparse::topics_per_line;
constexpr int block_threads = 128;

// How many documents a block has: eight, or fewer if they are long, so that their counts take the same memory.
template <class Count>
constexpr int documents_per_block = block_threads / lanes / static_cast<int>(sizeof(Count));

// Tokens of a document, one per thread: what their draws need in addition to phi.
struct TokenOfThread {
  std::int64_t token;  // number in the range
  std::int32_t word;
  std::int32_t old;
  std::uint64_t mass;  // of the prior part
  double prior;        // the same as a floating-point number
  double u;

  // The document's i-th token; past the last token, the last one.
  __device__ __forceinline__ TokenOfThread(const SparseByDocumentDraw& d, const TopicItem& item, int i) {
    token = item.first + d.by_word[item.first + min(i, item.count - 1)];
    word = d.draw.words[token];
    old = d.draw.z[token];
    mass = __ldg(d.prior.totals + word);
    prior = sparse::weight_of(mass, d.prior.unit);
    u = uniforms_of(d.draw, d.draw.stream, token).draw;
  }
};

// One of these tokens, known to all 16 threads.
struct Token {
  const TokenOfThread& mine;
  int i;
  std::int32_t word;
  std::int32_t old;
  double prior;
  double u;

  __device__ __forceinline__ Token(const TokenOfThread& of_thread, int turn)
      : mine(of_thread),
        i(turn),
        word(__shfl_sync(all_threads, mine.word, i, lanes)),
        old(__shfl_sync(all_threads, mine.old, i, lanes)),
        prior(__shfl_sync(all_threads, mine.prior, i, lanes)),
        u(__shfl_sync(all_threads, mine.u, i, lanes)) {}

  __device__ __forceinline__ std::uint64_t mass() const {
    return __shfl_sync(all_threads, static_cast<unsigned long long>(mine.mass), i, lanes);
  }
};

struct DrawnTopic {
  std::int32_t topic;
  bool by_document;
};

// Draws a token that has been taken out of the document's counts. Two documents share a warp, whose threads keep step.
template <class Document>
__device__ __forceinline__ DrawnTopic draw_token(const SparseByDocumentDraw& d, const Document& document,
                                                 const Token& token, bool is_there) {
  const int l = static_cast<int>(threadIdx.x) % lanes;
  const float* const phi = d.prior.phi + token.word * d.prior.stride;
  const float sum = document.sum(phi);
  const float prefix = cuda::collective::warp_scan_by_halves<lanes>(sum);
  const auto of_document = static_cast<double>(__shfl_sync(all_threads, prefix, lanes - 1, lanes));
  const double target = token.u * (of_document + token.prior);
  const bool by_document = target < of_document;

  const unsigned above = ballot_of_group(prefix > sparse::rounded_down(target));
  const int lane = by_document ? __ffs(static_cast<int>(above)) - 1 : 0;
  const float up_to = __shfl_up_sync(all_threads, prefix, 1, lanes);
  std::int32_t topic = token.old;
  if (by_document && l == lane) {
    // Rounding may leave more than the lane holds: then take the last topic that has increased the lane's sum.
    const float rest = sparse::rounded_down(target - (l == 0 ? 0.0 : static_cast<double>(up_to)));
    topic = document.find(phi, fminf(rest, sparse::below(sum)));
  }
  topic = __shfl_sync(all_threads, topic, lane, lanes);

  const bool by_prior = is_there && !by_document && token.prior != 0;
  if (__any_sync(all_threads, by_prior)) {
    const std::uint64_t mass = token.mass();
    const std::uint64_t sought = by_prior ? sparse::unit_below((target - of_document) * d.prior.places, mass) : 0;
    const std::int32_t found = find_in_prior(d.prior, token.word, sought);
    if (by_prior) topic = found;
  }
  return {topic, by_document};
}

template <class Document>
__device__ __forceinline__ void ask_for_row(const SparseByDocumentDraw& d, const Document& document, std::int32_t word,
                                            std::int32_t next, float* target) {
  if (next != word) document.ask_for_row(d.prior.phi + next * d.prior.stride, target);
}

// The documents of a warp, one or two: `count` is 0 if the second does not exist.
template <class Document>
__device__ __forceinline__ void draw_document(const SparseByDocumentDraw& d, const TopicItem& item, int count,
                                              Document document, bool asks_ahead, float* target) {
  const int l = static_cast<int>(threadIdx.x) % lanes;
  if (count > 0) document.clear(d.draw.topics);
  __syncwarp();
  for (int i = l; i < count; i += lanes) document.count(d.draw.z[item.first + i]);
  __syncwarp();
  if (count > 0) document.load(d.draw.topics);
  const std::int32_t topics = document.size();

  int from_document = 0;
  const int longest = __reduce_max_sync(all_threads, count);
  TokenOfThread now(d, item, l);
  for (int run = 0; run < longest; run += lanes) {
    const TokenOfThread next(d, item, run + lanes + l);
    std::int32_t topic = now.old;
#pragma unroll 1
    for (int i = 0; i < lanes && run + i < longest; ++i) {
      const bool is_there = run + i < count;
      const Token token(now, i);
      if (asks_ahead) {
        const std::int32_t in_run = __shfl_sync(all_threads, now.word, (i + 1) % lanes, lanes);
        const std::int32_t after_run = __shfl_sync(all_threads, next.word, 0, lanes);
        ask_for_row(d, document, token.word, i + 1 < lanes ? in_run : after_run, target);
      }
      if (is_there && token.old % lanes == l) document.take(token.old);
      const DrawnTopic drawn = draw_token(d, document, token, is_there);
      if (is_there && drawn.topic % lanes == l) document.add(drawn.topic);
      if (i == l) topic = drawn.topic;
      from_document += is_there && drawn.by_document ? 1 : 0;
    }
    if (run + l < count && topic != now.old) move_token(d.draw, now.token, now.word, now.old, topic);
    now = next;
  }
  if (asks_ahead) wait_for_what_was_asked();
  const unsigned entries = __reduce_add_sync(all_threads, static_cast<unsigned>(topics));
  const unsigned drawn = __reduce_add_sync(all_threads, l == 0 ? static_cast<unsigned>(from_document) : 0u);
  if (threadIdx.x % 32 == 0) {
    cuda::collective::atomic_add(&d.statistics->entries, entries);
    cuda::collective::atomic_add(&d.statistics->from_document, drawn);
  }
}

// A block draws documents [first, end) of the items; if there are few enough topics, their counts are in shared memory.
template <class Count, class Lines, bool in_shared>
__device__ __forceinline__ void draw_documents(const SparseByDocumentDraw& d, std::int64_t first, std::int64_t end,
                                               bool asks_ahead, std::byte* shared, float* target) {
  constexpr int documents = in_shared ? documents_per_block<Count> : block_threads / lanes;
  const int g = static_cast<int>(threadIdx.x) / lanes;
  if (g >= documents) return;  // whole warps: a block has at least two
  const std::int64_t i = first + g;
  const TopicItem item = d.draw.items[min(i, end - 1)];
  void* memory;
  if constexpr (in_shared) {
    memory = shared + g * counted_document_bytes(d.draw.topics, sizeof(Count));
  } else {
    memory = d.rows + item.document * (counted_document_bytes(d.draw.topics, sizeof(Count)) / 4);
  }
  draw_document(d, item, i < end ? item.count : 0, CountedDocument<Count, Lines>(memory, d.draw.topics), asks_ahead,
                target);
}

// Blocks of very long documents, then blocks of long ones, then the others.
struct Blocks {
  std::int64_t very_long, rest_of_long, others;

  explicit Blocks(const SparseByDocumentDraw& d)
      : very_long(base::ceil_div<std::int64_t>(d.very_long_documents, documents_per_block<std::uint32_t>)),
        rest_of_long(
            base::ceil_div<std::int64_t>(d.long_documents - d.very_long_documents, documents_per_block<std::uint16_t>)),
        others(base::ceil_div<std::int64_t>(d.draw.item_count - d.long_documents, documents_per_block<std::uint8_t>)) {}
  std::int64_t all() const { return very_long + rest_of_long + others; }
};

template <class Lines>
__global__ void __launch_bounds__(block_threads, Lines::blocks_per_multiprocessor)
    draw_in_shared(const __grid_constant__ SparseByDocumentDraw d, const Blocks blocks, bool asks_ahead) {
  extern __shared__ uint4 shared[];
  __shared__ float targets[block_threads];
  auto* const memory = reinterpret_cast<std::byte*>(shared);
  float* const target = targets + threadIdx.x;
  std::int64_t block = blockIdx.x;
  if (block < blocks.very_long) {
    draw_documents<std::uint32_t, Lines, true>(d, block * documents_per_block<std::uint32_t>, d.very_long_documents,
                                               asks_ahead, memory, target);
    return;
  }
  block -= blocks.very_long;
  if (block < blocks.rest_of_long) {
    draw_documents<std::uint16_t, Lines, true>(d, d.very_long_documents + block * documents_per_block<std::uint16_t>,
                                               d.long_documents, asks_ahead, memory, target);
    return;
  }
  block -= blocks.rest_of_long;
  draw_documents<std::uint8_t, Lines, true>(d, d.long_documents + block * documents_per_block<std::uint8_t>,
                                            d.draw.item_count, asks_ahead, memory, target);
}

__global__ void __launch_bounds__(block_threads, ManyLines::blocks_per_multiprocessor)
    draw_in_global(const __grid_constant__ SparseByDocumentDraw d, bool asks_ahead) {
  __shared__ float targets[block_threads];
  draw_documents<std::uint32_t, ManyLines, false>(d, std::int64_t{blockIdx.x} * (block_threads / lanes),
                                                  d.draw.item_count, asks_ahead, nullptr, targets + threadIdx.x);
}

template <class Lines>
void queue_in_shared(const SparseByDocumentDraw& d, bool asks_ahead, cudaStream_t stream) {
  constexpr int documents = documents_per_block<std::uint8_t>;
  const Blocks blocks(d);
  const auto bytes = static_cast<std::size_t>(documents * counted_document_bytes(d.draw.topics, 1));
  execution::allow_shared_bytes(draw_in_shared<Lines>, static_cast<std::int64_t>(bytes), "requesting shared memory");
  draw_in_shared<Lines><<<static_cast<unsigned>(blocks.all()), block_threads, bytes, stream>>>(d, blocks, asks_ahead);
}

}  // namespace

void queue_sparse_by_document_draws(const SparseByDocumentDraw& d, const ByDocumentTuning& tuning,
                                    cudaStream_t stream) {
  if (d.draw.item_count == 0) return;
  const bool asks_ahead =
      d.draw.item_count <= std::int64_t{execution::multiprocessors()} * tuning.documents_to_ask_ahead;
  if (counted_document_row(d.draw.topics, tuning) > 0) {
    const std::int64_t blocks = base::ceil_div<std::int64_t>(d.draw.item_count, block_threads / lanes);
    draw_in_global<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(d, asks_ahead);
  } else if (document_line_words(d.draw.topics) == 1) {
    queue_in_shared<FewLines<1>>(d, asks_ahead, stream);
  } else if (document_line_words(d.draw.topics) <= 4) {
    queue_in_shared<FewLines<4>>(d, asks_ahead, stream);
  } else {
    queue_in_shared<ManyLines>(d, asks_ahead, stream);
  }
  execution::check_launch("drawing topics in order");
}

}  // namespace papilio::lda
