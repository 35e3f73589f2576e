#pragma once

#include <cstdint>

// The table of kernels that are compiled once for every instruction-set target (targets/kernels_cpu.cpp). Their
// arguments are defined with the kernels (parallel/batch.h, by_document/batch.h).

namespace papilio::lda::sparse {

struct NarrowEntry;
struct WideEntry;
template <class Entry>
struct Range;
struct Scratch;
struct Statistics;
struct ByDocumentRange;
struct ByDocumentScratch;

// What one instruction-set target offers.
struct Kernels {
  void (*draw_narrow)(const Range<NarrowEntry>& range, const Scratch& scratch, Statistics& statistics);
  void (*draw_wide)(const Range<WideEntry>& range, const Scratch& scratch, Statistics& statistics);

  // For theta_collapsed. Returns how many tokens were drawn from the document part.
  std::int64_t (*draw_by_document)(const ByDocumentRange& range, const ByDocumentScratch& scratch);

  // For the sequential schedule: see token_uniforms_kernel.h.
  void (*token_uniforms)(std::uint64_t seed, std::uint64_t stream, const std::uint32_t* tokens, std::int64_t count,
                         double* u);
};

// The kernels of the instruction-set target in use (see papilio::cpu_target).
const Kernels& kernels_in_use();

}  // namespace papilio::lda::sparse
