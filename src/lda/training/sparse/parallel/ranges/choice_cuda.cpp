#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "execution/cpu/parallel_for.h"
#include "lda/model/options.h"
#include "lda/training/log_joint/log_joint_cuda.h"
#include "lda/training/priors/optimize_priors_cuda.h"
#include "lda/training/sparse/parallel/arrays_cuda.h"
#include "lda/training/sparse/parallel/ranges/range_plan.h"
#include "lda/training/sparse/parallel/ranges/sweep_cuda.h"
#include "lda/training/sparse/parallel/sweep_cuda.h"
#include "papilio/error.h"

// Chooses sparse sweeps of all tokens at once: with the whole corpus in a device's memory, or by ranges of it.

namespace papilio::lda {
namespace {

constexpr std::int64_t most_narrow = std::int64_t{1} << 16;
constexpr std::int64_t granule_bytes = std::int64_t{2} << 20;  // device memory is allocated in units of about this

// Copying less takes about as long, and each range needs a pass over the rows of all words.
constexpr std::int64_t least_range = std::int64_t{1} << 30;

constexpr std::int64_t documents_per_task = std::int64_t{1} << 16;

// What sweeps take in addition to tokens and counts of words.
std::int64_t bytes_of_topics(const CudaStart& start, const SparseParallelTuning& tuning) {
  const TrainOptions& options = start.options;
  const bool asymmetric = options.optimize_every > 0 || !start.priors.is_symmetric();
  constexpr std::int64_t others = 4 * sizeof(std::int64_t);  // per topic: seeds, masses of phi, a second n_k
  std::int64_t bytes = granule_bytes + TopicArrays::bytes_needed(options.topics) + others * options.topics;
  if (has_global_rows(tuning, options.topics)) {
    bytes += blocks_with_global_rows() * sparse_row_bytes(padded_topics(options.topics));
  }
  bytes += LogJointOnDevice::bytes_needed(start.whole(), start.seeds, options.topics, asymmetric);
  if (options.optimize_every > 0) {
    bytes += OptimizedPriorsOnDevice::bytes_needed(start.whole(), start.seeds, options.topics);
  }
  return bytes;
}

template <class Entry>
RangeCosts costs_of(const CudaStart& start, const SparseParallelTuning& tuning) {
  const std::int32_t topics = start.options.topics;
  const std::int32_t part = tuning.cut.tokens_of_part > 0 ? tuning.cut.tokens_of_part : tokens_of_part(topics);
  const std::int32_t item = tuning.cut.tokens_per_item > 0 ? tuning.cut.tokens_per_item : part;
  return {.topics = topics,
          .words = start.corpus.vocabulary_size(),
          .number_bytes = sizeof(typename Entry::Number),
          .document_bytes = sizeof(SparseDocument),
          .item_bytes = sizeof(SparseItem),
          .tokens_of_part = std::min(part, item),
          .slice_tokens = slice_tokens,
          .most_counted = most_tokens_per_block(topics),
          .lists = ListSizes(topics, sizeof(Entry), tuning.cut.short_entries && !tuning.by_pair)};
}

// What the tokens take in one piece. The first function gives a lower bound that needs no layout.
template <class Entry>
std::int64_t least_in_one_piece(const CudaStart& start, const RangeCosts& costs) {
  std::atomic<std::int64_t> units = 0;
  const auto& offsets = start.corpus.document_offsets;
  execution::parallel_for(start.corpus.documents(), documents_per_task, start.options.threads,
                          [&](std::int64_t begin, std::int64_t end) {
                            std::int64_t here = 0;
                            for (auto d = static_cast<std::size_t>(begin); d < static_cast<std::size_t>(end); ++d) {
                              here += costs.lists.units(offsets[d + 1] - offsets[d]);
                            }
                            units += here;
                          });
  return start.corpus.tokens() * std::int64_t{sizeof(std::int32_t) + 2 * sizeof(typename Entry::Number)} +
         units * list_unit;
}

// Whether 32 bits can number all its tokens and documents.
bool has_numbers(const CorpusView& corpus) {
  return corpus.tokens() <= most_sparse_tokens && corpus.documents() <= most_sparse_tokens;
}

template <class Entry>
class Choice {
 public:
  Choice(const CudaStart& start, std::int64_t memory, const SparseParallelTuning& tuning)
      : start_(start),
        tuning_(tuning),
        costs_(costs_of<Entry>(start, tuning)),
        memory_(memory),
        taken_(bytes_of_topics(start, tuning)) {}

  std::unique_ptr<CudaSweep> make() const {
    const CorpusView& corpus = start_.corpus;
    const std::int64_t left = memory_ - taken_;
    const bool may_be_whole = tuning_.range_bytes == 0 && tuning_.first_token == 0 && has_numbers(corpus);
    if (may_be_whole && least_in_one_piece<Entry>(start_, costs_) <= left) {
      SparseLayoutMade<Entry> made = sparse_layout<Entry>(start_, tuning_, left);
      if (bytes_in_one_piece<Entry>(start_, made.layout) <= left) {
        return make_sweep_in_one_piece<Entry>(start_, tuning_, std::move(made));
      }
    }
    return make_by_ranges(may_be_whole);
  }

  std::unique_ptr<CudaSweep> make_by_ranges(bool may_be_whole) const {
    const CorpusView& corpus = start_.corpus;
    const std::int64_t left = memory_ - taken_;
    const std::int64_t tables = range_table_bytes(corpus.vocabulary_size(), start_.options.topics);
    const std::int64_t least = tables + least_range_bytes(corpus.document_offsets, costs_);
    if (least > left) fail(least, may_be_whole);
    const std::int64_t wished = tuning_.range_bytes > 0 ? tuning_.range_bytes : std::max(least_range, tables / 2);
    return make_sweep_by_ranges<Entry>(start_, tuning_,
                                       plan_ranges(corpus.document_offsets, costs_, left - tables, wished));
  }

  SparseNeeds needs(std::int64_t others) const {
    RangeCosts costs = costs_;
    costs.tokens_of_part = std::min<std::int64_t>(costs.tokens_of_part, least_tokens_per_item);
    RangeSize all;
    const auto& offsets = start_.corpus.document_offsets;
    for (std::size_t d = 1; d < offsets.size(); ++d) all.add(offsets[d] - offsets[d - 1], costs);
    return {.has_numbers = has_numbers(start_.corpus),
            .in_one_piece = taken_ + others + all.bytes(costs),
            .by_ranges = taken_ + range_table_bytes(start_.corpus.vocabulary_size(), start_.options.topics) +
                         least_range_bytes(offsets, costs_)};
  }

 private:
  [[noreturn]] void fail(std::int64_t least, bool may_be_whole) const {
    if (may_be_whole) {
      least = std::min(least, bytes_in_one_piece<Entry>(start_, sparse_layout<Entry>(start_, tuning_, 0).layout));
    }
    refuse_sparse_draws(start_, taken_ + least, memory_);
  }

  const CudaStart& start_;
  const SparseParallelTuning& tuning_;
  const RangeCosts costs_;
  const std::int64_t memory_;
  const std::int64_t taken_;
};

// Calls use(the choice, for the kind of entries that a corpus needs).
template <class Use>
auto with_choice(const CudaStart& start, std::int64_t memory, const SparseParallelTuning& tuning, const Use& use) {
  std::int64_t longest = 0;
  const auto& offsets = start.corpus.document_offsets;
  for (std::size_t d = 1; d < offsets.size(); ++d) longest = std::max(longest, offsets[d] - offsets[d - 1]);
  if (!tuning.is_wide && start.options.topics <= most_narrow && longest < most_narrow) {
    return use(Choice<sparse::NarrowEntry>(start, memory, tuning));
  }
  return use(Choice<sparse::WideEntry>(start, memory, tuning));
}

}  // namespace

std::unique_ptr<CudaSweep> make_sparse_parallel_sweep(const CudaStart& start, std::int64_t memory,
                                                      const SparseParallelTuning& tuning) {
  return with_choice(start, memory, tuning, [](const auto& choice) { return choice.make(); });
}

SparseNeeds sparse_needs(const CudaStart& start, std::int64_t others) {
  return with_choice(start, 0, {}, [&](const auto& choice) { return choice.needs(others); });
}

void refuse_sparse_draws(const CudaStart& start, std::int64_t needed, std::int64_t memory) {
  throw DeviceError(
      fmt::format("papilio::train: sparse draws of {} topics, {} words and {} tokens need {} bytes of device memory at "
                  "least, {} are free or allowed",
                  start.options.topics, start.corpus.vocabulary_size(), start.corpus.tokens(), needed,
                  std::max<std::int64_t>(memory, 0)));
}

std::unique_ptr<CudaSweep> make_sparse_sweep_by_ranges(const CudaStart& start, std::int64_t memory,
                                                       const SparseParallelTuning& tuning) {
  return with_choice(start, memory, tuning, [](const auto& choice) { return choice.make_by_ranges(false); });
}

}  // namespace papilio::lda
