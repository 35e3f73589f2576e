#pragma once

#include <cstdint>

#include "lda/gibbs/sparse/batch.h"
#include "lda/gibbs/sparse/lane_sums.h"
#include "lda/gibbs/sparse/token_batches.h"
#include "lda/gibbs/sparse/word_part.h"

// The draws of one thread, word after word: the body that every instruction-set target compiles.
//
// Tokens of a word are drawn a batch at a time, in stages that are loops without unforeseeable
// branches: sums of each (document, word); targets; searches. Stages hand on queues of token
// places, appended to without a branch.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

using namespace papilio::lda::sparse;

template <class Entry>
class WordDraws {
 public:
  PAPILIO_LANEWISE WordDraws(const Range<Entry>& range, const Scratch& scratch, Statistics& statistics)
      : range_(range),
        tokens_(*range.tokens),
        scratch_(scratch),
        statistics_(statistics),
        word_(*range.masses, scratch, range.removes),
        batches_(range) {}

  PAPILIO_LANEWISE void draw() {
    std::int64_t word = range_.first_word;
    for (std::int64_t at = range_.begin; at < range_.end; ++word) {
      const std::int64_t begin = tokens_.word_offsets[word], end_of_word = tokens_.word_offsets[word + 1];
      if (end_of_word <= at) continue;
      if (range_.shared_counts != nullptr) {
        word_.open_counted(range_.shared_counts);
      } else {
        word_.open(tokens_.topics + begin, end_of_word - begin);
      }
      const std::int64_t end = end_of_word < range_.end ? end_of_word : range_.end;
      while (at < end) {
        const auto batch = batches_.at(at);
        const std::int64_t end_of_batch = batch.begin + most_tokens;
        const std::int64_t stop = end_of_batch < end ? end_of_batch : end;
        draw_tokens(batch, static_cast<int>(at - batch.begin), static_cast<int>(stop - batch.begin));
        at = stop;
      }
      word_.close();
    }
  }

 private:
  using Batch = typename TokenBatches<Entry>::Batch;

  // Tokens of the word in one document.
  struct Pair {
    ListSums sums;
    List<Entry> list;
  };

  // Tokens [first, end) of the word, as many at a time as there is room for their documents' sums.
  PAPILIO_LANEWISE void draw_tokens(const Batch& batch, int first, int end) {
    const Token* order = tokens_.order + batch.begin;
    int pairs = 0;
    for (int i = first; i < end; ++i) {
      begin_of_[pairs] = i;
      pairs += i == first || order[i].document != order[i - 1].document;
      pair_of_[i] = static_cast<std::uint8_t>(pairs - 1);
    }
    begin_of_[pairs] = end;
    for (int pair = 0; pair < pairs;) {
      const int end_of_sums = add_lists(order, pair, pairs);
      draw_batch(batch, begin_of_[pair], begin_of_[end_of_sums]);
      pair = end_of_sums;
    }
  }

  // The sums of pairs [first, end), or of the first of them: as many as there is room for. Returns where it has
  // stopped.
  PAPILIO_LANEWISE int add_lists(const Token* order, int first, int end) {
    std::uint32_t size = 1;
    std::int64_t used = 0;
    int p = first;
    for (; p < end; ++p) {
      Pair& pair = pairs_[p];
      const ListPlace place = tokens_.lists[order[begin_of_[p]].document];
      pair.list = {tokens_.entries + std::size_t{lanes} * place.group, place.size};
      const std::int64_t room = (place.size + lanes - 1) / lanes * lanes;
      if (used + room > scratch_.running_floats) break;
      add_list(pair.list, word_.phi(), scratch_.running + used, pair.sums);
      used += room;
      size = place.size > size ? place.size : size;
    }
    steps_ = size <= lanes ? 0 : 32 - __builtin_clz((size - 1) / lanes);
    return p;
  }

  PAPILIO_LANEWISE void draw_batch(const Batch& batch, int first, int end) {
    in_documents_ = 0, in_others_ = 0;
    for (int i = first; i < end; ++i) {
      draw_target(i, batch.u[i], tokens_.spots[tokens_.order[batch.begin + i].number]);
    }
    for (int q = 0; q < in_documents_; ++q) {
      const int i = document_queue_[q];
      const Pair& pair = pairs_[pair_of_[i]];
      move(batch.begin + i, pair.list.entries[pair.sums.find(target_[i], steps_)].topic());
    }
    for (int q = 0; q < in_others_; ++q) {
      const int i = other_queue_[q];
      move(batch.begin + i, draw_other(i));
    }
    statistics_.from_own += end - first - in_documents_ - in_others_;
    statistics_.from_document += in_documents_;
  }

  // Which part the token's target is in, and where: first its own topic, by what that weighs without
  // it, then the other topics' parts.
  PAPILIO_LANEWISE void draw_target(int i, double u, Spot<Entry> spot) {
    const Pair& pair = pairs_[pair_of_[i]];
    const OwnTopic& own = word_.own(spot.topic);
    const double count = pair.list.entries[spot.place].count();
    const auto part = pair.sums.part(spot.place);
    const double all = pair.sums.total();
    const double most = range_.removes ? double{below(static_cast<float>(all))} : all;
    old_[i] = spot.topic;
    const double taken = range_.removes ? part.size : 0.0;
    const double own_weight = (((count - 1) + own.alpha) * own.of_word) * own.inverse;
    const double until_others = own_weight + (all - taken);
    const double target =
        u * (until_others +
             static_cast<double>(static_cast<std::int64_t>(word_.others() - own.taken)) * range_.masses->unit);

    double in_document = target - own_weight;
    in_document = in_document >= part.before ? in_document + taken : in_document;
    in_document = in_document < most ? in_document : most;
    const bool is_in_document = target < until_others;
    target_[i] = is_in_document ? in_document : target - until_others;
    document_queue_[in_documents_] = static_cast<std::uint8_t>(i);
    in_documents_ += (target >= own_weight) & is_in_document;
    other_queue_[in_others_] = static_cast<std::uint8_t>(i);
    in_others_ += !is_in_document;
  }

  PAPILIO_LANEWISE std::uint32_t draw_other(int i) {
    const std::uint64_t others = word_.others() - word_.own(old_[i]).taken;
    if (others == 0) [[unlikely]] {
      ++statistics_.from_own;
      return old_[i];
    }
    const double y = target_[i] * range_.masses->places;
    const std::uint64_t place = y < static_cast<double>(others) ? static_cast<std::uint64_t>(y) : others - 1;
    const auto found = word_.find(place < others ? place : others - 1, old_[i]);
    statistics_.from_word += found.of_word;
    statistics_.from_prior += !found.of_word;
    return found.topic;
  }

  PAPILIO_LANEWISE void move(std::int64_t at, std::uint32_t topic) {
    tokens_.topics[at] = static_cast<typename Entry::Number>(topic);
    tokens_.spots[tokens_.order[at].number].topic = static_cast<typename Entry::Number>(topic);
  }

  const Range<Entry>& range_;
  const Tokens<Entry>& tokens_;
  const Scratch& scratch_;
  Statistics& statistics_;
  WordPart word_;
  TokenBatches<Entry> batches_;

  int steps_ = 0;  // that halve the longest list's depth to 1

  // Of the batch.
  Pair pairs_[most_tokens];
  int begin_of_[most_tokens + 1];  // the first token of each pair
  std::uint8_t pair_of_[most_tokens];
  std::uint32_t old_[most_tokens];
  double target_[most_tokens];  // in the document's part or behind it
  std::uint8_t document_queue_[most_tokens];
  std::uint8_t other_queue_[most_tokens];
  int in_documents_ = 0;
  int in_others_ = 0;
};

template <class Entry>
void draw(const Range<Entry>& range, const Scratch& scratch, Statistics& statistics) {
  WordDraws<Entry>(range, scratch, statistics).draw();
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
