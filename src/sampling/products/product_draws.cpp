#include "sampling/products/product_draws.h"

#include <algorithm>
#include <new>

#include "sampling/blocks/remnant.h"

namespace papilio::sampling {
namespace {

constexpr auto alignment = std::align_val_t{64};
constexpr std::size_t rows_with_tail = ProductDraws::most_rows + tile_rows;

void* allocate(std::int64_t bytes) { return ::operator new(static_cast<std::size_t>(bytes), alignment); }

}  // namespace

void ProductDraws::Free::operator()(void* memory) const { ::operator delete(memory, alignment); }

ProductDraws::ProductDraws(std::int64_t categories, PartialSums method)
    : kernels_(kernels_in_use()),
      categories_(categories),
      method_(method),
      scratch_(allocate(kernels_.scratch_bytes(method, categories, sizeof(float)))),
      left_(rows_with_tail),
      right_(rows_with_tail),
      sizes_(rows_with_tail),
      ids_(rows_with_tail),
      drawn_(rows_with_tail),
      status_(rows_with_tail) {}

void ProductDraws::draw(std::uint64_t seed, std::uint64_t stream) {
  const auto sizes = sizes_.begin();
  if (size_ > sized_) std::fill(sizes + sized_, sizes + size_, categories_);
  if (size_ < sized_) std::fill(sizes + size_, sizes + sized_, 0);
  sized_ = size_;
  const RowBatch<float> batch = {.count = size_,
                                 .left = left_.data(),
                                 .right = right_.data(),
                                 .sizes = sizes_.data(),
                                 .ids = ids_.data(),
                                 .seeds = nullptr,
                                 .seed = seed,
                                 .stream = stream,
                                 .check_negative = false,
                                 .method = method_,
                                 .remnant_first = has_remnant_first(method_),
                                 .scratch = scratch_.get()};
  if (size_ > 0) kernels_.draw_float(batch, drawn_.data(), status_.data());
  size_ = 0;
}

}  // namespace papilio::sampling
