#include "lda/visualization/topic_plane.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "execution/cpu/parallel_for.h"
#include "lda/visualization/doubly_centred.h"
#include "lda/visualization/symmetric_eigen.h"

namespace papilio::lda {
namespace {

// phi of a topic: one value for each word that it counts, and a single value for all others.
struct TopicPhi {
  std::vector<std::int32_t> words;  // ascending
  std::vector<double> phi;
  double phi_of_others = 0;
};

std::vector<TopicPhi> sparse_topics(const Model& model) {
  std::vector<TopicPhi> topics(static_cast<std::size_t>(model.topics));
  for (std::size_t k = 0; k < topics.size(); ++k) {
    const std::int64_t counted = model.n_k[k] + (k < model.s_k.size() ? model.s_k[k] : 0);
    const double mass = static_cast<double>(counted) + static_cast<double>(model.vocabulary_size()) * model.beta;
    topics[k].phi_of_others = model.beta / mass;
  }
  for (std::int32_t w = 0; w < model.vocabulary_size(); ++w) {
    for (std::int32_t k = 0; k < model.topics; ++k) {
      const std::int32_t n = model.n_wk[static_cast<std::size_t>(std::int64_t{w} * model.topics + k)];
      if (n == 0 && (model.seed_words.empty() || model.seed_weight(w, k) == 0)) continue;
      topics[static_cast<std::size_t>(k)].words.push_back(w);
      topics[static_cast<std::size_t>(k)].phi.push_back(model.phi(w, k));
    }
  }
  return topics;
}

// What a word with these probabilities adds to the divergence.
double term(double p, double q) {
  const double middle = (p + q) / 2;
  return (p * std::log(p / middle) + q * std::log(q / middle)) / 2;
}

// Words that neither topic counts all add the same.
double divergence(const TopicPhi& a, const TopicPhi& b, std::int64_t vocabulary) {
  double sum = 0;
  std::int64_t counted = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.words.size() || j < b.words.size()) {
    const bool in_a = i < a.words.size() && (j == b.words.size() || a.words[i] <= b.words[j]);
    const bool in_b = j < b.words.size() && (i == a.words.size() || b.words[j] <= a.words[i]);
    sum += term(in_a ? a.phi[i] : a.phi_of_others, in_b ? b.phi[j] : b.phi_of_others);
    i += in_a ? 1 : 0;
    j += in_b ? 1 : 0;
    ++counted;
  }
  return sum + static_cast<double>(vocabulary - counted) * term(a.phi_of_others, b.phi_of_others);
}

std::vector<double> axis(const Eigen& eigen, std::size_t number) {
  constexpr double close_to_zero = 1e-8;
  const std::size_t n = eigen.values.size();
  std::vector<double> coordinates(n);
  if (number >= n || eigen.values[number] <= close_to_zero) return coordinates;
  const std::vector<double>& vector = eigen.vectors[number];
  const auto [least, most] = std::minmax_element(vector.begin(), vector.end());
  const double length = std::copysign(std::sqrt(eigen.values[number]), *most + *least);
  for (std::size_t i = 0; i < n; ++i) coordinates[i] = length * vector[i];
  return coordinates;
}

}  // namespace

std::vector<double> topic_divergences(const Model& model, int threads) {
  const std::vector<TopicPhi> topics = sparse_topics(model);
  const std::size_t n = topics.size();
  std::vector<double> divergences(n * n);
  execution::parallel_for(model.topics, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        divergences[i * n + j] = divergence(topics[j], topics[i], model.vocabulary_size());
      }
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) divergences[j * n + i] = divergences[i * n + j];
  }
  return divergences;
}

TopicPlane scale_to_plane(const std::vector<double>& distances, std::size_t topics) {
  std::vector<double> squares(distances.size());
  std::transform(distances.begin(), distances.end(), squares.begin(), [](double d) { return d * d; });
  const Eigen eigen = eigen_of_symmetric(doubly_centred(squares, topics), topics);
  return {axis(eigen, 0), axis(eigen, 1)};
}

}  // namespace papilio::lda
