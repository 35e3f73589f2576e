#include "lda/training/trainer/saves.h"

#include "lda/model/options.h"

namespace papilio::lda {

Saves::Saves(const TrainOptions& options, Clock::time_point start)
    : options_(options),
      ranks_(trains_over_ranks(options) ? options.ranks : nullptr),
      is_gathered_(ranks_ != nullptr && options.checkpoint_writer != nullptr &&
                   !options.checkpoint_writer->is_over_ranks()),
      writer_(is_gathered_ && ranks_->rank() != 0 ? nullptr : options.checkpoint_writer),
      last_(start) {}

void Saves::after_sweep(Chain& chain, SweepTimer& timer, bool& stops) {
  std::int64_t all[] = {stops ? 1 : 0, !stops && is_due(chain, timer) ? 1 : 0,
                        writer_ != nullptr ? writer_->progress() : 0};
  if (ranks_ != nullptr) ranks_->add_up(all);
  stops = all[0] > 0;
  if (writer_ != nullptr) writer_->advance(all[2]);
  if (!stops && all[1] > 0) save(chain, timer);
}

void Saves::finish() {
  if (writer_ != nullptr) writer_->finish();
}

// Waits for a GPU if the time decides. A checkpoint by time is never due while another is being written.
bool Saves::is_due(Chain& chain, SweepTimer& timer) const {
  const std::int64_t sweep = chain.sweeps();
  if ((writer_ == nullptr && !options_.checkpoint) || sweep >= options_.sweeps) return false;
  if (options_.checkpoint_every > 0 && sweep % options_.checkpoint_every == 0) return true;
  if (options_.checkpoint_seconds <= 0 || (writer_ != nullptr && writer_->is_under_way())) return false;
  timer.stop(chain);
  return seconds_since(last_) >= options_.checkpoint_seconds;
}

void Saves::save(Chain& chain, SweepTimer& timer) {
  timer.stop(chain);
  chain.show_state([this](const ChainState& state) {
    if (is_gathered_) return save_gathered(state);
    if (writer_ != nullptr) return writer_->begin(state);
    options_.checkpoint(state);
  });
  last_ = Clock::now();
}

void Saves::save_gathered(const ChainState& part) {
  const ChainState whole = gather_topics(part, *ranks_);
  if (writer_ != nullptr) writer_->begin(whole);
}

}  // namespace papilio::lda
