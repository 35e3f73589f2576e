// Gibbs sampling of the Ising and Potts models on a torus: one call draws all sites of one colour of a checkerboard, at
// many temperatures. Compares energies and magnetisations with exact ones. With a file name, plots them as SVG.

#include <papilio/sampling.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <vector>

#include "support/statistics.h"
#include "support/svg.h"

namespace {

constexpr std::size_t side = 64, sites = side * side, batches = 16, batch_sweeps = 50, burn_in = 200;

struct Lattice {
  double beta;  // a state has the probability exp(beta * pairs of equal neighbours) / Z
  std::vector<std::int32_t> state = std::vector<std::int32_t>(sites);
  // Means of batches, per site: pairs of equal neighbours, and sites in state 0.
  std::vector<double> equal = std::vector<double>(batches), zeros = equal;
};

std::size_t right_of(std::size_t s, std::size_t by = 1) { return s / side * side + (s + by) % side; }
std::size_t below(std::size_t s, std::size_t by = 1) { return (s + by * side) % sites; }

void measure(Lattice& lattice, std::size_t batch) {
  const auto& state = lattice.state;
  for (std::size_t s = 0; s < sites; ++s) {
    const int equal = (state[s] == state[right_of(s)]) + (state[s] == state[below(s)]);
    lattice.equal[batch] += equal / double{sites * batch_sweeps};
    lattice.zeros[batch] += (state[s] == 0) / double{sites * batch_sweeps};
  }
}

// Sweeps from all sites in state 0. A site takes state k with weight exp(beta * neighbours in state k).
void run(std::vector<Lattice>& lattices, std::size_t states) {
  std::vector<double> weights;  // a row for each lattice and each number of neighbours in states 0 and 1
  for (const Lattice& lattice : lattices)
    for (int row = 0; row < 25; ++row)
      for (const int neighbours : {row / 5, row % 5, 4 - row / 5 - row % 5})
        weights.push_back(std::exp(lattice.beta * neighbours));
  constexpr std::array<std::int32_t, 3> places = {5, 1, 0};  // what a neighbour in each state adds to the row
  // With two states, the third column is left out.
  const papilio::MatrixView<const double> table(weights.data(), static_cast<std::int64_t>(25 * lattices.size()),
                                                static_cast<std::int64_t>(states), 3);
  std::array<std::vector<std::size_t>, 2> of_colour;
  for (std::size_t s = 0; s < sites; ++s) of_colour[(s / side + s) % 2].push_back(s);

  std::vector<std::int32_t> rows(lattices.size() * sites / 2), drawn(rows.size());
  for (std::size_t sweep = 0; sweep < burn_in + batches * batch_sweeps; ++sweep) {
    for (std::size_t colour = 0; colour < 2; ++colour) {
      std::size_t next = 0;
      for (std::size_t l = 0; l < lattices.size(); ++l) {
        for (const std::size_t s : of_colour[colour]) {
          std::int32_t row = static_cast<std::int32_t>(l) * 25;
          for (const std::size_t near : {right_of(s), right_of(s, side - 1), below(s), below(s, side - 1)})
            row += places[static_cast<std::size_t>(lattices[l].state[near])];
          rows[next++] = row;
        }
      }
      papilio::sample_categorical(papilio::MatrixWeights<double>{table, rows}, drawn,
                                  {.seed = 3, .stream = 2 * sweep + colour});
      next = 0;
      for (Lattice& lattice : lattices)
        for (const std::size_t s : of_colour[colour]) lattice.state[s] = drawn[next++];
    }
    if (sweep >= burn_in)
      for (Lattice& lattice : lattices) measure(lattice, (sweep - burn_in) / batch_sweeps);
  }
}

// Energy per site of the infinite Ising model, -s s' summed over neighbours. Onsager, Physical Review 65, 1944.
double onsager_energy(double t) {
  const double tanh = std::tanh(2 / t), k = 2 * std::sinh(2 / t) / (std::cosh(2 / t) * std::cosh(2 / t));
  return -1 / tanh * (1 + 2 / std::numbers::pi * (2 * tanh * tanh - 1) * std::comp_ellint_1(k));
}

// Yang, Physical Review 85, 1952.
double yang_magnetisation(double t) {
  const double s = std::sinh(2 / t);
  return s > 1 ? std::pow(1 - std::pow(s, -4), 0.125) : 0;
}

void draw_picture(const char* path, const std::vector<double>& temperatures, const std::vector<Lattice>& lattices) {
  picture::Svg svg(830, 260);
  picture::Chart chart(svg, {40, 30}, 270, 195, {1, 3.5, 0.5}, {0, 1, 0.2},
                       "magnetisation by temperature; curve: exact");
  std::vector<picture::Point> curve, measured;
  for (double t = 1; t <= 3.5; t += 0.005) curve.push_back({t, yang_magnetisation(t)});
  for (std::size_t l = 0; l < lattices.size(); ++l)
    measured.push_back({temperatures[l], std::abs(2 * mean_of(lattices[l].zeros).value - 1)});
  chart.line(curve, "#888");
  chart.dots(measured, "#c33", 6);
  for (std::size_t panel = 0; panel < 3; ++panel) {
    const std::size_t l = panel + 2;
    const double x = 340 + 165 * static_cast<double>(panel);
    char title[32];
    std::snprintf(title, sizeof title, "T = %.3f", temperatures[l]);
    svg.text({x, 45}, title);
    svg.add("<rect x='%.1f' y='53' width='154' height='154' fill='#edd'/>\n", x);
    const auto filled = [&](int i, int j) {
      return lattices[l].state[static_cast<std::size_t>(i) * side + static_cast<std::size_t>(j)] == 0;
    };
    svg.cells({x, 53}, 154.0 / side, side, side, filled, "#346");
  }
  if (!svg.save(path)) std::perror(path);
}

}  // namespace

int main(int argc, char** argv) {
  bool good = true;
  // A measured mean must agree with the exact value and, so that agreement means something, not with `other`.
  const auto compare = [&](const char* what, const Mean& mean, double exact, double other) {
    std::printf("  %s %.4f +- %.4f, exact %.4f", what, mean.value, mean.error, exact);
    good = good && std::abs(mean.from(exact)) < 3 && std::abs(mean.from(other)) > 3;
  };

  // Spins s = +-1 are two states; s s' = 2 * equal - 1, of two pairs per site.
  const double critical = 2 / std::log(1 + std::sqrt(2.0));
  const std::vector<double> temperatures = {1.8, 2.0, 2.1, critical, 2.5, 3.0};
  std::vector<Lattice> ising;
  for (const double t : temperatures) ising.push_back({2 / t});
  run(ising, 2);
  for (std::size_t l = 0; l < ising.size(); ++l) {
    const double t = temperatures[l], other = 1.03 * t;
    if (t == critical) continue;  // where a small lattice differs from an infinite one
    const Mean equal = mean_of(ising[l].equal), zeros = mean_of(ising[l].zeros);
    std::printf("Ising, T = %.1f:", t);
    compare("energy", {2 - 2 * equal.value, 2 * equal.error}, onsager_energy(t), onsager_energy(other));
    if (t < critical)
      compare("magnetisation", {2 * zeros.value - 1, 2 * zeros.error}, yang_magnetisation(t),
              yang_magnetisation(other));
    std::printf("\n");
  }

  // Three states at two temperatures that are dual: with v = exp(beta) - 1 and v v' = 3, the energies U obey
  // U + U' 3 (1 + v) / (v^2 (1 + v')) = -2 (1 + v) / v. Potts, Mathematical Proceedings 48, 1952.
  const double v = 2.2, dual = 3 / v, factor = 3 * (1 + v) / (v * v * (1 + dual)), exact = -2 * (1 + v) / v;
  std::vector<Lattice> potts = {{std::log(1 + v)}, {std::log(1 + dual)}};
  run(potts, 3);
  const Mean low = mean_of(potts[0].equal), high = mean_of(potts[1].equal);
  std::printf("Potts, 3 states:");
  compare("dual energies", {-low.value - factor * high.value, std::hypot(low.error, factor * high.error)}, exact,
          1.01 * exact);
  std::printf("\n");
  if (argc > 1) draw_picture(argv[1], temperatures, ising);
  return good ? 0 : 1;
}
