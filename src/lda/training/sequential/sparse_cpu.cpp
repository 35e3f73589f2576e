#include "lda/training/sequential/sparse_cpu.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "lda/training/sequential/kernels.h"
#include "lda/training/sequential/near_sums.h"
#include "lda/training/sequential/sparse_kernel.h"
#include "lda/training/sequential/topic_lists_cpu.h"
#include "lda/training/sequential/word_places.h"
#include "lda/training/sparse/kernels.h"
#include "random/purpose.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t tokens_per_batch = 256;  // whose uniform numbers are made together

template <class Number>
class SequentialSparseSweep final : public CpuSweep {
  using Lists = TopicLists<Number>;

 public:
  SequentialSparseSweep(const CorpusView& corpus, const TrainOptions& options)
      : corpus_(corpus),
        seed_(options.seed),
        places_(corpus, Lists::offsets(corpus, options.topics)),
        lists_(places_.list_offsets.back()),
        q_(static_cast<std::size_t>(options.topics)),
        next_q_(static_cast<std::size_t>(options.topics)),
        tree_(static_cast<std::size_t>(TopicTree::size(options.topics))),
        no_counts_(static_cast<std::size_t>(options.topics)),
        place_(static_cast<std::size_t>(options.topics), -1),
        near_memory_(static_cast<std::size_t>(NearSums::size(options.topics))),
        near_(NearSums::over(near_memory_.data(), options.topics)),
        room_(static_cast<std::size_t>(64 + options.topics)),
        topics_(static_cast<std::size_t>(options.topics)) {}

  void run(State& state) override;
  SweepDraws draws() const override { return draws_; }

 private:
  SequentialSparse arrays_of(State& state);
  void list_documents(const State& state);
  void list_document(const State& state, std::size_t document);
  void draw_word(const SequentialSparse& s, std::int32_t* z, std::int32_t word);
  void draw_uniforms(const SequentialSparse& s, std::int64_t place);

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const WordPlaces places_;
  Lists lists_;
  std::vector<double> q_;       // K
  std::vector<double> next_q_;  // K
  BigArray<double> tree_;
  const std::vector<std::int32_t> no_counts_;  // K: of a word without tokens
  std::vector<std::int32_t> place_;            // K: a topic's place in a document's list; -1 between documents
  BigArray<double> near_memory_;
  NearSums near_;
  BigArray<double> room_;                   // SequentialWord::room
  std::vector<std::int32_t> topics_;        // K: SequentialWord::topics
  std::array<double, tokens_per_batch> u_;  // uniform numbers of tokens
  std::int64_t from_document_ = 0;          // topics of this sweep that came from document parts
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
  const SequentialSparse s = arrays_of(state);
  for (std::int32_t k = 0; k < s.topics; ++k) {
    weigh_leaf(s, no_counts_.data(), k);
    next_q_[static_cast<std::size_t>(k)] = (1 + s.beta) / mass_of_topic(s.n_k[k] + 1, s.prior_mass);
  }
  near_.is_stale = true;

  from_document_ = 0;
  for (std::int32_t w = 0; w < corpus_.vocabulary_size(); ++w) draw_word(s, state.z.data(), w);
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

// Makes the same list as list_topics.
template <class Number>
void SequentialSparseSweep<Number>::list_document(const State& state, std::size_t document) {
  auto* const head = lists_.at(places_.list_offsets[document]);
  auto* const list = head + 1;
  std::int32_t size = 0;
  for (std::int64_t i = corpus_.document_offsets[document]; i < corpus_.document_offsets[document + 1]; ++i) {
    const std::int32_t topic = state.z[static_cast<std::size_t>(i)];
    std::int32_t& place = place_[static_cast<std::size_t>(topic)];
    const bool is_new = place < 0;
    place = is_new ? size : place;
    list[place] = {static_cast<Number>(topic), static_cast<Number>(is_new ? 1 : list[place].count + 1)};
    size += is_new ? 1 : 0;
  }
  for (std::int32_t j = 0; j < size; ++j) place_[static_cast<std::size_t>(list[j].topic)] = -1;
  *head = {0, static_cast<Number>(size)};
}

template <class Number>
void SequentialSparseSweep<Number>::draw_word(const SequentialSparse& s, std::int32_t* z, std::int32_t word) {
  const std::int64_t begin = s.word_offsets[word];
  const std::int64_t end = s.word_offsets[word + 1];
  if (begin == end) return;
  std::int32_t* const n_w = s.n_wk + word * s.stride;
  const auto& kernels = sequential_kernels<Number>();
  const SequentialWord<Number> in_hand = {.sweep = &s,
                                          .entries = lists_.at(0),
                                          .near = &near_,
                                          .next_q = next_q_.data(),
                                          .room = room_.data(),
                                          .topics = topics_.data(),
                                          .z = z,
                                          .n_w = n_w,
                                          .tokens = std::ssize(corpus_.words)};
  kernels.take_up_word(in_hand);
  for (std::int64_t place = begin; place < end;) {
    const std::int64_t first = place / tokens_per_batch * tokens_per_batch;
    if (place == first) draw_uniforms(s, place);
    const std::int64_t last = std::min(end, first + tokens_per_batch);
    from_document_ += kernels.draw_tokens(in_hand, place, last, u_.data() + (place - first));
    place = last;
  }
  kernels.weigh_topics(in_hand, no_counts_.data());
}

// For a batch of tokens, which may have different words.
template <class Number>
void SequentialSparseSweep<Number>::draw_uniforms(const SequentialSparse& s, std::int64_t place) {
  const std::int64_t count = std::min(tokens_per_batch, std::ssize(corpus_.words) - place);
  sparse::kernels_in_use().token_uniforms(s.seed, s.stream, s.tokens + place, count, u_.data());
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
