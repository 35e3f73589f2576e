#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "execution/ranks/collectives.h"
#include "execution/ranks/work_in_turns.h"
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

// Calls use(document, entry).
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

// Counts what dealing takes at its peak: the entries that this rank has until it has sent them, or those that it then
// receives; those on their way to others; those that it will have; and all documents' offsets.
void BagOfWords::require_room_to_deal(const Origin& origin, std::int64_t documents, const Dealt& dealt,
                                      Communicator& ranks) {
  constexpr std::int64_t bytes_per_entry = sizeof(Entry), bytes_per_run = sizeof(Run),
                         bytes_per_sent = sizeof(SentEntry);
  Dealt of_all = dealt;
  ranks.add_up(of_all.entries);
  ranks.add_up(of_all.runs);
  const auto self = static_cast<std::size_t>(ranks.rank());
  const std::int64_t sent = entries() - dealt.entries[self], received = of_all.entries[self] - dealt.entries[self];
  const std::int64_t bytes = std::max(bytes_per_entry * entries() + bytes_per_run * runs_, bytes_per_sent * received) +
                             bytes_per_sent * sent + bytes_per_entry * of_all.entries[self] +
                             bytes_per_run * of_all.runs[self] +
                             static_cast<std::int64_t>(sizeof(std::int64_t)) * documents;
  std::atomic<bool> is_over = false;
  execution::work_on_parts(ranks, is_over, [&] {
    if (memory_.set(bytes)) return;
    memory_.limit().refuse(
        origin, 0, fmt::format("dealing {} entries to ranks, of which this one receives {},", entries(), received));
  });
}

BagOfWords::Documents BagOfWords::deal_out(const Origin& origin, std::int64_t documents, Communicator& ranks) {
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
  // Calls use(rank, document, entry), where `rank` has the document.
  const auto for_each_owner = [&](const auto& use) {
    std::size_t owner = self;
    for_each_entry([&](std::int64_t document, const Entry& entry) {
      if (document < of_rank[owner].first_document || document >= of_rank[owner].end_document) {
        owner = static_cast<std::size_t>(std::ranges::upper_bound(of_rank, document, {}, &RankDocuments::end_document) -
                                         of_rank.begin());
      }
      use(owner, document, entry);
    });
  };

  Dealt sizes = {std::vector<std::int64_t>(of_rank.size()), std::vector<std::int64_t>(of_rank.size())};
  std::int64_t last_document = -1;
  for_each_owner([&](std::size_t owner, std::int64_t document, const Entry&) {
    ++sizes.entries[owner];
    sizes.runs[owner] += document != last_document ? 1 : 0;
    last_document = document;
  });
  require_room_to_deal(origin, documents, sizes, ranks);
  BagOfWords dealt(options_, memory_.limit());
  std::vector<std::vector<std::byte>> sent(of_rank.size());
  for (std::size_t r = 0; r < sent.size(); ++r) {
    if (r != self) sent[r].reserve(static_cast<std::size_t>(sizes.entries[r]) * sizeof(SentEntry));
  }
  for_each_owner([&](std::size_t owner, std::int64_t document, const Entry& entry) {
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
