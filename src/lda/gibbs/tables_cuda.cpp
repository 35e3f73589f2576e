#include "lda/gibbs/tables_cuda.h"

#include <limits>
#include <vector>

namespace papilio::lda {
namespace {

constexpr std::int64_t granule = std::int64_t{2} << 20;  // in which device memory is given out, nearly

bool removes_tokens(const Recipe& recipe) { return recipe.phi == Parameter::integrated_out; }

}  // namespace

TablesOnDevice::TablesOnDevice(const CorpusView& corpus, std::int32_t topics, const Recipe& recipe)
    : n_wk_stride(n_wk_stride_of(topics)),
      n_wk(corpus.vocabulary_size() * n_wk_stride, "n_wk"),
      phi(corpus.vocabulary_size() * topic_stride(topics), "phi"),
      n_k(topics, "n_k"),
      alpha(topics, "alpha"),
      theta_at_zero(topic_stride(topics), "alpha") {
  if (recipe.theta == Parameter::drawn) theta_prior.emplace(topics);
  if (removes_tokens(recipe)) masses = execution::DeviceArray<TopicMass>(topics, "the topics' masses");
  if (recipe.phi == Parameter::drawn) {
    phi_sums = execution::DeviceArray<std::int64_t>(drawn_phi_workspace(topics), "sums of phi");
  }
}

std::int64_t TablesOnDevice::bytes(const CorpusView& corpus, std::int32_t topics, const Recipe& recipe) {
  const std::int64_t large = corpus.vocabulary_size() * 4 * (n_wk_stride_of(topics) + topic_stride(topics));
  std::int64_t a_topic = 8 + 8 + 4 + 8;  // n_k, alpha, theta_at_zero, theta_prior
  if (removes_tokens(recipe)) a_topic += static_cast<std::int64_t>(sizeof(TopicMass));
  if (recipe.phi == Parameter::drawn) a_topic += 16;
  return large + a_topic * topic_stride(topics) + granule;
}

void TablesOnDevice::set_priors(const Priors& priors, cudaStream_t stream) {
  std::vector<float> at_zero(static_cast<std::size_t>(theta_at_zero.size()));
  for (std::size_t k = 0; k < priors.alpha.size(); ++k) at_zero[k] = static_cast<float>(priors.alpha[k]);
  alpha.upload(priors.alpha.data(), alpha.size(), stream);
  theta_at_zero.upload(at_zero.data(), theta_at_zero.size(), stream);
  if (theta_prior) theta_prior->set(priors.alpha, stream);
  execution::check(cudaStreamSynchronize(stream), "a copy to the device");
}

RangeNeeds range_needs(std::int32_t topics, const Recipe& recipe) {
  if (goes_in_document_order(recipe)) {
    return {.row = ordered_row(topics), .tokens_an_item = std::numeric_limits<std::int32_t>::max()};
  }
  return {.row = topic_stride(topics), .tokens_an_item = tokens_an_item(topics)};
}

}  // namespace papilio::lda
