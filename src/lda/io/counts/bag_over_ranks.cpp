#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "execution/ranks/collectives.h"
#include "lda/io/counts/bag_of_words.h"
#include "papilio/distributed.h"
#include "papilio/primitives.h"

namespace papilio::lda {
namespace {

// An entry on its way to the rank that has its document.
struct SentEntry {
  std::int64_t document;
  std::int32_t word;
  std::int32_t count;
};

}  // namespace

// use(document, entry)
template <class Use>
void BagOfWords::for_each_entry(const Use& use) const {
  for (const EntryGatherer::Piece& piece : pieces_) {
    for (std::size_t r = 0; r < piece.runs.size(); ++r) {
      const bool is_last = r + 1 == piece.runs.size();
      const auto end = is_last ? piece.entries.size() : static_cast<std::size_t>(piece.runs[r + 1].begin);
      for (auto e = static_cast<std::size_t>(piece.runs[r].begin); e < end; ++e) {
        use(piece.runs[r].document, piece.entries[e]);
      }
    }
  }
}

BagOfWords::Documents BagOfWords::deal_out(std::int64_t documents, Communicator& ranks) {
  close_piece();
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(documents) + 1);
  for_each_entry(
      [&](std::int64_t document, const Entry& entry) { offsets[static_cast<std::size_t>(document)] += entry.count; });
  ranks.add_up(offsets);
  exclusive_scan(offsets, VectorView<std::int64_t>(offsets), options_.threads);
  std::vector<RankDocuments> of_rank;
  for (int r = 0; r < ranks.ranks(); ++r) of_rank.push_back(documents_of_rank({offsets, {}, {}, {}}, r, ranks.ranks()));
  const auto self = static_cast<std::size_t>(ranks.rank());
  const RankDocuments own = of_rank[self];

  BagOfWords dealt(options_, memory_.limit());
  std::vector<std::vector<std::byte>> sent(of_rank.size());
  std::size_t owner = self;
  for_each_entry([&](std::int64_t document, const Entry& entry) {
    if (document < of_rank[owner].first_document || document >= of_rank[owner].end_document) {
      owner = static_cast<std::size_t>(std::ranges::upper_bound(of_rank, document, {}, &RankDocuments::end_document) -
                                       of_rank.begin());
    }
    if (owner == self) return dealt.add(document - own.first_document, entry.word, entry.count);
    const SentEntry entry_sent = {document - of_rank[owner].first_document, entry.word, entry.count};
    const auto bytes = std::as_bytes(std::span(&entry_sent, 1));
    sent[owner].insert(sent[owner].end(), bytes.begin(), bytes.end());
  });
  pieces_ = {};
  gatherers_.clear();
  for (const std::vector<std::byte>& bytes : execution::exchange(ranks, std::move(sent))) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(SentEntry)) {
      SentEntry entry;
      std::memcpy(&entry, bytes.data() + at, sizeof entry);
      dealt.add(entry.document, entry.word, entry.count);
    }
  }
  dealt.close_piece();
  pieces_ = std::move(dealt.pieces_);
  gatherers_ = std::move(dealt.gatherers_);
  entries_ = dealt.entries_;
  runs_ = dealt.runs_;
  tokens_ = dealt.tokens_;
  last_document_ = dealt.last_document_;
  return {own.first_document, own.documents()};
}

}  // namespace papilio::lda
