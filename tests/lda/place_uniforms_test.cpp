#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "lda/training/sparse/place_uniforms_kernel.h"
#include "random/philox.h"
#include "random/uniform.h"
#include "warp/native_warp.h"

// Many tokens at a time have the numbers that each of them has alone.

namespace papilio {
namespace {

TEST(PlaceUniforms, AreThoseOfOneTokenAtATime) {
  using W = warp::SimdWarp<warp::register_bytes == 64 ? 32 : 8, warp::register_bytes>;
  std::mt19937_64 bits(3);
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{0xffff'fff0}, std::uint64_t{0xffff'ffff}, std::uint64_t{5} << 32}) {
    for (int trial = 0; trial < 100; ++trial) {
      const std::uint64_t seed = bits(), stream = bits();
      std::uint32_t places[W::width];
      for (std::uint32_t& place : places) place = static_cast<std::uint32_t>(bits()) >> (bits() % 32);
      double u[W::width];
      sparse_kernel::place_uniforms<W>(seed, stream, first, places, u);
      for (int l = 0; l < W::width; ++l) {
        const auto block = random::draw_block(seed, stream, first + places[l]);
        ASSERT_EQ(u[l], random::uniform53(block.word[0], block.word[1])) << first << " + " << places[l];
      }
    }
  }
}

}  // namespace
}  // namespace papilio
