#include <span>

#include "lda/training/distributed/sparse_sweep_cuda.h"
#include "lda/training/sparse/parallel/sweep_cuda.h"

namespace papilio::lda {

// All ranks sweep alike, for they add up other numbers in either case.
std::unique_ptr<CudaSweep> make_sparse_cuda_sweep_of_rank(const CudaStart& start, std::int64_t memory) {
  std::int64_t ranks_without_room = needs_ranges(start, memory, bytes_of_word_blocks(start)) ? 1 : 0;
  start.ranks->ranks.add_up(std::span(&ranks_without_room, 1));
  return ranks_without_room > 0 ? make_sparse_sweep_by_ranges(start, memory, {})
                                : make_sparse_sweep_by_word_blocks(start);
}

}  // namespace papilio::lda
