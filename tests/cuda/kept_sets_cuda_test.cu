// Draws that never leave a kept set: one row of logits, drawn from at position after position, every token looked up on
// the device. PAPILIO_KEPT_SET_DRAWS says how many draws per law; ten billion in all are made now and then.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cuda/support.h"
#include "papilio/tokens.h"

namespace papilio::testing {
namespace {

constexpr std::int64_t categories = 64;
constexpr std::int64_t rows = std::int64_t{1} << 20;  // per call

__global__ void count_tokens(const std::int32_t* tokens, unsigned long long* counts) {
  __shared__ unsigned long long here[categories + 1];
  for (int k = threadIdx.x; k <= categories; k += blockDim.x) here[k] = 0;
  __syncthreads();
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const std::int32_t token = tokens[i];
    atomicAdd(&here[token >= 0 && token < categories ? token : categories], 1ull);
  }
  __syncthreads();
  for (int k = threadIdx.x; k <= categories; k += blockDim.x)
    if (here[k] != 0) atomicAdd(&counts[k], here[k]);
}

std::int64_t draws_per_law() {
  const char* asked = std::getenv("PAPILIO_KEPT_SET_DRAWS");
  return asked == nullptr ? 4 * rows : std::atoll(asked);
}

struct FilteredLaw {
  const char* what;
  float temperature;
  std::int32_t top_k;
  float top_p, min_p;
  bool masked;
};

class CudaKeptSets : public CudaTest, public ::testing::WithParamInterface<FilteredLaw> {};

// Logits of which some are far below the others, so that their weights are the least that there are, or none.
std::vector<float> spread_logits() {
  std::mt19937_64 bits(3);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> logits(categories);
  for (std::size_t k = 0; k < logits.size(); ++k) logits[k] = k % 4 == 3 ? -30 - static_cast<float>(k) : normal(bits);
  logits[10] = -std::numeric_limits<float>::infinity();
  return logits;
}

TEST_P(CudaKeptSets, AreNotLeft) {
  const FilteredLaw& law = GetParam();
  const std::vector<float> logits = spread_logits();
  const std::vector<std::uint32_t> mask = {0xA5F0'3C99u, 0x0F1E'77C3u};
  TokenFilters filters;
  filters.temperature = law.temperature;
  filters.top_k = law.top_k;
  filters.top_p = law.top_p;
  filters.min_p = law.min_p;
  TokenFilters here = filters;
  if (law.masked) here.allowed = {mask.data(), 1, 2};
  std::vector<std::int32_t> token(1), kept(categories);
  std::vector<float> logs(categories);
  sample_tokens(MatrixView<const float>(logits.data(), 1, categories),
                {.tokens = token,
                 .kept_categories = {kept.data(), 1, categories},
                 .kept_log_probabilities = {logs.data(), 1, categories}},
                here);
  DeviceCopy<float> device_logits(logits);
  DeviceCopy<std::uint32_t> device_mask(mask);
  if (law.masked) filters.allowed = {device_mask.data(), rows, 2, 0, 1, Device::cuda()};
  execution::DeviceArray<std::int32_t> tokens(rows, "tokens");
  execution::DeviceArray<unsigned long long> counts(categories + 1, "counts");
  counts.clear(nullptr);
  const std::int64_t calls = (draws_per_law() + rows - 1) / rows;
  for (std::int64_t call = 0; call < calls; ++call) {
    sample_tokens(MatrixView<const float>{device_logits.data(), rows, categories, 0, 1, Device::cuda()},
                  {.tokens = {tokens.data(), rows, Device::cuda()}}, filters,
                  {.seed = 11, .first_position = static_cast<std::uint64_t>(call * rows)});
    count_tokens<<<512, 256>>>(tokens.data(), counts.data());
  }
  std::vector<unsigned long long> found(categories + 1);
  counts.download(found.data(), categories + 1, nullptr);
  execution::check(cudaStreamSynchronize(nullptr), "draws of a test");
  EXPECT_EQ(found[categories], 0u) << "tokens that are none";
  const auto all = static_cast<double>(calls * rows);
  std::vector<double> probabilities(categories);
  for (std::size_t j = 0; j < kept.size() && kept[j] >= 0; ++j)
    probabilities[static_cast<std::size_t>(kept[j])] = std::exp(static_cast<double>(logs[j]));
  double chi_square = 0, cells = 0;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    const double expected = probabilities[k] * all;
    if (probabilities[k] == 0) EXPECT_EQ(found[k], 0u) << "category " << k << " is not kept";
    if (expected < 10) continue;
    chi_square += (static_cast<double>(found[k]) - expected) * (static_cast<double>(found[k]) - expected) / expected;
    cells += 1;
  }
  // Six laws at 1e-5 each, by Wilson and Hilferty. Log probabilities are floats: their error adds all * 1e-13 at most.
  const double freedom = std::max(cells - 1, 1.0), t = 2 / (9 * freedom);
  EXPECT_LT(chi_square, freedom * std::pow(1 - t + 4.27 * std::sqrt(t), 3) + all * 1e-12);
  std::printf("%s: %.3g draws, %.0f cells, chi-square %.1f\n", law.what, all, cells, chi_square);
}

INSTANTIATE_TEST_SUITE_P(
    Laws, CudaKeptSets,
    ::testing::Values(FilteredLaw{"whole", 1, 0, 1, 0, false}, FilteredLaw{"masked", 1, 0, 1, 0, true},
                      FilteredLaw{"top_k", 0.8f, 7, 1, 0, false}, FilteredLaw{"top_k and top_p", 1, 20, 0.9f, 0, true},
                      FilteredLaw{"top_p", 1.3f, 0, 0.95f, 0, false}, FilteredLaw{"min_p", 1, 0, 1, 0.01f, true}));

}  // namespace
}  // namespace papilio::testing
