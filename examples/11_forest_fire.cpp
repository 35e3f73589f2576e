// A stochastic cellular automaton, the forest fire of Drossel and Schwabl: all cells of a step are drawn in one call.
// On empty ground a tree grows with probability p. A tree burns if a neighbour burns; otherwise lightning strikes it
// with probability f. After a step of burning the ground is empty. With a file name, draws the forest as SVG.

#include <papilio/sampling.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "support/svg.h"

namespace {

enum State : std::int32_t { empty, tree, burning };
constexpr int side = 96, cells = side * side, steps = 1000;
constexpr double growth = 0.02, lightning = 1e-4;

// The law: a row for each state of a cell, without and with a burning neighbour; a column for each next state.
const std::array<double, 6 * 3> law = {
    1 - growth, growth, 0,  // empty
    1 - growth, growth, 0, 0, 1 - lightning,
    lightning,  // tree
    0,          0,      1, 1, 0,
    0,  // burning
    1,          0,      0,
};

using Forest = std::vector<std::int32_t>;

// The row of the law for each cell of a torus.
Forest rows_of(const Forest& forest) {
  const auto burns = [&](int y, int x) {
    return forest[static_cast<std::size_t>((y + side) % side * side + (x + side) % side)] == burning;
  };
  Forest rows(cells);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const bool near = burns(y - 1, x) || burns(y + 1, x) || burns(y, x - 1) || burns(y, x + 1);
      const auto cell = static_cast<std::size_t>(y * side + x);
      rows[cell] = 2 * forest[cell] + (near ? 1 : 0);
    }
  }
  return rows;
}

// The distance of the number of successes from its expectation for `trials` of probability p, in standard deviations.
double deviation(std::int64_t successes, std::int64_t trials, double p) {
  const auto n = static_cast<double>(trials);
  return (static_cast<double>(successes) - n * p) / std::sqrt(n * p * (1 - p));
}

}  // namespace

int main(int argc, char** argv) {
  const papilio::MatrixView<const double> table(law.data(), 6, 3);
  Forest forest(cells, empty);
  std::array<std::int64_t, 6 * 3> seen = {};  // cells by row of the law and next state
  for (int step = 0; step < steps; ++step) {
    const Forest rows = rows_of(forest);
    papilio::sample_categorical(papilio::MatrixWeights<double>{table, rows}, forest,
                                {.seed = 11, .stream = static_cast<std::uint64_t>(step)});
    for (std::size_t i = 0; i < cells; ++i) ++seen[static_cast<std::size_t>(3 * rows[i] + forest[i])];
    if ((step + 1) % 200 != 0) continue;
    std::array<int, 3> count = {};
    for (const std::int32_t state : forest) ++count[static_cast<std::size_t>(state)];
    std::printf("step %4d: %4.1f %% trees, %4.1f %% burning\n", step + 1, 100.0 * count[tree] / cells,
                100.0 * count[burning] / cells);
  }

  // Given the past, the draws of cells are independent, so the successes of a transition are binomial.
  const std::int64_t grown = seen[1] + seen[4], ground = grown + seen[0] + seen[3];
  const std::int64_t struck = seen[8], quiet = struck + seen[7];
  std::printf("growth: %lld of %lld, %.1f standard deviations from expected\n", static_cast<long long>(grown),
              static_cast<long long>(ground), deviation(grown, ground, growth));
  std::printf("lightning: %lld of %lld, %.1f standard deviations from expected\n", static_cast<long long>(struck),
              static_cast<long long>(quiet), deviation(struck, quiet, lightning));
  std::int64_t impossible = 0;
  for (std::size_t i = 0; i < law.size(); ++i) impossible += law[i] == 0 ? seen[i] : 0;
  std::printf("transitions that the law rules out: %lld\n", static_cast<long long>(impossible));

  if (argc > 1) {
    picture::Svg svg(404, 404);
    const auto in = [&](State state) {
      return [&forest, state](int i, int j) { return forest[static_cast<std::size_t>(i * side + j)] == state; };
    };
    svg.cells({10, 10}, 4, side, side, in(tree), "#385");
    svg.cells({10, 10}, 4, side, side, in(burning), "#d42");
    if (!svg.save(argv[1])) return 1;
  }
  const bool agrees =
      std::abs(deviation(grown, ground, growth)) < 3 && std::abs(deviation(struck, quiet, lightning)) < 3;
  // Rates larger by a quarter would fail this test.
  const bool decides = deviation(grown, ground, 1.25 * growth) < -3 && deviation(struck, quiet, 1.25 * lightning) < -3;
  return agrees && decides && impossible == 0 ? 0 : 1;
}
