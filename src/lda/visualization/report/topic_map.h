#pragma once

#include <cstddef>
#include <vector>

namespace papilio::lda {

// Topics as circles that do not overlap.
struct TopicMap {
  std::vector<double> x;       // K, centres
  std::vector<double> y;       // K
  std::vector<double> radius;  // K
  double width = 0;            // all circles are within [0, width] x [0, height]; the longer side is 1
  double height = 0;
};

struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

// Principal coordinates (classical scaling) of points, from the n x n squares of their distances: distances in the
// plane are as close to these as an orthogonal projection allows. The largest coordinate of an axis is positive.
//
// Source: Torgerson, Psychometrika 17, 1952.
Points principal_coordinates(const std::vector<double>& squares, std::size_t n, int threads);

// Moves points from their present places so that those with the least divergence become neighbours: the topics of many
// models are all about equally far apart, and then principal coordinates tell little. Each point has 15 neighbours,
// with weights of 1 - divergence. The distribution of pairs in the plane, 1 / (1 + distance^2), is fitted to them by
// gradient descent on the Kullback-Leibler divergence.
//
// Source: van der Maaten and Hinton, JMLR 9, 2008, with other weights.
void embed_neighbours(const std::vector<double>& divergences, Points& points, int threads);

// The map of topics with these divergences in [0, 1], K x K, which are squares of a metric: principal coordinates, then
// neighbours. The areas of the circles are in proportion to `shares`, K numbers >= 0; circles that would overlap push
// each other apart. The same on every machine and for any number of threads.
TopicMap map_topics(const std::vector<double>& divergences, const std::vector<double>& shares, int threads);

}  // namespace papilio::lda
