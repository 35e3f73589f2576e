#pragma once

#include <cstdint>
#include <memory>

#include "lda/training/sparse/by_document/draws_cuda.h"
#include "lda/training/sweep_cuda.h"

namespace papilio::lda {

// Sweeps with tables of n_wk and phi on the device, over ranges of documents that are streamed if they do not fit:
// dense draws in every order, and sparse draws by document.
//
// They take at most `memory` bytes of the device. Throws DeviceError if the tables and the longest document do not fit;
// the message has the bytes needed and free.
std::unique_ptr<CudaSweep> make_range_sweep(const CudaStart& start, std::int64_t memory,
                                            const ByDocumentTuning& tuning);

}  // namespace papilio::lda
