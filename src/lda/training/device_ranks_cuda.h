#pragma once

#include "execution/ranks/device_sums_cuda.h"
#include "lda/model/state.h"
#include "papilio/communicator.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// What a chain on a GPU knows about the ranks that draw the other documents. Sums over ranks are only of integers.
struct DeviceRanks {
  Communicator& ranks;
  execution::DeviceSums& sums;
  CorpusView whole;     // the whole corpus; the chain has a part of it
  PlaceInCorpus place;  // of that part

  bool is_first() const { return ranks.rank() == 0; }
};

}  // namespace papilio::lda
