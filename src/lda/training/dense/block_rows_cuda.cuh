#pragma once

#include <cstdint>
#include <type_traits>

#include "lda/training/dense/blocks_cuda.h"
#include "lda/training/dense/rows_cuda.cuh"
#include "sampling/blocks/block_methods.h"
#include "warp/cuda_warp.cuh"

// Draws of 32 tokens by a method of the papers: thread q of a warp has token q. All loads are ordinary ones, so a
// kernel may write the rows from which it draws.

namespace papilio::lda {

namespace thread = cuda::warp::thread;

// The rows of a tile of tokens, in the form that collective/rows.h requires.
class TopicBlockRows {
 public:
  using Weight = float;

  struct alignas(16) Place {
    const float* theta;  // null: there is no token, and the row has no topics
    const float* phi;
  };
  // One topic of a row, with a changed theta; none if the topic is -1.
  struct Change {
    std::int32_t topic;
    float theta;
  };
  struct Shared {
    Place places[32];
    Change changes[32];
  };

  // All threads of the warp construct theirs together, in the warp's shared memory.
  __device__ __forceinline__ TopicBlockRows(Shared& shared, std::int32_t topics, const Place& own, const Change& change)
      : shared_(shared), topics_(topics), lane_(thread::lane()) {
    __syncwarp();  // others may still read the previous tile
    shared.places[lane_] = own;
    shared.changes[lane_] = change;
    __syncwarp();
  }

  __device__ __forceinline__ std::int64_t longest() const { return topics_; }
  __device__ __forceinline__ std::int64_t size(int q) const { return shared_.places[q].theta != nullptr ? topics_ : 0; }
  __device__ __forceinline__ float weight(int q, std::int64_t k) const {
    const Place place = shared_.places[q];
    const Change change = shared_.changes[q];
    return (k == change.topic ? change.theta : place.theta[k]) * place.phi[k];
  }
  template <cuda::warp::Warp W>
  __device__ __forceinline__ float block(int q, std::int64_t k) const {
    return k + lane_ < size(q) ? weight(q, k + lane_) : 0;
  }
  template <cuda::warp::Warp W>
  __device__ __forceinline__ float column(std::int64_t k) const {
    return k < size(lane_) ? weight(lane_, k) : 0;
  }

 private:
  const Shared& shared_;
  const std::int32_t topics_;
  const int lane_;
};

// How a warp draws.
template <PartialSums method, bool remnant_first>
class TopicTile {
  using W = cuda::warp::CudaWarp<32>;
  static constexpr int scratch_size = kernel::block_scratch_size<W>(method);

 public:
  struct Shared {
    TopicBlockRows::Shared rows;
    float scratch[scratch_size == 0 ? 1 : scratch_size];
  };

  __device__ TopicTile(Shared& shared, float* table, std::int32_t topics)
      : shared_(shared), table_(table), topics_(topics) {}

  // The topic of this thread's token; -1 if no weight is positive.
  __device__ __forceinline__ std::int32_t draw(float u, const TopicBlockRows::Place& place,
                                               const TopicBlockRows::Change& change = {-1, 0}) const {
    const TopicBlockRows rows(shared_.rows, topics_, place, change);
    const auto found =
        kernel::draw_by_method<method, W>(rows, u, table_, shared_.scratch, std::bool_constant<remnant_first>());
    if (!(found.total > 0) || found.total - found.total != 0) return -1;
    return static_cast<std::int32_t>(
        collective::positive_at_or_before(rows, thread::lane(), std::int64_t{found.category}));
  }

 private:
  Shared& shared_;
  float* const table_;
  const std::int32_t topics_;
};

// The random numbers of a token: as in topic_rows.cuh, except that u has the bits of a float.
struct BlockUniforms {
  float draw;
  double accept;
};
__device__ __forceinline__ BlockUniforms block_uniforms_of(const TopicDraw& draw, std::uint64_t stream,
                                                           std::int64_t token) {
  using W = cuda::warp::CudaWarp<32>;
  const auto number = static_cast<std::uint64_t>(draw.first_token + token);
  const auto block = cuda::random::draw_blocks<W>(draw.seed, stream, static_cast<std::uint32_t>(number),
                                                  static_cast<std::uint32_t>(number >> 32));
  return {kernel::uniform_of_type<W, float>(block), cuda::random::uniform53(block.word[2], block.word[3])};
}

}  // namespace papilio::lda
