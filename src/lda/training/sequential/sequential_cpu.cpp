#include "lda/training/sequential/sequential_cpu.h"

#include "lda/training/parameters/estimates.h"
#include "random/purpose.h"

namespace papilio::lda {

SequentialSweep::SequentialSweep(const CorpusView& corpus, const TrainOptions& options, const Plan& plan)
    : corpus_(corpus),
      recipe_(plan.recipe),
      seed_(options.seed),
      theta_(corpus, options.topics, 1),
      n_dk_(static_cast<std::size_t>(options.topics)),
      mass_(static_cast<std::size_t>(options.topics)),
      phi_(1, options.topics),
      draws_(options.topics, options.method) {}

void SequentialSweep::run(State& state) {
  const double v_beta = static_cast<double>(corpus_.vocabulary_size()) * state.priors.beta;
  for (std::size_t k = 0; k < mass_.size(); ++k) mass_[k] = mass_of_topic(state.n_k[k], v_beta);
  std::optional<sampling::GammaPrior> alpha;
  if (recipe_.theta == Parameter::drawn) alpha.emplace(state.priors.alpha);
  for (std::int64_t d = 0; d < corpus_.documents(); ++d) draw_document(state, d, alpha);
}

void SequentialSweep::draw_document(State& state, std::int64_t document,
                                    const std::optional<sampling::GammaPrior>& alpha) {
  const std::int64_t begin = corpus_.document_offsets[static_cast<std::size_t>(document)];
  const std::int64_t end = corpus_.document_offsets[static_cast<std::size_t>(document) + 1];
  if (begin == end) return;
  if (alpha) {
    theta_.draw(state, document, document + 1, *alpha, seed_);
  } else {
    theta_.estimate(state, document, document + 1);
  }
  for (std::int64_t i = begin; i < end; ++i) ++n_dk_[static_cast<std::size_t>(state.z[static_cast<std::size_t>(i)])];
  for (std::int64_t i = begin; i < end; ++i) draw_token(state, i, theta_.row(document));
  for (std::int64_t i = begin; i < end; ++i) n_dk_[static_cast<std::size_t>(state.z[static_cast<std::size_t>(i)])] = 0;
}

void SequentialSweep::draw_token(State& state, std::int64_t token, float* theta) {
  const std::int32_t w = corpus_.words[static_cast<std::size_t>(token)];
  std::int32_t& topic = state.z[static_cast<std::size_t>(token)];
  count(state, w, topic, -1, theta);
  const std::int32_t* n_wk = state.n_wk.data() + std::int64_t{w} * state.topics;
  const double beta = state.priors.beta;
  float* phi = phi_.row(0);
  for (std::int32_t k = 0; k < state.topics; ++k) {
    phi[k] = estimated_phi(n_wk[k], beta, mass_[static_cast<std::size_t>(k)]);
  }
  draws_.add(theta, phi, static_cast<std::uint64_t>(token));
  draws_.draw(seed_, random::stream(random::Purpose::topics, static_cast<std::uint32_t>(state.sweep)));
  const auto drawn = static_cast<std::int32_t>(draws_.drawn(0));
  if (drawn >= 0) topic = drawn;  // no positive weight: the token keeps its topic
  count(state, w, topic, 1, theta);
}

// Adds a token to all counts (change = 1) or takes it out (-1).
void SequentialSweep::count(State& state, std::int32_t w, std::int32_t k, std::int32_t change, float* theta) {
  const auto topic = static_cast<std::size_t>(k);
  const double v_beta = static_cast<double>(corpus_.vocabulary_size()) * state.priors.beta;
  state.n_wk[static_cast<std::size_t>(std::int64_t{w} * state.topics + k)] += change;
  state.n_k[topic] += change;
  mass_[topic] = mass_of_topic(state.n_k[topic], v_beta);
  n_dk_[topic] += change;
  if (recipe_.theta == Parameter::integrated_out) {
    theta[k] = estimated_theta(n_dk_[topic], state.priors.alpha[topic]);
  }
}

}  // namespace papilio::lda
