// Scans and reductions of a CUDA block (collective/block_scan.cuh): the bits of the same steps on scalar warps.

#include "collective/block_scan.cuh"

#include <cstring>
#include <random>

#include "collective/scan_cases.h"
#include "cuda/support.h"

namespace papilio::testing {
namespace {

using collective::Add;
using collective::AffineMap;
using collective::block_warps;
using collective::BlockTotals;
using collective::Compose;
using collective::Matrix2;
using collective::MultiplyLeft;
using collective::RunEnd;
using collective::Scanned;

// Block b has the elements b * block_threads, ...; all calls share their memory.
template <int block_threads, class T, class Op>
__global__ void run_blocks(const T* x, const std::uint8_t* heads, Op op, Scanned<T>* scanned, T* reduced,
                           Scanned<RunEnd<T>>* segmented) {
  __shared__ BlockTotals<T, block_warps<block_threads>> shared;
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  scanned[i] = collective::scan_block<block_threads>(x[i], op, shared);
  reduced[i] = collective::reduce_block<block_threads>(x[i], op, shared);
  segmented[i] = collective::segmented_scan_block<block_threads>(x[i], heads[i] != 0, op, shared);
}

template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T>
bool same(const RunEnd<T>& a, const RunEnd<T>& b) {  // bytes between members are left open
  return same(a.value, b.value) && a.begins == b.begins;
}

template <int block_threads, class T, class Op>
void expect_host_bits(Op op, std::uint8_t rarity) {
  constexpr int blocks = 3, warps = block_warps<block_threads>;
  constexpr std::size_t count = std::size_t{blocks} * block_threads;
  const auto x = elements<T>(count, op, rarity + std::uint64_t{7});
  std::mt19937 bits(rarity);
  std::vector<std::uint8_t> heads(count);
  for (std::uint8_t& head : heads) head = rarity != 0 && bits() % rarity == 0 ? 1 : 0;

  DeviceCopy<T> device_x(x), reduced(x);
  DeviceCopy<std::uint8_t> device_heads(heads);
  DeviceCopy<Scanned<T>> scanned((std::vector<Scanned<T>>(count)));
  DeviceCopy<Scanned<RunEnd<T>>> segmented((std::vector<Scanned<RunEnd<T>>>(count)));
  run_blocks<block_threads, T><<<blocks, block_threads>>>(device_x.data(), device_heads.data(), op, scanned.data(),
                                                          reduced.data(), segmented.data());
  execution::check_launch("a kernel of a test");
  const auto found_scanned = scanned.host();
  const auto found_reduced = reduced.host();
  const auto found_segmented = segmented.host();
  for (int b = 0; b < blocks; ++b) {
    const auto begin = x.begin() + std::ptrdiff_t{b} * block_threads;
    const std::vector<T> part(begin, begin + block_threads);
    const auto head = heads.begin() + std::ptrdiff_t{b} * block_threads;
    const std::vector<std::uint8_t> part_heads(head, head + block_threads);
    const auto expected = scan_on_host<32, warps>(part, op);
    const auto expected_total = reduce_on_host<32, warps>(part, op);
    const auto expected_runs = segmented_scan_on_host<32, warps>(part, part_heads, op);
    for (std::size_t t = 0; t < std::size_t{block_threads}; ++t) {
      const std::size_t i = static_cast<std::size_t>(b) * block_threads + t;
      ASSERT_TRUE(same(found_scanned[i].value, expected.value[t])) << "scan, thread " << t << " of block " << b;
      ASSERT_TRUE(same(found_scanned[i].total, expected.total[t])) << "total, thread " << t << " of block " << b;
      ASSERT_TRUE(same(found_reduced[i], expected_total[t])) << "reduction, thread " << t << " of block " << b;
      ASSERT_TRUE(same(found_segmented[i].value, expected_runs.value[t])) << "segments, thread " << t << ", " << b;
      ASSERT_TRUE(same(found_segmented[i].total, expected_runs.total[t])) << "their total, thread " << t << ", " << b;
    }
  }
  EXPECT_TRUE(scanned.gaps_intact() && reduced.gaps_intact() && segmented.gaps_intact());
}

// No heads, some, and all.
template <class T, class Op>
void expect_host_bits_of_all_blocks(Op op) {
  for (const std::uint8_t rarity : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{3}, std::uint8_t{90}}) {
    SCOPED_TRACE(static_cast<int>(rarity));
    ASSERT_NO_FATAL_FAILURE((expect_host_bits<32, T>(op, rarity)));
    ASSERT_NO_FATAL_FAILURE((expect_host_bits<160, T>(op, rarity)));
    ASSERT_NO_FATAL_FAILURE((expect_host_bits<1024, T>(op, rarity)));
  }
}

class CudaBlockScan : public CudaTest {};

TEST_F(CudaBlockScan, SmokeOfPlacesInOrder) { expect_host_bits_of_all_blocks<Places>(JoinPlaces{}); }
TEST_F(CudaBlockScan, SmokeOfFloats) { expect_host_bits_of_all_blocks<float>(Add{}); }
TEST_F(CudaBlockScan, Doubles) { expect_host_bits_of_all_blocks<double>(Add{}); }
TEST_F(CudaBlockScan, AffineMaps) { expect_host_bits_of_all_blocks<AffineMap<double>>(Compose{}); }
TEST_F(CudaBlockScan, Matrices) { expect_host_bits_of_all_blocks<Matrix2<float>>(MultiplyLeft{}); }

}  // namespace
}  // namespace papilio::testing
