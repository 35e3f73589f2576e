// Theta and phi drawn on a CUDA device: the bits of the CPU.

#include "lda/training/parameters/dirichlet_cuda.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "cuda/support.h"
#include "lda/training/dense/parallel_cuda.h"
#include "lda/training/parameters/dirichlet_cpu.h"

namespace papilio::lda {
namespace {

using testing::DeviceCopy;

class DirichletCuda : public testing::CudaTest {};

constexpr std::uint64_t seed = 0xFEDC'BA98'7654'3210;
std::uint64_t random_stream = 6ull << 32 | 4;

struct Documents {
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> z;
};

// Lengths 0, 1, and up to `longest`; topics are bunched, so that counts of all sizes occur.
Documents some_documents(std::int64_t count, std::int64_t longest, std::int32_t topics) {
  std::mt19937_64 bits(static_cast<std::uint64_t>(topics));
  Documents documents;
  for (std::int64_t d = 0; d < count; ++d) {
    const std::int64_t length = d % 5 == 0 ? 0
                                : d % 7 == 0
                                    ? 1
                                    : static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(longest + 1));
    for (std::int64_t i = 0; i < length; ++i) {
      const std::uint64_t among = bits() % 2 == 0 ? static_cast<std::uint64_t>(topics) : 3;
      documents.z.push_back(static_cast<std::int32_t>(bits() % among % static_cast<std::uint64_t>(topics)));
    }
    documents.offsets.push_back(static_cast<std::int64_t>(documents.z.size()));
  }
  return documents;
}

void expect_same_theta(const Documents& documents, std::int32_t topics, bool symmetric, std::int64_t first_document) {
  std::mt19937_64 bits(3);
  std::vector<double> alpha(static_cast<std::size_t>(topics), 0.05);
  for (double& a : alpha)
    if (!symmetric && documents.offsets.size() > 10'000)
      a = 1 + static_cast<double>(bits() % 100'000) / 50'000;
    else if (!symmetric)
      a = std::exp2(static_cast<double>(bits() % 1000) / 50 - 16);
  const std::int64_t count = static_cast<std::int64_t>(documents.offsets.size()) - 1;
  const std::int64_t stride = topic_stride(topics);

  std::vector<float> expected(static_cast<std::size_t>(count * stride));
  const sampling::GammaPrior prior(alpha);
  for (std::int64_t d = 0; d < count; ++d) {
    std::vector<std::int32_t> n_dk(static_cast<std::size_t>(topics));
    for (std::int64_t i = documents.offsets[static_cast<std::size_t>(d)];
         i < documents.offsets[static_cast<std::size_t>(d) + 1]; ++i)
      ++n_dk[static_cast<std::size_t>(documents.z[static_cast<std::size_t>(i)])];
    draw_theta(first_document + d, n_dk.data(), prior, seed, random_stream, expected.data() + d * stride);
  }

  DeviceCopy<std::int64_t> offsets(documents.offsets);
  DeviceCopy<std::int32_t> z(documents.z);
  DeviceCopy<float> theta(std::vector<float>(expected.size(), -3.0f));
  const execution::Stream stream;
  ThetaPriorOnDevice prior_there(topics);
  prior_there.set(alpha, stream.get());
  DocumentRange range;
  range.offsets = offsets.data();
  range.documents = count;
  range.first_document = first_document;
  range.tokens = static_cast<std::int64_t>(documents.z.size());
  range.z = z.data();
  range.stream = stream.get();
  queue_drawn_theta(range, {.theta = theta.data(),
                            .stride = stride,
                            .topics = topics,
                            .shape = prior_there.shape(),
                            .inverse = prior_there.inverse(),
                            .seed = seed,
                            .stream = random_stream});
  stream.wait();
  EXPECT_TRUE(theta.gaps_intact());
  EXPECT_TRUE(testing::same_bytes(theta.host(), expected, "theta")) << topics << " topics";
}

TEST_F(DirichletCuda, SmokeThetaIsTheCpus) {
  for (const std::int32_t topics : {1, 5, 31, 100, 128, 129, 200, 1000, 1024}) {
    const Documents documents = some_documents(97, 150, topics);
    expect_same_theta(documents, topics, true, 0);
    expect_same_theta(documents, topics, false, (std::int64_t{1} << 33) + 5);
  }
}

TEST_F(DirichletCuda, ThetaOfLongDocumentsAndManyTopics) {
  for (const std::int32_t topics : {20, 300, 2500, 8192, 8193, 20'000})
    expect_same_theta(some_documents(12, 9000, topics), topics, topics % 2 == 0, 7);
}

void expect_same_phi(std::int64_t words, std::int32_t topics, double beta, bool with_tokens) {
  std::mt19937_64 bits(4);
  std::vector<std::int32_t> n_wk(static_cast<std::size_t>(words * topics));
  const std::int64_t stride = topic_stride(topics);
  std::vector<std::int32_t> padded(static_cast<std::size_t>(words * stride), 99);
  std::int64_t tokens = 0;
  for (std::int64_t w = 0; w < words; ++w) {
    for (std::int64_t k = 0; k < topics; ++k) {
      const bool some = with_tokens && k % 5 != 4 && bits() % 6 == 0;
      const std::int32_t n = some ? static_cast<std::int32_t>(bits() % 200) : 0;
      n_wk[static_cast<std::size_t>(w * topics + k)] = padded[static_cast<std::size_t>(w * stride + k)] = n;
      tokens += n;
    }
  }
  AlignedTable phi(words, topics);
  draw_phi({.n_wk = n_wk.data(),
            .words = words,
            .topics = topics,
            .tokens = tokens,
            .beta = beta,
            .seed = seed,
            .stream = random_stream},
           phi);
  std::vector<float> expected(static_cast<std::size_t>(words * stride));
  for (std::int64_t w = 0; w < words; ++w) std::copy_n(phi.row(w), topics, expected.begin() + w * stride);

  DeviceCopy<std::int32_t> counts(padded);
  DeviceCopy<float> drawn(std::vector<float>(expected.size(), -3.0f));
  DeviceCopy<std::int64_t> workspace(
      std::vector<std::int64_t>(static_cast<std::size_t>(drawn_phi_workspace(topics)), -1));
  const execution::Stream stream;
  queue_drawn_phi({.phi = drawn.data(),
                   .stride = stride,
                   .n_wk = counts.data(),
                   .n_wk_stride = stride,
                   .words = words,
                   .topics = topics,
                   .tokens = tokens,
                   .beta = beta,
                   .seed = seed,
                   .stream = random_stream,
                   .workspace = workspace.data()},
                  stream.get());
  stream.wait();
  EXPECT_TRUE(drawn.gaps_intact());
  EXPECT_TRUE(workspace.gaps_intact());
  EXPECT_TRUE(testing::same_bytes(drawn.host(), expected, "phi"))
      << words << " words, " << topics << " topics, beta " << beta;
}

TEST_F(DirichletCuda, SmokePhiIsTheCpus) {
  for (const std::int32_t topics : {1, 3, 32, 100, 129, 1024}) {
    expect_same_phi(1, topics, 0.1, true);
    expect_same_phi(777, topics, 0.01, true);
  }
  expect_same_phi(5000, 1030, 0.1, true);
  expect_same_phi(300, 64, 1.5, true);
}

// Differences that one entry in a million has.
TEST_F(DirichletCuda, ManyEntriesAreTheCpus) {
  for (int i = 0; i < 4; ++i) {
    ++random_stream;
    expect_same_theta(some_documents(15'000, 400, 64), 64, i % 2 == 0, 0);
    expect_same_phi(12'000, 64, 0.02 + 0.125 * i, true);
    expect_same_phi(3'000, 257, 1.7 + 0.3 * i, true);
  }
}

// Topics whose sum is taken in a unit of its own, and those whose draws are all 0.
TEST_F(DirichletCuda, PhiOfTinyPriorsIsTheCpus) {
  for (const double beta : {1e-3, 1e-4, 1e-6}) {
    expect_same_phi(7, 300, beta, false);
    expect_same_phi(500, 40, beta, true);
  }
}

}  // namespace
}  // namespace papilio::lda
