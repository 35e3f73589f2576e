#pragma once

#include <cstdint>

#include "lda/training/sparse/by_document/batch.h"
#include "lda/training/sparse/parallel/batch.h"

namespace papilio::lda::sparse {

// What one instruction-set target offers.
struct Kernels {
  void (*draw_narrow)(const Range<NarrowEntry>& range, const Scratch& scratch, Statistics& statistics);
  void (*draw_wide)(const Range<WideEntry>& range, const Scratch& scratch, Statistics& statistics);

  // Of theta_collapsed; returns how many tokens came from the documents' part.
  std::int64_t (*draw_by_document)(const ByDocumentRange& range, const ByDocumentScratch& scratch);
};

// The kernels of the instruction-set target in use (see papilio::cpu_target).
const Kernels& kernels_in_use();

}  // namespace papilio::lda::sparse

namespace papilio::baseline {
extern const lda::sparse::Kernels sparse_kernels;
}
namespace papilio::avx2 {
extern const lda::sparse::Kernels sparse_kernels;
}
namespace papilio::avx512 {
extern const lda::sparse::Kernels sparse_kernels;
}
namespace papilio::neon {
extern const lda::sparse::Kernels sparse_kernels;
}
