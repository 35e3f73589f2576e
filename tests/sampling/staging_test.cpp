// What a draw on a CPU allocates: rows that kernels can read are not copied, others one cache's worth at a time.

#include <atomic>
#include <cstdlib>
#include <new>

#include "papilio/half.h"
#include "sampling/support.h"

namespace {
std::atomic<std::size_t> aligned_bytes{0};
}

// All memory that a draw works in is aligned.
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  aligned_bytes += bytes;
  const std::size_t unit = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace papilio::testing {
namespace {

constexpr std::int64_t long_row = 1 << 20;

template <class Weights>
std::size_t bytes_to_draw(const Weights& weights, std::int64_t rows) {
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(rows));
  aligned_bytes = 0;
  sample_categorical(weights, VectorView<std::int64_t>(drawn), {.seed = 1, .threads = 1});
  return aligned_bytes;
}

TEST(Staging, ALongRowOfLogitsIsNotCopied) {
  const std::vector<float> numbers(long_row, 1.0F);
  const std::vector<double> doubles(long_row, 1.0);
  const std::size_t of_weights = bytes_to_draw(MatrixWeights<float>{{numbers.data(), 1, long_row}}, 1);
  EXPECT_LT(of_weights, long_row * sizeof(float));
  EXPECT_EQ(bytes_to_draw(LogitWeights<float>{{numbers.data(), 1, long_row}}, 1), of_weights);
  EXPECT_LT(bytes_to_draw(LogitWeights<double>{{doubles.data(), 1, long_row}}, 1), long_row * sizeof(double));
}

TEST(Staging, ARowInAnotherFormIsCopiedAlone) {
  const std::vector<Half> logits(8 * long_row, to_half(-1.0F));
  const std::size_t bytes = bytes_to_draw(LogitWeights<Half>{{logits.data(), 8, long_row}}, 8);
  EXPECT_GE(bytes, long_row * sizeof(float));  // a row as floats, for as many rows as the only thread takes at a time
  EXPECT_LT(bytes / 8, 2 * long_row * sizeof(float));
}

TEST(Staging, ShortRowsAreCopiedATileAtATime) {
  const std::vector<Half> weights(32 * 100, to_half(1.0F));
  const std::size_t bytes = bytes_to_draw(MatrixWeights<Half>{{weights.data(), 32, 100}}, 32);
  EXPECT_GE(bytes, 32 * 100 * sizeof(float));
  EXPECT_LT(bytes, 64 * 1024);
}

}  // namespace
}  // namespace papilio::testing
