#pragma once

#include <cstdint>

#include "lda/evaluation/fold_in/fold_in_cuda.h"

namespace papilio::lda {

// queue_fold_in by clusters of blocks that have a document together, of those documents that they are faster with: all
// but the first so many of the order, which is returned. On a device without clusters it is `documents`.
std::int64_t queue_cluster_fold_in(const FoldIn& fold_in, const std::int32_t* words, std::int64_t documents,
                                   cudaStream_t stream);

}  // namespace papilio::lda
