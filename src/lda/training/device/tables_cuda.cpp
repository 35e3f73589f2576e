#include "lda/training/device/tables_cuda.h"

#include <cmath>
#include <limits>
#include <vector>

#include "lda/model/options.h"
#include "lda/training/sparse/fixed_point.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t granule = std::int64_t{2} << 20;  // in which device memory is given out, nearly

bool removes_tokens(const Recipe& recipe) { return recipe.phi == Parameter::integrated_out; }

std::int64_t prior_sums_per_word(std::int32_t topics) { return base::ceil_div(topics, sparse::topics_per_sum); }

std::int64_t rows_of_phi(const CorpusView& corpus, const TrainOptions& options) {
  return goes_token_by_token(options) ? 1 : corpus.vocabulary_size();
}

}  // namespace

TablesOnDevice::TablesOnDevice(const CorpusView& corpus, const TrainOptions& options)
    : n_wk_stride(n_wk_stride_of(options.topics)),
      n_wk(corpus.vocabulary_size() * n_wk_stride, "n_wk"),
      phi(rows_of_phi(corpus, options) * topic_stride(options.topics), "phi"),
      n_k(options.topics, "n_k"),
      alpha(options.topics, "alpha"),
      theta_at_zero(topic_stride(options.topics), "alpha"),
      block_tables(options.method, options.topics, corpus.tokens()) {
  const Recipe recipe = recipe_of(options.sampler);
  const std::int32_t topics = options.topics;
  if (recipe.theta == Parameter::drawn) theta_prior.emplace(topics);
  if (removes_tokens(recipe)) masses = execution::DeviceArray<TopicMass>(topics, "the topics' masses");
  if (recipe.phi == Parameter::drawn) {
    phi_sums = execution::DeviceArray<std::int64_t>(drawn_phi_workspace(topics), "sums of phi");
  }
  if (draws_sparsely_in_order(corpus, options)) {
    const std::int64_t words = corpus.vocabulary_size();
    prior_totals = execution::DeviceArray<std::uint64_t>(words, "sums of phi");
    prior_sums = execution::DeviceArray<std::uint64_t>(words * prior_sums_per_word(topics), "sums of phi");
    ordered_counters = execution::DeviceArray<OrderedCounters>(1, "sums of a sweep");
  }
  if (goes_token_by_token(options)) {
    sequential_masses = execution::DeviceArray<double>(topics, "the topics' masses");
    sequential_counts = execution::DeviceArray<int>(topics, "the counts of a document");
  }
}

std::int64_t TablesOnDevice::bytes(const CorpusView& corpus, const TrainOptions& options) {
  const Recipe recipe = recipe_of(options.sampler);
  const std::int64_t stride = topic_stride(options.topics);
  const std::int64_t large =
      4 * (corpus.vocabulary_size() * n_wk_stride_of(options.topics) + rows_of_phi(corpus, options) * stride) +
      BlockTablesOnDevice::bytes(options.method, options.topics, corpus.tokens());
  std::int64_t a_topic = 8 + 8 + 4 + 8;  // n_k, alpha, theta_at_zero, theta_prior
  if (removes_tokens(recipe)) a_topic += static_cast<std::int64_t>(sizeof(TopicMass));
  if (recipe.phi == Parameter::drawn) a_topic += 16;
  if (goes_token_by_token(options)) a_topic += 8 + 4;
  const bool has_prior_sums = draws_sparsely_in_order(corpus, options);
  const std::int64_t a_word = has_prior_sums ? 8 * (1 + prior_sums_per_word(options.topics)) : 0;
  return large + corpus.vocabulary_size() * a_word + a_topic * stride + granule;
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

bool draws_sparsely_in_order(const CorpusView& corpus, const TrainOptions& options) {
  return goes_in_document_order(recipe_of(options.sampler)) && draws_sparsely(options, corpus.tokens());
}

RangeNeeds range_needs(const CorpusView& corpus, const TrainOptions& options, const OrderedTuning& tuning) {
  if (draws_sparsely_in_order(corpus, options)) {
    return {.row = ordered_counts_row(options.topics, tuning),
            .tokens_per_item = std::numeric_limits<std::int32_t>::max(),
            .by_word = true};
  }
  if (goes_in_document_order(recipe_of(options.sampler))) {
    const bool by_slots = options.method == PartialSums::slots;
    return {.row = by_slots ? ordered_row(options.topics) : 2 * topic_stride(options.topics),
            .tokens_per_item = std::numeric_limits<std::int32_t>::max()};
  }
  return {.row = topic_stride(options.topics), .tokens_per_item = tokens_per_item(options.topics)};
}

}  // namespace papilio::lda
