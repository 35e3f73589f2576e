#include "lda/model/optimize_priors.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "execution/cpu/parallel_for.h"
#include "lda/model/count_histogram.h"

namespace papilio::lda {
namespace {

struct DocumentCounts {
  CountHistogram lengths;              // n_d
  std::vector<CountHistogram> topics;  // n_dk, by topic
};

struct WordCounts {
  CountHistogram words;   // n_wk
  CountHistogram topics;  // n_k

  void finish() {
    words.finish();
    topics.finish();
  }
};

void add_documents(const CorpusView& corpus, std::span<const std::int32_t> z, std::int64_t first, std::int64_t last,
                   DocumentCounts& counts) {
  std::vector<std::int64_t> n_dk(counts.topics.size());
  for (auto d = static_cast<std::size_t>(first); d < static_cast<std::size_t>(last); ++d) {
    const auto begin = static_cast<std::size_t>(corpus.document_offsets[d]);
    const auto end = static_cast<std::size_t>(corpus.document_offsets[d + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      ++n_dk[static_cast<std::size_t>(z[i])];
    }
    counts.lengths.add(static_cast<std::int64_t>(end - begin));
    for (std::size_t i = begin; i < end; ++i) {
      const auto k = static_cast<std::size_t>(z[i]);
      counts.topics[k].add(n_dk[k]);  // adds nothing for a topic that has been met: its count is 0 by then
      n_dk[k] = 0;
    }
  }
}

// Calls body(first, last) for a few ranges per thread that cover [0, count).
void for_each_part(std::int64_t count, int threads,
                   base::FunctionRef<void(std::int64_t first, std::int64_t last)> body) {
  const std::int64_t parts = std::min<std::int64_t>(count, std::int64_t{2} * execution::thread_count(threads));
  execution::parallel_for(parts, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      body(count / parts * part + std::min(part, count % parts),
           count / parts * (part + 1) + std::min(part + 1, count % parts));
    }
  });
}

DocumentCounts count_documents(const CorpusView& corpus, std::span<const std::int32_t> z, std::size_t topics,
                               int threads) {
  DocumentCounts all = {{}, std::vector<CountHistogram>(topics)};
  std::mutex mutex;
  for_each_part(corpus.documents(), threads, [&](std::int64_t first, std::int64_t last) {
    DocumentCounts part = {{}, std::vector<CountHistogram>(topics)};
    add_documents(corpus, z, first, last, part);
    const std::lock_guard lock(mutex);
    all.lengths.add(part.lengths);
    for (std::size_t k = 0; k < topics; ++k) {
      all.topics[k].add(part.topics[k]);
    }
  });
  return all;
}

WordCounts count_words(std::span<const std::int32_t> n_wk, std::span<const std::int64_t> n_k, int threads) {
  WordCounts all;
  std::mutex mutex;
  for_each_part(static_cast<std::int64_t>(n_wk.size()), threads, [&](std::int64_t first, std::int64_t last) {
    CountHistogram part;
    for (std::int64_t i = first; i < last; ++i) {
      part.add(n_wk[static_cast<std::size_t>(i)]);
    }
    const std::lock_guard lock(mutex);
    all.words.add(part);
  });
  for (const std::int64_t n : n_k) {
    all.topics.add(n);
  }
  all.finish();
  return all;
}

WordCounts count_seeds(const Seeds& seeds) {
  WordCounts counts;
  for (const SeedWord& seed : seeds.words()) counts.words.add(seed.weight);
  for (const std::int64_t s : seeds.s_k()) counts.topics.add(s);
  counts.finish();
  return counts;
}

// The prior of each of `components` components that share it. Counts include those of seeds: the rise from s + prior to
// n + s + prior is that from prior to n + s + prior, less that from prior to s + prior. With seeds, too, Minka's step
// lowers no likelihood, since ln G(n + s + prior) - ln G(s + prior) is convex in ln prior.
double search_symmetric(const CountHistogram& counts, const CountHistogram& totals, double components, double prior,
                        const PriorSearch& search, const WordCounts& seeds = {}) {
  bool is_found = totals.empty();
  for (int iteration = 0; iteration < search.most_iterations && !is_found; ++iteration) {
    const double rise = counts.digamma_rise(prior) - seeds.words.digamma_rise(prior);
    const double total_prior = components * prior;
    const double total_rise = totals.digamma_rise(total_prior) - seeds.topics.digamma_rise(total_prior);
    const double ratio = rise / (components * total_rise);
    const double next = next_prior(prior, ratio);
    is_found = is_near(next, prior, search.tolerance);
    prior = next;
  }
  return prior;
}

void search_each(const DocumentCounts& counts, Priors& priors, int threads, const PriorSearch& search) {
  bool is_found = counts.lengths.empty();
  std::vector<double> next(priors.alpha.size());
  for (int iteration = 0; iteration < search.most_iterations && !is_found; ++iteration) {
    const double total_rise = counts.lengths.digamma_rise(priors.alpha_sum());
    execution::parallel_for(
        static_cast<std::int64_t>(next.size()), 8, threads, [&](std::int64_t begin, std::int64_t end) {
          for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
            next[k] = next_prior(priors.alpha[k], counts.topics[k].digamma_rise(priors.alpha[k]) / total_rise);
          }
        });
    is_found = std::equal(next.begin(), next.end(), priors.alpha.begin(),
                          [&](double a, double b) { return is_near(a, b, search.tolerance); });
    priors.alpha.swap(next);
  }
}

void optimize_alpha(DocumentCounts counts, Priors& priors, int threads, const PriorSearch& search) {
  counts.lengths.finish();
  if (!search.symmetric_alpha) {
    for (CountHistogram& topic : counts.topics) {
      topic.finish();
    }
    search_each(counts, priors, threads, search);
    return;
  }
  CountHistogram all;
  for (const CountHistogram& topic : counts.topics) {
    all.add(topic);
  }
  all.finish();
  const auto topics = static_cast<double>(priors.alpha.size());
  const double start = priors.is_symmetric() ? priors.alpha.front() : priors.alpha_sum() / topics;
  priors.alpha.assign(priors.alpha.size(), search_symmetric(all, counts.lengths, topics, start, search));
}

}  // namespace

void optimize_priors(const CorpusView& corpus, std::span<const std::int32_t> z, std::span<const std::int32_t> n_wk,
                     std::span<const std::int64_t> n_k, Priors& priors, int threads, const PriorSearch& search,
                     const Seeds& seeds, Communicator* ranks) {
  DocumentCounts documents = count_documents(corpus, z, priors.alpha.size(), threads);
  if (ranks != nullptr) {
    CountHistogram::add_up(std::span(&documents.lengths, 1), *ranks);
    CountHistogram::add_up(documents.topics, *ranks);
  }
  optimize_alpha(std::move(documents), priors, threads, search);
  const WordCounts words = count_words(n_wk, n_k, threads);
  priors.beta = search_symmetric(words.words, words.topics, static_cast<double>(corpus.vocabulary_size()), priors.beta,
                                 search, count_seeds(seeds));
}

}  // namespace papilio::lda
