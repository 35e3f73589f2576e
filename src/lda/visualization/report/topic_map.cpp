#include "lda/visualization/report/topic_map.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "execution/cpu/parallel_for.h"
#include "lda/visualization/doubly_centred.h"
#include "lda/visualization/report/leading_eigen.h"

namespace papilio::lda {
namespace {

constexpr std::size_t neighbours = 15;
constexpr double covered = 0.3;          // fraction of the map that circles cover
constexpr double least_radius = 0.0025;  // relative to the map's longer side, so that the smallest topic is visible
constexpr double gap = 0.0015;           // between circles, relative to the same

// How many steps over all pairs of n points take about the same time for any n.
int steps_for(std::size_t n, int most) {
  const double steps = 4e8 / (static_cast<double>(n) * static_cast<double>(n) + 1);
  return static_cast<int>(std::clamp(steps, 5.0, static_cast<double>(most)));
}

// An eigenvector as coordinates, of which the largest is positive.
std::vector<double> coordinates(const Eigen& eigen, std::size_t number, std::size_t n) {
  if (number >= eigen.values.size() || eigen.values[number] <= 1e-12) return std::vector<double>(n);
  std::vector<double> result = eigen.vectors[number];
  const auto [least, most] = std::minmax_element(result.begin(), result.end());
  const double length = std::copysign(std::sqrt(eigen.values[number]), *most + *least);
  for (double& x : result) x *= length;
  return result;
}

// How strongly each point is drawn to its neighbours: symmetric, and 1 in total.
struct Attraction {
  std::vector<std::size_t> begins;  // n + 1
  std::vector<std::size_t> points;  // the neighbours of each point
  std::vector<double> weights;
};

Attraction attraction_of(const std::vector<double>& divergences, std::size_t n) {
  const std::size_t count = std::min(neighbours, n - 1);
  std::vector<std::map<std::size_t, double>> rows(n);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = divergences.data() + i * n;
    order.clear();
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) order.push_back(j);
    }
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                      [&](std::size_t a, std::size_t b) { return row[a] != row[b] ? row[a] < row[b] : a < b; });
    double sum = 0;
    for (std::size_t near = 0; near < count; ++near) sum += 1 - row[order[near]] + 1e-9;
    for (std::size_t near = 0; near < count; ++near) {
      const double weight = (1 - row[order[near]] + 1e-9) / sum / (2 * static_cast<double>(n));
      rows[i][order[near]] += weight;
      rows[order[near]][i] += weight;
    }
  }
  Attraction attraction = {{0}, {}, {}};
  for (const std::map<std::size_t, double>& row : rows) {
    for (const auto& [j, weight] : row) {
      attraction.points.push_back(j);
      attraction.weights.push_back(weight);
    }
    attraction.begins.push_back(attraction.points.size());
  }
  return attraction;
}

// The two parts of the gradient at a point, and the point's part of the sum of 1 / (1 + distance^2) over pairs.
struct Forces {
  double near_x = 0, near_y = 0, far_x = 0, far_y = 0, sum = 0;
};

Forces forces_on(const Points& points, const Attraction& attraction, std::size_t i) {
  Forces forces;
  const double x = points.x[i], y = points.y[i];
  for (std::size_t j = 0; j < points.x.size(); ++j) {
    const double dx = x - points.x[j], dy = y - points.y[j];
    const double closeness = 1 / (1 + dx * dx + dy * dy);
    forces.sum += closeness;
    forces.far_x += closeness * closeness * dx;
    forces.far_y += closeness * closeness * dy;
  }
  forces.sum -= 1;  // the point itself
  for (std::size_t near = attraction.begins[i]; near < attraction.begins[i + 1]; ++near) {
    const double dx = x - points.x[attraction.points[near]], dy = y - points.y[attraction.points[near]];
    const double pull = attraction.weights[near] / (1 + dx * dx + dy * dy);
    forces.near_x += pull * dx;
    forces.near_y += pull * dy;
  }
  return forces;
}

struct Extent {
  double low, high;
  double size() const { return high - low; }
};

Extent extent(const std::vector<double>& centres, const std::vector<double>& radius) {
  Extent result = {1e300, -1e300};
  for (std::size_t i = 0; i < centres.size(); ++i) {
    result.low = std::min(result.low, centres[i] - radius[i]);
    result.high = std::max(result.high, centres[i] + radius[i]);
  }
  return result;
}

// Pushes overlapping circles apart along the line of their centres, the smaller one farther. Returns whether any did.
bool push_apart(TopicMap& map, double between) {
  bool pushed = false;
  for (std::size_t i = 0; i < map.x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = map.x[i] - map.x[j];
      const double dy = map.y[i] - map.y[j];
      const double wanted = map.radius[i] + map.radius[j] + between;
      const double square = dx * dx + dy * dy;
      if (square >= wanted * wanted * (1 - 1e-9)) continue;
      pushed = true;
      const double apart = std::sqrt(square);
      const bool at_one_place = apart < 1e-9;
      const double along_x = at_one_place ? 1 : dx / apart;
      const double along_y = at_one_place ? 0 : dy / apart;
      const double area_i = map.radius[i] * map.radius[i];
      const double area_j = map.radius[j] * map.radius[j];
      const double move_i = (wanted - apart) * area_j / (area_i + area_j);
      const double move_j = (wanted - apart) - move_i;
      map.x[i] += along_x * move_i;
      map.y[i] += along_y * move_i;
      map.x[j] -= along_x * move_j;
      map.y[j] -= along_y * move_j;
    }
  }
  return pushed;
}

// Radii for a map of the size that the centres cover.
std::vector<double> radii(const Points& points, const std::vector<double>& shares) {
  const std::vector<double> none(shares.size());
  const double width = extent(points.x, none).size();
  const double height = extent(points.y, none).size();
  const double longer = std::max({width, height, 1e-9});
  const double area = longer * std::max(std::min(width, height), longer / 2);
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<double> result(shares.size(), longer * least_radius);
  for (std::size_t i = 0; i < shares.size() && all > 0; ++i) {
    result[i] = std::max(result[i], std::sqrt(shares[i] / all * covered * area / 3.14159265358979));
  }
  return result;
}

void fit_into_unit(TopicMap& map) {
  const Extent x = extent(map.x, map.radius);
  const Extent y = extent(map.y, map.radius);
  const double longer = std::max(x.size(), y.size());
  for (std::size_t i = 0; i < map.x.size(); ++i) {
    map.x[i] = (map.x[i] - x.low) / longer;
    map.y[i] = (map.y[i] - y.low) / longer;
    map.radius[i] /= longer;
  }
  map.width = x.size() / longer;
  map.height = y.size() / longer;
}

}  // namespace

Points principal_coordinates(const std::vector<double>& squares, std::size_t n, int threads) {
  const Eigen eigen = leading_eigen(doubly_centred(squares, n), n, 2, threads);
  return {coordinates(eigen, 0, n), coordinates(eigen, 1, n)};
}

void embed_neighbours(const std::vector<double>& divergences, Points& points, int threads) {
  const std::size_t n = points.x.size();
  double square = 0;
  for (const double x : points.x) square += x * x;
  if (n < 3 || square == 0) return;
  const double scale = 0.01 / std::sqrt(square / static_cast<double>(n));
  for (std::vector<double>* axis : {&points.x, &points.y}) {
    for (double& value : *axis) value *= scale;
  }
  const Attraction attraction = attraction_of(divergences, n);
  std::vector<Forces> forces(n);
  Points speed = {std::vector<double>(n), std::vector<double>(n)};
  const int steps = steps_for(n, 400);
  const double rate = static_cast<double>(n) / 2;
  for (int step = 0; step < steps; ++step) {
    execution::parallel_for(static_cast<std::int64_t>(n), 16, threads, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        forces[i] = forces_on(points, attraction, i);
      }
    });
    double sum = 0;
    for (const Forces& force : forces) sum += force.sum;
    // In the first steps neighbours attract more strongly, so that distant ones come together.
    const bool early = step < steps / 4;
    const double pull = early ? 4 : 1;
    const double momentum = early ? 0.5 : 0.8;
    for (std::size_t i = 0; i < n; ++i) {
      speed.x[i] = momentum * speed.x[i] - rate * (pull * forces[i].near_x - forces[i].far_x / sum);
      speed.y[i] = momentum * speed.y[i] - rate * (pull * forces[i].near_y - forces[i].far_y / sum);
      points.x[i] += speed.x[i];
      points.y[i] += speed.y[i];
    }
  }
}

TopicMap map_topics(const std::vector<double>& divergences, const std::vector<double>& shares, int threads) {
  Points points = principal_coordinates(divergences, shares.size(), threads);
  embed_neighbours(divergences, points, threads);
  TopicMap map = {std::move(points.x), std::move(points.y), {}, 0, 0};
  map.radius = radii({map.x, map.y}, shares);
  const std::vector<double> none(shares.size());
  const double between = gap * std::max(extent(map.x, none).size(), extent(map.y, none).size());
  const int steps = steps_for(shares.size(), 400);
  for (int step = 0; step < steps && push_apart(map, between); ++step) {
  }
  fit_into_unit(map);
  return map;
}

}  // namespace papilio::lda
