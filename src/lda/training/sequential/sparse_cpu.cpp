#include "lda/training/sequential/sparse_cpu.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "lda/training/sequential/sparse_draw_cpu.h"
#include "lda/training/sequential/word_places.h"
#include "lda/training/sparse/kernels.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

// Of a word with more topics than K / this all sums are added up again; of others, those above its topics alone.
constexpr std::int32_t topics_per_path = 8;

constexpr std::int64_t tokens_per_batch = 256;  // whose numbers are drawn together
constexpr std::int64_t tokens_ahead = 16;       // whose lists are asked for
constexpr std::int64_t entries_asked_for = 24;  // of a list, from its beginning

template <class Number>
class SequentialSparseSweep final : public CpuSweep {
  using Lists = TopicLists<Number>;

 public:
  SequentialSparseSweep(const CorpusView& corpus, const TrainOptions& options)
      : corpus_(corpus),
        seed_(options.seed),
        places_(corpus, Lists::offsets(corpus, options.topics)),
        z_(corpus.words.size()),
        lists_(places_.list_offsets.back(), options.topics),
        q_(static_cast<std::size_t>(options.topics) + 1),
        tree_(static_cast<std::size_t>(TopicTree::size(options.topics))),
        no_counts_(static_cast<std::size_t>(options.topics)),
        place_(static_cast<std::size_t>(options.topics), -1),
        room_(static_cast<std::size_t>(2 * Lists::whole_turns(options.topics))) {}

  void run(State& state) override;
  SweepDraws draws() const override { return draws_; }

 private:
  SequentialSparse arrays_of(State& state);
  void list_documents(const State& state);
  void list_document(const State& state, std::size_t document);
  void draw_word(const SequentialSparse& s, std::int32_t word);
  void draw_uniforms(const SequentialSparse& s, std::int64_t place);
  void ask_for_list(const SequentialSparse& s, std::int64_t place);
  void weigh_topics_of(const SequentialSparse& s, const std::int32_t* n_w, const std::int32_t* counts);

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const WordPlaces places_;
  BigArray<std::int32_t> z_;  // N, in the order of places_
  Lists lists_;
  std::vector<double> q_;  // K + 1: the last is 0
  BigArray<double> tree_;
  std::vector<std::int32_t> seen_;             // topics of the word in hand
  const std::vector<std::int32_t> no_counts_;  // K: of a word without tokens
  std::vector<std::int32_t> place_;            // K: of a topic in a document's list; -1 between documents
  std::vector<double> room_;                   // of SequentialWordDraws
  std::array<double, tokens_per_batch> u_;     // uniform numbers of tokens
  std::int64_t from_document_ = 0;             // tokens of this sweep
  SweepDraws draws_;
};

template <class Number>
SequentialSparse SequentialSparseSweep<Number>::arrays_of(State& state) {
  return {.topics = state.topics,
          .n_wk = state.n_wk.data(),
          .stride = state.topics,
          .n_k = state.n_k.data(),
          .alpha = state.priors.alpha.data(),
          .beta = state.priors.beta,
          .prior_mass = static_cast<double>(corpus_.vocabulary_size()) * state.priors.beta,
          .tokens = places_.tokens.data(),
          .z = z_.data(),
          .places = places_.lists.data(),
          .word_offsets = places_.offsets.data(),
          .list_offsets = places_.list_offsets.data(),
          .q = q_.data(),
          .tree = TopicTree::over(tree_.data(), state.topics),
          .seed = seed_,
          .stream = random::stream(random::Purpose::topics, static_cast<std::uint32_t>(state.sweep))};
}

template <class Number>
void SequentialSparseSweep<Number>::run(State& state) {
  list_documents(state);
  for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = state.z[places_.tokens[i]];
  const SequentialSparse s = arrays_of(state);
  for (std::int32_t k = 0; k < s.topics; ++k) weigh_leaf(s, no_counts_.data(), k);
  s.tree.add_up(s.topics);

  from_document_ = 0;
  for (std::int32_t w = 0; w < corpus_.vocabulary_size(); ++w) draw_word(s, w);
  for (std::size_t i = 0; i < z_.size(); ++i) state.z[places_.tokens[i]] = z_[i];
  const double tokens = static_cast<double>(corpus_.tokens());
  draws_.from_document = tokens > 0 ? static_cast<double>(from_document_) / tokens : 0;
  draws_.from_prior = tokens > 0 ? 1 - draws_.from_document : 0;
}

template <class Number>
void SequentialSparseSweep<Number>::list_documents(const State& state) {
  std::int64_t entries = 0;
  std::int64_t documents = 0;
  for (std::size_t d = 0; d + 1 < places_.list_offsets.size(); ++d) {
    list_document(state, d);
    const std::int32_t size = lists_.at(places_.list_offsets[d])->count;
    entries += size;
    documents += size > 0;
  }
  draws_ = {.sparse = true,
            .topics_per_document = documents > 0 ? static_cast<double>(entries) / static_cast<double>(documents) : 0};
}

// The same list as list_topics makes.
template <class Number>
void SequentialSparseSweep<Number>::list_document(const State& state, std::size_t document) {
  auto* const head = lists_.at(places_.list_offsets[document]);
  auto* const list = head + 1;
  std::int32_t size = 0;
  for (std::int64_t i = corpus_.document_offsets[document]; i < corpus_.document_offsets[document + 1]; ++i) {
    const std::int32_t topic = state.z[static_cast<std::size_t>(i)];
    std::int32_t& place = place_[static_cast<std::size_t>(topic)];
    if (place < 0) {
      list[size] = {static_cast<Number>(topic), 0};
      place = size++;
    }
    ++list[place].count;
  }
  for (std::int32_t j = 0; j < size; ++j) place_[static_cast<std::size_t>(list[j].topic)] = -1;
  const auto most = std::min<std::int64_t>(std::ssize(place_),
                                           corpus_.document_offsets[document + 1] - corpus_.document_offsets[document]);
  std::fill(list + size, list + Lists::whole_turns(static_cast<std::int32_t>(most)), lists_.nothing());
  *head = {0, static_cast<Number>(size)};
}

template <class Number>
void SequentialSparseSweep<Number>::draw_word(const SequentialSparse& s, std::int32_t word) {
  const std::int64_t begin = s.word_offsets[word];
  const std::int64_t end = s.word_offsets[word + 1];
  if (begin == end) return;
  std::int32_t* const n_w = s.n_wk + word * s.stride;
  weigh_topics_of(s, n_w, n_w);
  SequentialWordDraws<Number> draws(s, lists_, n_w, room_.data());
  for (std::int64_t place = begin; place < end; ++place) {
    if (place % tokens_per_batch == 0) draw_uniforms(s, place);
    ask_for_list(s, place + tokens_ahead);
    from_document_ += draws.draw(place, u_[static_cast<std::size_t>(place % tokens_per_batch)]) ? 1 : 0;
  }
  weigh_topics_of(s, n_w, no_counts_.data());
}

// Of a batch of tokens, of several words.
template <class Number>
void SequentialSparseSweep<Number>::draw_uniforms(const SequentialSparse& s, std::int64_t place) {
  const std::int64_t count = std::min(tokens_per_batch, std::ssize(corpus_.words) - place);
  sparse::kernels_in_use().token_uniforms(s.seed, s.stream, s.tokens + place, count, u_.data());
}

// Of this word or of one of the next.
template <class Number>
void SequentialSparseSweep<Number>::ask_for_list(const SequentialSparse& s, std::int64_t place) {
  if (place >= std::ssize(corpus_.words)) return;
  const auto* const head = lists_.at(s.places[place]);
  for (std::int64_t j = 0; j < entries_asked_for; j += Lists::entries_per_line) __builtin_prefetch(head + j, 1);
}

// Takes up `counts` for the topics of the row n_w, which are the ones where a word's tree is not that of a word
// without tokens.
template <class Number>
void SequentialSparseSweep<Number>::weigh_topics_of(const SequentialSparse& s, const std::int32_t* n_w,
                                                    const std::int32_t* counts) {
  seen_.clear();
  for (std::int32_t k = 0; k < s.topics; ++k) {
    if (n_w[k] != 0) seen_.push_back(k);
  }
  if (std::ssize(seen_) * topics_per_path <= s.topics) {
    for (const std::int32_t k : seen_) weigh(s, counts, k);
    return;
  }
  for (const std::int32_t k : seen_) weigh_leaf(s, counts, k);
  s.tree.add_up(s.topics);
}

}  // namespace

std::unique_ptr<CpuSweep> make_sequential_sparse_sweep(const CorpusView& corpus, const TrainOptions& options) {
  if (TopicLists<std::uint8_t>::can_hold(corpus, options.topics)) {
    return std::make_unique<SequentialSparseSweep<std::uint8_t>>(corpus, options);
  }
  if (TopicLists<std::uint16_t>::can_hold(corpus, options.topics)) {
    return std::make_unique<SequentialSparseSweep<std::uint16_t>>(corpus, options);
  }
  return std::make_unique<SequentialSparseSweep<std::int32_t>>(corpus, options);
}

}  // namespace papilio::lda
