#pragma once

#include <optional>

#include "base/function_ref.h"
#include "papilio/lda.h"

namespace papilio::lda {

// Throws InvalidArgument for options.devices that cannot train together.
void require_devices(const TrainOptions& options);

// Trains on each of options.devices, of which there are several, in one thread per device; the threads are the ranks.
// Each thread calls `train`, which trains as one of options.ranks. Returns what one process would return, and throws
// what the first rank that failed by itself has thrown.
using TrainRank = base::FunctionRef<TrainResult(const TrainOptions& options, std::optional<ChainState> resume)>;
TrainResult train_on_devices(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume,
                             TrainRank train);

}  // namespace papilio::lda
