// Draws from weights that are computed when they are needed and never stored: points are
// assigned to the components of a Gaussian mixture, the step of a Gibbs sampler in
// which component k has the weight pi_k * N(x; mu_k, sigma^2).
//
// Uses the kernel headers, which are unstable before 1.0. Compile such code with
// -ffp-contract=off. Options such as -mavx2 -mfma make it faster and do not change the draws.

#include <papilio/collective/draw_slots.h>
#include <papilio/random/elementary.h>
#include <papilio/random/philox.h>
#include <papilio/random/uniform.h>
#include <papilio/sampling.h>
#include <papilio/warp/native_warp.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using papilio::collective::Lanes;
using papilio::collective::Quads;
using papilio::collective::Warp;

struct Point {
  float x, y;
};

struct Component {
  Point mean;
  float share;  // pi_k
};

// The provider: W points per tile, one per row. Their weights over the components are computed
// whenever they are needed. A weight must have the same bits each time, so one function computes it.
struct MixtureRows {
  using Weight = float;
  const Component* components;
  std::int64_t component_count;
  const Point* points;  // of this tile
  std::int64_t point_count;

  static constexpr double variance = 0.25;

  // Rows past the last point have no categories.
  std::int64_t size(int q) const { return q < point_count ? component_count : 0; }

  // pi_k * exp(-|x - mu_k|^2 / (2 variance)); factors that all components share cancel.
  float weight(int q, std::int64_t k) const {
    const Component& c = components[k];
    const double dx = double{points[q].x} - double{c.mean.x}, dy = double{points[q].y} - double{c.mean.y};
    return c.share * static_cast<float>(papilio::random::exponential(-(dx * dx + dy * dy) / (2 * variance)));
  }

  // sums + the weights k, k + 1, ..., four per lane, of which `count` exist.
  template <Warp W, class Signs>
  PAPILIO_LANEWISE Quads<W, float> add(Quads<W, float> sums, int q, std::int64_t k, Signs& signs,
                                       std::int64_t count = 4 * W::width) const {
    float w[4 * W::width] = {};
    for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 4 * W::width); ++i) w[i] = weight(q, k + i);
    auto quads = W::load_quads(w);
    signs.template collect<W>(quads);
    return sums + quads;
  }

  // Lane q: the weights first[q] + offset ... + 3 of row q, zero from `end` on; and sums + them.
  template <Warp W>
  PAPILIO_LANEWISE void quads(const std::int64_t* first, Lanes<W, std::int32_t> offset, Lanes<W, std::int32_t> end,
                              Lanes<W, float> (&sums)[4], Lanes<W, float> (&weights)[4]) const {
    std::int32_t from[W::width], stop[W::width];
    W::store(from, offset);
    W::store(stop, end);
    for (int e = 0; e < 4; ++e) {
      float w[W::width];
      for (int q = 0; q < W::width; ++q) w[q] = from[q] + e < stop[q] ? weight(q, first[q] + from[q] + e) : 0;
      weights[e] = W::load(w);
      sums[e] = sums[e] + weights[e];
    }
  }
};

double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const auto block = papilio::random::draw_block(seed, stream, index);
  return papilio::random::uniform53(block.word[0], block.word[1]);
}

// The component of each point: the draw of point i is number i of the stream.
std::vector<std::int64_t> assign(const std::vector<Point>& points, const std::vector<Component>& components,
                                 std::uint64_t seed, std::uint64_t stream) {
  using W = papilio::warp::NativeWarp<float>;
  using Scratch = papilio::collective::SlotScratch<W, float>;
  const auto point_count = static_cast<std::int64_t>(points.size());
  const auto component_count = static_cast<std::int64_t>(components.size());
  const std::int64_t segments = papilio::collective::segments_of(component_count);
  std::vector<float> lane_sums(static_cast<std::size_t>(segments * Scratch::lane_sums_per_segment));
  std::vector<double> running(static_cast<std::size_t>(segments * W::width));

  std::vector<std::int64_t> assigned(points.size());
  for (std::int64_t tile = 0; tile < point_count; tile += W::width) {
    const std::int64_t count = std::min<std::int64_t>(W::width, point_count - tile);
    const MixtureRows rows = {components.data(), component_count, points.data() + tile, count};
    double u[W::width];
    for (int q = 0; q < W::width; ++q) u[q] = uniform(seed, stream, static_cast<std::uint64_t>(tile + q));

    papilio::collective::Drawn<W> drawn;
    papilio::collective::draw_slots<W, papilio::collective::IgnoreSigns>(
        rows, W::load(u), Scratch{lane_sums.data(), running.data()}, drawn);
    for (std::int64_t q = 0; q < count; ++q)  // a total of 0: the point is too far from all components
      assigned[static_cast<std::size_t>(tile + q)] = drawn.total[q] > 0 ? drawn.category[q] : -1;
  }
  return assigned;
}

// The same through the library's public function: all weights stored, then drawn from.
std::vector<std::int64_t> assign_from_stored_weights(const std::vector<Point>& points,
                                                     const std::vector<Component>& components, std::uint64_t seed,
                                                     std::uint64_t stream) {
  const auto rows = static_cast<std::int64_t>(points.size()), columns = static_cast<std::int64_t>(components.size());
  const MixtureRows all = {components.data(), columns, points.data(), rows};
  std::vector<float> weights;
  for (int i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < columns; ++k) weights.push_back(all.weight(i, k));
  std::vector<std::int64_t> assigned(points.size());
  std::vector<papilio::DrawStatus> status(points.size());
  papilio::sample_categorical(papilio::MatrixWeights<float>{{weights.data(), rows, columns}}, assigned,
                              {.seed = seed, .stream = stream, .status = status});
  return assigned;
}

}  // namespace

int main() {
  const std::vector<Component> components = {
      {{0, 0}, 0.4f}, {{2, 0}, 0.3f}, {{0, 2}, 0.2f}, {{2, 2}, 0.1f}, {{1, 1}, 0},  // the last one never
  };
  std::vector<Point> points(10000);  // spread over the square from -1 to 3
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = {static_cast<float>(4 * uniform(5, 0, 2 * i) - 1),
                 static_cast<float>(4 * uniform(5, 0, 2 * i + 1) - 1)};

  const auto assigned = assign(points, components, 5, 1);
  for (std::size_t k = 0; k < components.size(); ++k)
    std::printf("component %zu: %td points\n", k,
                std::count(assigned.begin(), assigned.end(), static_cast<std::int64_t>(k)));
  std::printf("from stored weights: %s\n",
              assigned == assign_from_stored_weights(points, components, 5, 1) ? "the same draws" : "other draws");
}
