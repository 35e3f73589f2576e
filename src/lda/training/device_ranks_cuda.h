#pragma once

#include "execution/ranks/device_sums_cuda.h"
#include "lda/model/state.h"
#include "papilio/communicator.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// What a chain on a GPU knows about the ranks that draw the other documents. It sums only integers over them.
struct DeviceRanks {
  Communicator& ranks;
  execution::DeviceSums& sums;
  CorpusView whole;     // the corpus of which the chain has a part
  PlaceInCorpus place;  // of that part

  bool is_first() const { return ranks.rank() == 0; }
};

}  // namespace papilio::lda
