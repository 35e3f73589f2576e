#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"
#include "random/uniform_lanes.h"
#include "support/oracle.h"
#include "warp/native_warp.h"
#include "warp/scalar_warp.h"

namespace papilio::random {
namespace {

using Words = std::array<std::uint32_t, 4>;
constexpr std::uint32_t all_ones = std::numeric_limits<std::uint32_t>::max();

Words words(const Block& block) { return {block.word[0], block.word[1], block.word[2], block.word[3]}; }

struct KnownAnswer {
  std::uint32_t counter[4];
  std::uint32_t key[2];
  Words result;
};

std::vector<KnownAnswer> known_answers() {
  std::vector<KnownAnswer> answers;
  std::ifstream file(PAPILIO_TEST_DATA "/philox_kat.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    KnownAnswer answer{};
    std::istringstream in(line);
    in >> std::hex;
    for (std::uint32_t& word : answer.counter) in >> word;
    for (std::uint32_t& word : answer.key) in >> word;
    for (std::uint32_t& word : answer.result) in >> word;
    EXPECT_FALSE(in.fail()) << line;
    answers.push_back(answer);
  }
  return answers;
}

TEST(Philox, GivesRandom123sKnownAnswers) {
  const auto answers = known_answers();
  ASSERT_EQ(answers.size(), 3u);
  for (const auto& [c, key, result] : answers) {
    EXPECT_EQ(words(philox4x32(Block{{c[0], c[1], c[2], c[3]}}, key[0], key[1])), result);
    EXPECT_EQ(testing::philox({c[0], c[1], c[2], c[3]}, {key[0], key[1]}), result) << "the oracle";
  }
}

// The third answer once more: which half of seed, stream and index goes where.
TEST(Philox, KeyIsTheSeedAndCounterIsIndexThenStream) {
  const Words expected = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  EXPECT_EQ(words(draw_block(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88)), expected);
}

TEST(Philox, FirstDraws) {
  const double expected[] = {0x1.c2d38b1acc4fdp-1, 0x1.72c8036fe3932p-2, 0x1.471cca9813ea8p-2};
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Block b = draw_block(0, 0, i);
    EXPECT_EQ(uniform53(b.word[0], b.word[1]), expected[i]) << "index " << i;
  }
  const Block b = draw_block(42, stream(Purpose::topics, 7), 5);
  EXPECT_EQ(uniform53(b.word[0], b.word[1]), 0x1.3c859ef6c2f1ap-2);
}

TEST(Uniform, StaysBelowOneAndReachesBothEnds) {
  EXPECT_EQ(uniform53(0, 0), 0.0);
  EXPECT_EQ(uniform53(0x7ff, 0), 0.0);  // the 11 low bits are not used
  EXPECT_EQ(uniform53(0x800, 0), 0x1p-53);
  EXPECT_EQ(uniform53(all_ones, all_ones), 1 - 0x1p-53);
  EXPECT_EQ(uniform53(0, 0x80000000u), 0.5);
  EXPECT_EQ(uniform24(0), 0.0f);
  EXPECT_EQ(uniform24(0xff), 0.0f);
  EXPECT_EQ(uniform24(0x100), 0x1p-24f);
  EXPECT_EQ(uniform24(all_ones), 1 - 0x1p-24f);
}

TEST(Uniform, ShortOneIsTheLongOneCutOff) {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto low = static_cast<std::uint32_t>(bits()), high = static_cast<std::uint32_t>(bits());
    const double u = uniform53(low, high);
    ASSERT_EQ(u, testing::uniform53_of({low, high, 0, 0}));
    ASSERT_EQ(uniform24(high), testing::uniform24_of({low, high, 0, 0}));
    ASSERT_TRUE(uniform24(high) <= u && u < static_cast<double>(uniform24(high)) + 0x1p-24) << low << ' ' << high;
  }
}

template <class W>
class RandomLanes : public ::testing::Test {};
using Warps = ::testing::Types<warp::ScalarWarp<4>, warp::ScalarWarp<32>, warp::SimdWarp<4, warp::register_bytes>,
                               warp::SimdWarp<8, warp::register_bytes>, warp::SimdWarp<16, warp::register_bytes>,
                               warp::SimdWarp<32, warp::register_bytes>>;
TYPED_TEST_SUITE(RandomLanes, Warps);

TYPED_TEST(RandomLanes, AreTheScalarBlocksAndFractions) {
  using W = TypeParam;
  std::mt19937_64 bits(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::uint64_t seed = bits(), stream = bits();
    std::uint64_t index[W::width];
    std::uint32_t low[W::width], high[W::width];
    for (int l = 0; l < W::width; ++l) {
      index[l] = trial == 0 ? ~std::uint64_t{0} : bits();
      low[l] = static_cast<std::uint32_t>(index[l]);
      high[l] = static_cast<std::uint32_t>(index[l] >> 32);
    }
    const auto block = draw_blocks<W>(seed, stream, W::load(low), W::load(high));
    std::uint32_t word[4][W::width];
    for (int i = 0; i < 4; ++i) W::store(word[i], block.word[i]);
    double u[W::width];
    W::store(u, uniform53<W>(block.word[0], block.word[1]));
    for (int l = 0; l < W::width; ++l) {
      const Words lane = {word[0][l], word[1][l], word[2][l], word[3][l]};
      ASSERT_EQ(lane, testing::random_block(seed, stream, index[l])) << "lane " << l;
      ASSERT_EQ(lane, words(draw_block(seed, stream, index[l]))) << "lane " << l;
      ASSERT_EQ(u[l], testing::uniform53_of(lane)) << "lane " << l;
    }
  }
}

TYPED_TEST(RandomLanes, FractionsReachBothEndsAndNeverOne) {
  using W = TypeParam;
  const std::uint32_t extremes[] = {0, 1, 0x7ff, 0x800, 0x7fffffff, 0x80000000, all_ones - 1, all_ones};
  for (const std::uint32_t low : extremes) {
    for (const std::uint32_t high : extremes) {
      double u[W::width];
      W::store(u, uniform53<W>(W::template splat<std::uint32_t>(low), W::template splat<std::uint32_t>(high)));
      for (const double lane : u) ASSERT_EQ(lane, uniform53(low, high)) << low << ' ' << high;
      ASSERT_LT(u[0], 1.0);
    }
  }
}

// These numbers are part of every result drawn with them.
TEST(Purpose, StreamsNeverChange) {
  EXPECT_EQ(stream(Purpose::topics, 7), 0x0000000100000007u);
  EXPECT_EQ(stream(Purpose::initial_topics), 0x0000000200000000u);
  EXPECT_EQ(stream(Purpose::generate_lengths, 1), 0x0000000300000001u);
  EXPECT_EQ(stream(Purpose::generate_tokens, 0xffffffff), 0x00000004ffffffffu);
}

}  // namespace
}  // namespace papilio::random
