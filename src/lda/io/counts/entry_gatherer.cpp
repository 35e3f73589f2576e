#include "lda/io/counts/entry_gatherer.h"

#include <cassert>
#include <utility>

namespace papilio::lda {

std::vector<EntryGatherer::Piece> EntryGatherer::finish() {
  close_piece();
  return std::exchange(pieces_, {});
}

EntryGatherer::Mark EntryGatherer::mark() const {
  return slabs_.empty() ? Mark{} : Mark{slabs_.size(), static_cast<std::size_t>(next_ - slabs_.back().data())};
}

void EntryGatherer::rewind(const Mark& mark) {
  assert(mark.slabs <= slabs_.size());
  slabs_.erase(slabs_.begin() + static_cast<std::ptrdiff_t>(mark.slabs), slabs_.end());
  begin_ = slabs_.empty() ? nullptr : slabs_.back().data() + mark.entries;
  next_ = begin_;
  end_ = slabs_.empty() ? nullptr : slabs_.back().data() + slabs_.back().size();
  pieces_.clear();
  close_piece();
}

void EntryGatherer::open_slab() {
  close_piece();
  execution::FreshArray<Entry>& slab = execution::add_slab(slabs_);
  begin_ = slab.data();
  next_ = begin_;
  end_ = begin_ + slab.size();
}

// Copies its runs, without spare room; their memory is used for the next piece.
void EntryGatherer::close_piece() {
  if (next_ != begin_) pieces_.push_back({{begin_, next_}, runs_, tokens_});
  begin_ = next_;
  runs_.clear();
  document_ = -1;
  tokens_ = 0;
}

}  // namespace papilio::lda
