#pragma once

#include <algorithm>
#include <cstdint>

#include "base/math.h"
#include "execution/cuda/code_for_90.h"
#include "sampling/tokens/each_way/each_way_tokens_cuda.cuh"
#include "sampling/tokens/each_way_tokens_cuda.h"
#include "sampling/tokens/first/first_shape_cuda.cuh"
#include "sampling/tokens/on_chip_tokens_cuda.h"
#include "sampling/tokens/token_launch_cuda.h"

// Chooses the kernel that draws each row of a call in its own way. The types of logits have a file each, because the
// kernels take long to compile.

namespace papilio::sampling {

// Each way uses the shared memory from its beginning on; there is room for the one that needs most.
template <class S, int blocks, bool plain>
TokenShape each_way_shape(const TokenCall& call) {
  using namespace sampling_kernel;
  using Memory = EachWayMemory<blocks, plain>;
  // So the device has room for the same number of clusters whatever the rows' length is.
  static_assert(2 * (sizeof(TopPList<SmallTopP>) + sizeof(Memory)) > 228 * 1024, "one block on a multiprocessor");
  const std::int64_t in_slice = base::round_up<std::int64_t>(base::ceil_div<std::int64_t>(call.categories, blocks), 8);
  const std::int64_t bytes =
      std::max({tile_bytes<S>, static_cast<std::int64_t>(sizeof(TopPList<SmallTopP>)),
                StagedPart<S>::bytes(in_slice, on_chip_group(each_way_threads), most_before<S>(call)),
                in_slice * std::int64_t{sizeof(float)}});
  return {blocks, in_slice, base::round_up<std::int64_t>(bytes, alignof(Memory)) + std::int64_t{sizeof(Memory)}, false};
}

// Returns false if rows are too short or too long, or if the device does not have room for all clusters at once.
template <class S, int blocks, int vectors, bool plain>
bool launch_each_way(const TokenCall& call, cudaStream_t stream) {
  using namespace sampling_kernel;
  constexpr const char* what = "drawing from each row in its own way";
  // By a bound, a quarter of the threads has a vector of so few logits, which is enough, and none has more than fits.
  constexpr std::int64_t least_of_block = 2048;
  constexpr std::int64_t most_of_block = std::int64_t{vectors} * each_way_threads * (16 / sizeof(S));
  if (call.categories < blocks * least_of_block || call.categories > blocks * most_of_block) return false;
  const TokenShape shape = each_way_shape<S, blocks, plain>(call);
  if (!fits_in_block(shape.shared_bytes)) return false;
  const auto kernel = draw_tokens_each_way<S, blocks, vectors, plain>;
  static OfDevice at_once;
  if (call.rows > at_once.known([&] { return rows_at_once(kernel, shape, each_way_threads, what); })) return false;
  launch_on_rows(kernel, shaped(call, shape), call.rows, shape, each_way_threads, stream, what);
  return true;
}

template <class S, bool plain>
bool launch_fitting(const TokenCall& call, cudaStream_t stream) {
  if (launch_each_way<S, 8, 8, plain>(call, stream)) return true;
  if constexpr (sizeof(S) == 4) {
    if (launch_each_way<S, 8, 16, plain>(call, stream)) return true;
  }
  return launch_each_way<S, 4, 16, plain>(call, stream);
}

template <class S>
bool draw_each_way_on_cuda(const TokenCall& call, cudaStream_t stream) {
  if (!execution::runs_code_for_90()) return false;
  if (is_plain(call)) return launch_fitting<S, true>(call, stream);
  // In the kernel that is not plain, only the way on chip may have no mask; the others take one for granted. And it
  // holds 16-bit logits as such, which a bias does not allow.
  const bool suits = call.allowed != nullptr || call.way == TokenWay::on_chip;
  return suits && !are_widened<S>(call) && launch_fitting<S, false>(call, stream);
}

}  // namespace papilio::sampling
