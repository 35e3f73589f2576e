#include "lda/training/sequential/sparse_cpu.h"

#include <algorithm>

#include "random/purpose.h"

namespace papilio::lda {
namespace {

// Of a word with more topics than K / this all sums are added up again; of others, those above its topics alone.
constexpr std::int32_t topics_per_path = 8;

constexpr std::int64_t tokens_per_batch = 16;  // whose lists are asked for, and whose numbers are drawn, together
constexpr std::int64_t lines_asked_for = 3;    // of a list, from its beginning
constexpr std::int64_t entries_per_line = 8;   // of a cache

}  // namespace

SequentialSparseSweep::SequentialSparseSweep(const CorpusView& corpus, const TrainOptions& options)
    : corpus_(corpus),
      seed_(options.seed),
      places_(corpus, options.topics),
      z_(corpus.words.size()),
      lists_(static_cast<std::size_t>(places_.list_offsets.back())),
      q_(static_cast<std::size_t>(options.topics)),
      tree_(static_cast<std::size_t>(TopicTree::size(options.topics))),
      no_counts_(static_cast<std::size_t>(options.topics)),
      place_(static_cast<std::size_t>(options.topics), -1) {}

SequentialSparse SequentialSparseSweep::arrays_of(State& state) {
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
          .lists = lists_.data(),
          .q = q_.data(),
          .tree = TopicTree::over(tree_.data(), state.topics),
          .seed = seed_,
          .stream = random::stream(random::Purpose::topics, static_cast<std::uint32_t>(state.sweep))};
}

void SequentialSparseSweep::run(State& state) {
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

// The same lists as list_topics makes.
void SequentialSparseSweep::list_documents(const State& state) {
  std::int64_t entries = 0;
  std::int64_t documents = 0;
  for (std::size_t d = 0; d + 1 < places_.list_offsets.size(); ++d) {
    DocumentTopic& head = lists_[static_cast<std::size_t>(places_.list_offsets[d])];
    DocumentTopic* const list = &head + 1;
    std::int32_t size = 0;
    for (std::int64_t i = corpus_.document_offsets[d]; i < corpus_.document_offsets[d + 1]; ++i) {
      const std::int32_t topic = state.z[static_cast<std::size_t>(i)];
      std::int32_t& place = place_[static_cast<std::size_t>(topic)];
      if (place < 0) list[place = size++] = {topic, 0};
      ++list[place].count;
    }
    for (std::int32_t j = 0; j < size; ++j) place_[static_cast<std::size_t>(list[j].topic)] = -1;
    head.count = size;
    entries += size;
    documents += size > 0;
  }
  draws_ = {.sparse = true,
            .topics_per_document = documents > 0 ? static_cast<double>(entries) / static_cast<double>(documents) : 0};
}

void SequentialSparseSweep::draw_word(const SequentialSparse& s, std::int32_t word) {
  const std::int64_t begin = s.word_offsets[word];
  const std::int64_t end = s.word_offsets[word + 1];
  if (begin == end) return;
  std::int32_t* const n_w = s.n_wk + word * s.stride;
  weigh_topics_of(s, n_w, n_w);
  for (std::int64_t first = begin; first < end; first += tokens_per_batch) {
    const std::int64_t last = std::min(first + tokens_per_batch, end);
    double u[tokens_per_batch];
    for (std::int64_t place = first; place < last; ++place) {
      for (std::int64_t line = 0; line < lines_asked_for; ++line) {
        __builtin_prefetch(s.lists + s.places[place] + line * entries_per_line, 1);
      }
      u[place - first] = uniform_of(s, place);
    }
    for (std::int64_t place = first; place < last; ++place) {
      from_document_ += draw_in_sequence(s, place, u[place - first], n_w);
    }
  }
  weigh_topics_of(s, n_w, no_counts_.data());
}

// Takes up `counts` for the topics of the row n_w, which are the ones where a word's tree is not that of a word
// without tokens.
void SequentialSparseSweep::weigh_topics_of(const SequentialSparse& s, const std::int32_t* n_w,
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

}  // namespace papilio::lda
