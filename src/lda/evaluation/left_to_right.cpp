#include <cmath>
#include <vector>

#include "base/check.h"
#include "execution/cpu/interruption.h"
#include "execution/cpu/parallel_for.h"
#include "lda/evaluation/fixed_phi.h"
#include "lda/evaluation/known_document.h"
#include "lda/evaluation/topic_draws.h"
#include "lda/model/checked_on_threads.h"
#include "papilio/evaluation.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio {
namespace {

struct Particle {
  lda::TopicDraws topics;
  std::vector<std::int32_t> z;  // of the tokens so far
};

// One document's particles, from its first token to its last.
class Particles {
 public:
  Particles(const lda::KnownDocument& document, const lda::FixedPhi& phi, const LeftToRightOptions& options)
      : document_(document),
        phi_(phi),
        seed_(options.seed),
        particles_(static_cast<std::size_t>(options.particles), Particle{lda::TopicDraws(phi.topics()), {}}),
        weights_(particles_.size()) {}

  // ln of the probability of the next token given those before it: the mean over the particles.
  double next_token() {
    const std::int32_t word = document_.tokens[position_];
    double sum = 0;
    for (std::size_t r = 0; r < particles_.size(); ++r) {
      execution::stop_point();
      redraw(particles_[r], r);
      weights_[r] = particles_[r].topics.total(phi_, word);
      sum += weights_[r];
    }
    resample(sum);
    for (std::size_t r = 0; r < particles_.size(); ++r) {
      Particle& particle = particles_[r];
      particle.z.push_back(particle.topics.draw(phi_, word, uniform(r, position_)));
      particle.topics.add(particle.z.back());
    }
    const double total = static_cast<double>(position_) + phi_.alpha_sum();
    ++position_;
    return std::log(sum / (static_cast<double>(particles_.size()) * total));
  }

 private:
  // The uniform number of a particle and a token in the current step; no number is used twice.
  double uniform(std::size_t particle, std::size_t token) const {
    const auto step = static_cast<std::uint32_t>(position_);
    const std::uint64_t stream = random::stream(random::Purpose::left_to_right, step);
    const std::uint64_t index = document_.key + (std::uint64_t{particle} << 32 | std::uint64_t{token});
    const random::Block block = random::draw_block(seed_, stream, index);
    return random::uniform53(block.word[0], block.word[1]);
  }

  // A sweep over the tokens so far; it leaves their posterior distribution unchanged.
  void redraw(Particle& particle, std::size_t number) const {
    for (std::size_t i = 0; i < particle.z.size(); ++i) {
      particle.topics.remove(particle.z[i]);
      particle.z[i] = particle.topics.draw(phi_, document_.tokens[i], uniform(number, i));
      particle.topics.add(particle.z[i]);
    }
  }

  // Resamples as many particles, each in proportion to its weight: those at evenly spaced points of the running sum of
  // weights. The first point is uniform.
  void resample(double sum) {
    if (particles_.size() == 1) return;
    const double spacing = sum / static_cast<double>(particles_.size());
    const double first = uniform(particles_.size(), 0) * spacing;
    std::vector<Particle> chosen;
    chosen.reserve(particles_.size());
    std::size_t r = 0;
    double running = weights_[0];
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      const double point = first + static_cast<double>(i) * spacing;
      while (point >= running && r + 1 < particles_.size()) {
        running += weights_[++r];
      }
      chosen.push_back(particles_[r]);
    }
    particles_ = std::move(chosen);
  }

  const lda::KnownDocument& document_;
  const lda::FixedPhi& phi_;
  const std::uint64_t seed_;
  std::vector<Particle> particles_;
  std::vector<double> weights_;
  std::size_t position_ = 0;
};

}  // namespace

double LeftToRight::perplexity() const { return std::exp(nats_per_token()); }

LeftToRight left_to_right(const Model& model, const CorpusView& corpus, const LeftToRightOptions& options) {
  base::require(1 <= options.particles && options.particles <= 1'000'000,
                "papilio::left_to_right: particles is {}, expected 1 to 1000000", options.particles);
  lda::require_model(model, "left_to_right");
  const WordMap map = lda::map_words(model, corpus, options.threads);
  LeftToRight result;
  result.unknown_tokens = map.unknown_tokens;
  result.tokens = corpus.tokens() - map.unknown_tokens;
  result.log_likelihoods.resize(static_cast<std::size_t>(corpus.documents()));
  execution::parallel_for(corpus.documents(), 1, options.threads, [&](std::int64_t begin, std::int64_t end) {
    lda::FixedPhi phi(model);
    for (std::int64_t d = begin; d < end; ++d) {
      lda::KnownDocument document = lda::known_document(corpus, map, d);
      lda::shuffle_tokens(document, options.seed);
      phi.set_words(document);
      Particles particles(document, phi, options);
      double& sum = result.log_likelihoods[static_cast<std::size_t>(d)];
      for (std::int64_t i = 0; i < document.size(); ++i) {
        sum += particles.next_token();
      }
    }
  });
  for (const double log_likelihood : result.log_likelihoods) {
    result.log_likelihood += log_likelihood;
  }
  return result;
}

}  // namespace papilio
