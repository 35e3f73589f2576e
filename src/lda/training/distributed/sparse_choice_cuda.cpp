#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "execution/ranks/collectives.h"
#include "lda/training/distributed/sparse_sweep_cuda.h"
#include "lda/training/sparse/parallel/sweep_cuda.h"

namespace papilio::lda {
namespace {

// What each rank needs and may take.
class RanksNeeds {
 public:
  RanksNeeds(Communicator& ranks, const SparseNeeds& own, std::int64_t memory) {
    const std::array<std::int64_t, 4> mine = {own.has_numbers ? 1 : 0, own.in_one_piece, own.by_ranges, memory};
    const std::vector<std::int64_t> all = execution::join_everywhere(ranks, mine);
    for (std::size_t i = 0; i < all.size(); i += mine.size()) {
      const std::int64_t has_numbers = all[i], in_one_piece = all[i + 1], by_ranges = all[i + 2], room = all[i + 3];
      have_numbers = have_numbers && has_numbers != 0;
      have_room_for_blocks = have_room_for_blocks && in_one_piece <= room;
      have_room_for_ranges = have_room_for_ranges && by_ranges <= room;
      most_of_blocks_ = std::max(most_of_blocks_, in_one_piece);
      most_of_ranges_ = std::max(most_of_ranges_, by_ranges);
    }
  }

  bool blocks_need_less() const { return most_of_blocks_ < most_of_ranges_; }

  bool have_numbers = true;
  bool have_room_for_blocks = true;
  bool have_room_for_ranges = true;

 private:
  std::int64_t most_of_blocks_ = 0, most_of_ranges_ = 0;
};

}  // namespace

// All ranks must choose the same kind of sweep, because each kind adds up different numbers.
std::unique_ptr<CudaSweep> make_sparse_cuda_sweep_of_rank(const CudaStart& start, std::int64_t memory) {
  const SparseNeeds own = sparse_needs(start, bytes_of_word_blocks(start));
  const RanksNeeds all(start.ranks->ranks, own, memory);
  bool by_blocks = all.have_numbers && all.have_room_for_blocks;
  if (!by_blocks && !all.have_room_for_ranges) {
    by_blocks = all.have_numbers && all.blocks_need_less();
    const std::int64_t needed = by_blocks ? own.in_one_piece : own.by_ranges;
    if (needed > memory) refuse_sparse_draws(start, needed, memory);  // the others hear of it in the first sum
  }
  return by_blocks ? make_sparse_sweep_by_word_blocks(start, memory) : make_sparse_sweep_by_ranges(start, memory, {});
}

}  // namespace papilio::lda
