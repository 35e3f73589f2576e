// The equation f_t + mu f_x + sigma^2 f_xx / 2 = r f (of Black and Scholes' kind), backwards in time from a payoff, by
// finite differences. Explicit steps cost one pass each and diverge unless they are short; implicit steps each solve a
// tridiagonal system and are stable at any length.

#include <papilio/tridiagonal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int J = 65;  // points of x in [-2, 2]
constexpr double mu = 0.2, sigma = 1, r = 0.05, dx = 4.0 / (J - 1);

std::vector<double> payoff() {
  std::vector<double> f(J);
  for (int j = 0; j < J; ++j) f[static_cast<std::size_t>(j)] = std::max(-2 + j * dx, 0.0);
  return f;
}

// The weights of the left neighbour, the point itself and the right neighbour in a step of dt; the ends stay as they
// are.
struct Weights {
  double left, middle, right;
};
Weights weights_of(double dt) {
  const double diffusion = sigma * sigma / (2 * dx * dx), drift = mu / (2 * dx);
  return {dt * (diffusion - drift), dt * (2 * diffusion + r), dt * (diffusion + drift)};
}

double largest(const std::vector<double>& f) {
  double size = 0;
  for (const double x : f) size = std::max(size, std::abs(x));
  return size;
}

std::vector<double> explicitly(int times) {
  const Weights w = weights_of(1.0 / (times - 1));
  std::vector<double> f = payoff(), next = f;
  for (int n = 0; n + 1 < times; ++n) {
    for (std::size_t j = 1; j + 1 < J; ++j) next[j] = w.left * f[j - 1] + (1 - w.middle) * f[j] + w.right * f[j + 1];
    std::swap(f, next);
  }
  return f;
}

std::vector<double> implicitly(int times) {
  const Weights w = weights_of(1.0 / (times - 1));
  std::vector<double> a(J, -w.left), b(J, 1 + w.middle), c(J, -w.right), f = payoff();
  a.back() = c.front() = 0, b.front() = b.back() = 1;
  const auto row = [](const std::vector<double>& v) { return papilio::MatrixView<const double>(v.data(), 1, J); };
  for (int n = 0; n + 1 < times;
       ++n)  // f_new from (1 - dt L) f_new = f, in place; dominant, so no row need be exchanged
    papilio::solve_tridiagonal<double>(row(a), row(b), row(c), row(f), {f.data(), 1, J}, {.check = n == 0});
  return f;
}

}  // namespace

int main() {
  for (const int times : {64, 512}) {
    const std::vector<double> e = explicitly(times), i = implicitly(times);
    std::printf("%3d times: explicit f(0) = %.5g, largest |f| %.2g; implicit f(0) = %.5g, largest |f| %.2g\n", times,
                e[J / 2], largest(e), i[J / 2], largest(i));
  }
}
