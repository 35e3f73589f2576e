// The last tiles of the longest row of gamma draws, which a public call reaches only with 16 GB: its columns end at
// 2^31 - 1, where a step further does not fit into 32 bits.

#include <cmath>
#include <limits>

#include "cuda/support.h"
#include "random/gamma.h"
#include "sampling/gamma/gamma_rows_cuda.cuh"
#include "warp/scalar_warp.h"

namespace papilio::testing {
namespace {

constexpr std::int32_t columns = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t tiles = 3;
constexpr std::int32_t first_tile = (std::int32_t{1} << 24) - tiles;
constexpr std::int32_t first = first_tile * random::gamma_tile;
constexpr float shape = 1.3f;

// One block of `warps` warps; drawn[k - first] is column k.
__global__ void draw_last_tiles(random::GammaBlocks blocks, float* drawn) {
  __shared__ sampling_kernel::PendingGammas pending[2];
  const auto warp = static_cast<std::int32_t>(threadIdx.x / 32), warps = static_cast<std::int32_t>(blockDim.x / 32);
  sampling_kernel::draw_gamma_tiles(
      blocks, first_tile + warp, warps, columns, pending[warp], [](std::int32_t) { return shape; },
      [](std::int32_t) { return 1.0f; }, drawn - first);
}

// The columns from `first` on, attempt by attempt.
std::vector<float> draws_on_host(const random::GammaBlocks& blocks) {
  using W = warp::ScalarWarp<32>;
  std::vector<float> drawn(std::size_t{tiles} * random::gamma_tile);
  const auto d = random::gamma_d<W>(W::splat<float>(shape));
  for (std::uint32_t part = 0; part < tiles * 4; ++part) {  // of 32 columns
    const std::uint32_t begin = static_cast<std::uint32_t>(first) + 32 * part;
    const auto column = W::bit_cast<std::uint32_t>(W::lane_id()) + begin;
    const auto group = W::bit_cast<std::uint32_t>(W::lane_id()) + begin / 128 * 32;
    const auto normals = random::four_normals<W>(random::gamma_block<W>(blocks, random::GammaPart::normal, group));
    const auto uniform = random::gamma_block<W>(blocks, random::GammaPart::acceptance, group);
    auto candidate = random::gamma_candidate<W>(d, normals.at[part % 4], uniform.word[part % 4]);
    std::uint64_t open = ~std::uint32_t{0};
    for (std::uint32_t attempt = 1; open != 0; ++attempt) {
      const std::uint64_t accepted =
          open & W::bits(random::accepted_by_squeeze<W>(candidate) | random::accepted_exactly<W>(candidate));
      const auto value = random::gamma_value<W>(candidate);
      for (std::size_t l = 0; l < 32; ++l)
        if ((accepted >> l & 1) != 0) drawn[32 * part + l] = value.at[l];
      open &= ~accepted;
      const auto block = random::gamma_retry_block<W>(blocks, column, W::splat<std::uint32_t>(attempt));
      candidate =
          random::gamma_candidate<W>(d, random::normal_pair<W>(block.word[0], block.word[1]).first, block.word[2]);
    }
  }
  drawn.pop_back();  // 2^31 - 1 is no column
  return drawn;
}

class GammaTiles : public CudaTest {};

TEST_F(GammaTiles, EndAtTheLastColumn) {
  const auto blocks = random::gamma_blocks(12, 3, 5);
  const std::vector<float> expected = draws_on_host(blocks);
  for (const unsigned warps : {1u, 2u}) {
    DeviceCopy<float> drawn(std::vector<float>(expected.size(), -7.0f));
    draw_last_tiles<<<1, 32 * warps>>>(blocks, drawn.data());
    execution::check_launch("a kernel of a test");
    execution::check(cudaDeviceSynchronize(), "a test");
    EXPECT_EQ(drawn.host(), expected) << warps << " warps";
    EXPECT_TRUE(drawn.gaps_intact());
  }
}

}  // namespace
}  // namespace papilio::testing
