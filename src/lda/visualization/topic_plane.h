#pragma once

#include <vector>

#include "papilio/model.h"

namespace papilio::lda {

// Topics as points in the plane.
struct TopicPlane {
  std::vector<double> x;  // K
  std::vector<double> y;  // K
};

// Jensen-Shannon divergences between the topics' words, K x K.
std::vector<double> topic_divergences(const Model& model, int threads);

// Classical scaling of a K x K matrix of distances (principal coordinates): the axes of the two largest eigenvalues,
// zeros if an eigenvalue is negative or, by numpy.isclose, 0. The largest coordinate of an axis is positive.
TopicPlane scale_to_plane(const std::vector<double>& distances, std::size_t topics);

}  // namespace papilio::lda
