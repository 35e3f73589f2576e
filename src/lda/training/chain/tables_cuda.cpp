#include "lda/training/chain/tables_cuda.h"

#include <cmath>
#include <vector>

#include "lda/training/memory/device_tables_cuda.h"
#include "lda/training/memory/topic_stride.h"
#include "lda/training/sparse/fixed_point.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t granule = std::int64_t{2} << 20;  // device memory is allocated in units of about this

std::int64_t prior_sums_per_word(std::int32_t topics) { return base::ceil_div(topics, sparse::topics_per_sum); }

}  // namespace

template <class Use>
void TablesOnDevice::for_each(const CorpusView& corpus, const TrainOptions& options, const Plan& plan, Use use) {
  const std::int32_t topics = options.topics;
  const std::int64_t words = corpus.vocabulary_size();
  use(n_wk, words * count_stride(topics), "n_wk");
  use(phi, plan.phi_rows * topic_stride(topics), "phi");
  use(n_k, topics, "n_k");
  use(alpha, topics, "alpha");
  use(theta_at_zero, topic_stride(topics), "alpha");
  if (plan.recipe.theta == Parameter::drawn) {
    theta_prior.emplace();
    theta_prior->for_each_table(topics, use);
  }
  if (plan.recipe.phi == Parameter::drawn) use(phi_sums, drawn_phi_workspace(topics), "sums of phi");
  if (plan.removes) use(removal_masses, topics, "the topics' masses");
  if (plan.is_sparse && plan.order == Order::by_document) {
    use(prior_totals, words, "sums of phi");
    use(prior_sums, words * prior_sums_per_word(topics), "sums of phi");
    use(sparse_statistics, 1, "sums of a sweep");
  }
  if (plan.order == Order::token_by_token && plan.is_sparse) {
    sequential_sparse.for_each_table(corpus, topics, use);
  } else if (plan.order == Order::token_by_token) {
    use(sequential_masses, topics, "the topics' masses");
    use(sequential_counts, topics, "the counts of a document");
  }
}

TablesOnDevice::TablesOnDevice(const CorpusView& corpus, const TrainOptions& options, const Plan& plan)
    : block_tables(options.method, options.topics, corpus.tokens()) {
  for_each(corpus, options, plan, [this](auto& table, std::int64_t entries, const char* what) {
    TakeMemory()(table, entries, what);
    bytes_ += table.bytes();
  });
  bytes_ += block_tables.bytes();
}

std::int64_t TablesOnDevice::bytes_needed(const CorpusView& corpus, const TrainOptions& options, const Plan& plan) {
  TablesOnDevice none;
  std::int64_t bytes = BlockTablesOnDevice::bytes_needed(options.method, options.topics, corpus.tokens()) + granule;
  none.for_each(corpus, options, plan, AddBytes{bytes});
  return bytes;
}

void TablesOnDevice::set_priors(const Priors& priors, cudaStream_t stream) {
  std::vector<float> at_zero(static_cast<std::size_t>(theta_at_zero.size()));
  for (std::size_t k = 0; k < priors.alpha.size(); ++k) at_zero[k] = static_cast<float>(priors.alpha[k]);
  alpha.upload(priors.alpha.data(), alpha.size(), stream);
  theta_at_zero.upload(at_zero.data(), theta_at_zero.size(), stream);
  if (theta_prior) theta_prior->set(priors.alpha, stream);
  execution::check(cudaStreamSynchronize(stream), "a copy to the device");
}

sparse::PriorPart TablesOnDevice::prior_part(const Priors& priors) const {
  const auto topics = static_cast<std::int32_t>(alpha.size());
  const int places = sparse::fixed_point_places(priors.alpha_sum());
  return {.topics = topics,
          .alpha = alpha.data(),
          .phi = phi.data(),
          .stride = topic_stride(topics),
          .totals = prior_totals.data(),
          .sums = prior_sums.data(),
          .sums_per_word = prior_sums_per_word(topics),
          .unit = std::ldexp(1.0, -places),
          .places = std::ldexp(1.0, places)};
}

}  // namespace papilio::lda
