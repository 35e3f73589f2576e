#include "lda/training/progressive/progressive_start.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "execution/ranks/collectives.h"
#include "lda/model/options.h"
#include "lda/model/seeds.h"
#include "lda/training/parameters/initial_topics_cpu.h"
#include "papilio/primitives.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t sweeps_on_parts = 40;
constexpr std::int64_t documents_per_task = 64;

std::int64_t tokens_of(const CorpusView& corpus, std::int64_t document) {
  const auto d = static_cast<std::size_t>(document);
  return corpus.document_offsets[d + 1] - corpus.document_offsets[d];
}

std::int64_t tokens_of_every(const CorpusView& corpus, std::int64_t stride) {
  std::int64_t tokens = 0;
  for (std::int64_t d = 0; d < corpus.documents(); d += stride) tokens += tokens_of(corpus, d);
  return tokens;
}

// A whole number below `count`, each equally likely, from a uniform u in [0, 1).
std::size_t number_below(std::int64_t count, double u) {
  // Never `count`: (1 - 2^-53) count rounds to a double below it.
  return static_cast<std::size_t>(u * static_cast<double>(count));
}

}  // namespace

StartSchedule::StartSchedule(const CorpusView& corpus, const TrainOptions& options, Start start)
    : stages_(start_stages(options.topics, start, corpus.tokens())) {
  while (stages_ > 0 && tokens_of_every(corpus, std::int64_t{1} << stages_) == 0) --stages_;
}

std::int64_t StartSchedule::stride(std::int64_t sweep) const {
  const std::int64_t stage = (sweep - 1) * stages_ / sweeps_on_parts;
  return stage < stages_ ? std::int64_t{1} << (stages_ - stage) : 1;
}

PartOfCorpus::PartOfCorpus(const CorpusView& corpus, std::int64_t stride, Communicator* ranks)
    : corpus_(corpus),
      stride_(stride),
      ranks_(ranks),
      own_(ranks != nullptr ? documents_of_rank(corpus, ranks->rank(), ranks->ranks())
                            : documents_of_rank(corpus, 0, 1)) {
  for (std::int64_t d = 0; d < corpus.documents(); d += stride) {
    offsets_.push_back(offsets_.back() + tokens_of(corpus, d));
  }
  if (ranks == nullptr) words_.reserve(static_cast<std::size_t>(offsets_.back()));
  for_each_document([&](std::int64_t from, std::int64_t, std::int64_t tokens) {
    const auto first = corpus.words.begin() + own_.first_token + from;
    words_.insert(words_.end(), first, first + tokens);
  });
  if (ranks != nullptr) words_ = execution::join_everywhere(*ranks, words_);
}

template <class F>
void PartOfCorpus::for_each_document(F f) const {
  const auto first = static_cast<std::size_t>(base::ceil_div(own_.first_document, stride_));
  const auto end = static_cast<std::size_t>(base::ceil_div(own_.end_document, stride_));
  for (std::size_t d = first; d < end; ++d) {
    f(corpus_.document_offsets[d * static_cast<std::size_t>(stride_)] - own_.first_token, offsets_[d],
      offsets_[d + 1] - offsets_[d]);
  }
}

std::vector<std::int32_t> PartOfCorpus::take(const std::vector<std::int32_t>& z) const {
  std::vector<std::int32_t> part;
  for_each_document([&](std::int64_t from, std::int64_t, std::int64_t tokens) {
    part.insert(part.end(), z.begin() + from, z.begin() + from + tokens);
  });
  return ranks_ != nullptr ? execution::join_everywhere(*ranks_, part) : part;
}

void PartOfCorpus::spread(const TrainOptions& options, std::int64_t sweep, const std::vector<std::int32_t>& part,
                          std::vector<std::int32_t>& z) const {
  for_each_document([&](std::int64_t to, std::int64_t from, std::int64_t tokens) {
    std::copy_n(part.begin() + from, tokens, z.begin() + to);
  });
  std::vector<std::int64_t> begin_of(static_cast<std::size_t>(corpus_.vocabulary_size()) + 1), by_word(words_.size());
  sort_by_key(words_, VectorView<std::int64_t>(begin_of), VectorView<std::int64_t>(by_word), options.threads);
  const Seeds seeds(options.seed_words, options.topics, "train");
  const std::uint64_t stream = random::stream(random::Purpose::spread_topics, static_cast<std::uint32_t>(sweep));
  const auto draw = [&](std::size_t token) {
    const auto word = static_cast<std::size_t>(corpus_.words[token]);
    const std::int64_t same = begin_of[word + 1] - begin_of[word];
    const random::Block block = random::draw_block(options.seed, stream, token);
    const double u = random::uniform53(block.word[0], block.word[1]);
    if (same == 0) {
      const std::span<const SeedWord> listed = seeds.of_word(corpus_.words[token]);
      return listed.empty() ? static_cast<std::int32_t>(number_below(options.topics, u)) : topic_of_seed(listed, u);
    }
    const std::size_t drawn = number_below(same, u);
    return part[static_cast<std::size_t>(by_word[static_cast<std::size_t>(begin_of[word]) + drawn])];
  };
  const auto first_token = static_cast<std::size_t>(own_.first_token);
  execution::parallel_for(
      own_.documents(), documents_per_task, options.threads, [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t d = own_.first_document + first; d < own_.first_document + end; ++d) {
          if (d % stride_ == 0) continue;
          const auto begin = static_cast<std::size_t>(corpus_.document_offsets[static_cast<std::size_t>(d)]);
          const std::size_t behind = begin + static_cast<std::size_t>(tokens_of(corpus_, d));
          for (std::size_t i = begin; i < behind; ++i) z[i - first_token] = draw(i);
        }
      });
}

}  // namespace papilio::lda
