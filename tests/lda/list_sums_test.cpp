#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "lda/training/sparse/parallel/document_part_kernel.h"
#include "warp/native_warp.h"
#if defined(__AVX512F__)
#include "lda/training/sparse/parallel/in_lanes/document_part_kernel.h"
#endif

// What a document's list is multiplied by: the values of its topics, however they are read.

namespace papilio {
namespace {

using lda::sparse::NarrowEntry;

struct Problem {
  std::vector<float> phi;
  std::vector<NarrowEntry> entries;  // not in the order of topics, so that a wrong lane shows
};

Problem problem_of(std::uint32_t topics, std::size_t size, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Problem problem{.phi = std::vector<float>(topics), .entries = std::vector<NarrowEntry>(size)};
  for (float& value : problem.phi) value = static_cast<float>(bits() >> 40) * 0x1p-24f;
  for (NarrowEntry& entry : problem.entries) {
    entry = NarrowEntry::of(static_cast<std::uint32_t>(bits() % topics), static_cast<std::uint32_t>(bits() % 65536));
  }
  problem.entries.front() = NarrowEntry::of(topics - 1, 65535);
  return problem;
}

TEST(ListSums, MultiplyCountsByPhi) {
  for (const std::uint32_t topics : {1u, 7u, 128u, 1000u, 65536u}) {
    const Problem problem = problem_of(topics, lda::sparse::lanes, topics);
    float found[lda::sparse::lanes];
    sparse_kernel::EightLanes::store(found, sparse_kernel::weights(problem.entries.data(), problem.phi.data()));
    for (std::uint32_t l = 0; l < lda::sparse::lanes; ++l) {
      const NarrowEntry entry = problem.entries[l];
      EXPECT_EQ(found[l], static_cast<float>(entry.count()) * problem.phi[entry.topic()]) << topics << ", lane " << l;
    }
  }
}

#if defined(__AVX512F__)

using sparse_kernel::Sixteen;

template <class Phi>
void expect_phi(const Problem& problem) {
  const NarrowEntry *first = problem.entries.data(), *second = first + 40;
  const auto topics = Sixteen::generate<std::int32_t>(
      [&](int l) { return static_cast<std::int32_t>((l < 8 ? first[l] : second[l - 8]).topic()); });
  float found[Sixteen::width];
  Sixteen::store(found, Phi(problem.phi.data())(topics, first, second));
  for (int l = 0; l < Sixteen::width; ++l) {
    EXPECT_EQ(found[l], problem.phi[(l < 8 ? first[l] : second[l - 8]).topic()]) << "lane " << l;
  }
}

TEST(PhiOfSixteen, IsTheSameByAGatherByLoadsAndInRegisters) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const std::uint32_t topics : {128u, 129u, 1000u, 65536u}) {
      const Problem problem = problem_of(topics, 48, seed);
      expect_phi<sparse_kernel::GatheredPhi>(problem);
      expect_phi<sparse_kernel::LoadedPhi>(problem);
    }
    expect_phi<sparse_kernel::PhiInRegisters<128>>(problem_of(128, 48, seed));
  }
}

#endif

}  // namespace
}  // namespace papilio
