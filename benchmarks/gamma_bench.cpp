// Gamma draws on one thread of the CPU beside std::gamma_distribution: prints a table in Markdown.
// Means and variances are checked before anything is timed.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "papilio/device.h"
#include "papilio/gamma.h"
#include "papilio/version.h"

namespace {

constexpr std::int64_t rows = 256, columns = 1024, draws = rows * columns;

void draw_ours(float shape, std::vector<float>& drawn) {
  static std::uint64_t stream = 0;
  papilio::sample_gamma({&shape, rows, columns, 0, 0}, {drawn.data(), rows, columns},
                        {.seed = 1, .stream = stream++, .threads = 1});
}

void draw_standard(float shape, std::vector<float>& drawn) {
  static std::mt19937_64 bits(1);
  std::gamma_distribution<float> gamma(shape);
  for (float& x : drawn) x = gamma(bits);
}

// Mean and variance to within six standard errors.
void verify(float shape, const std::vector<float>& drawn) {
  const double a = shape;
  double sum = 0, squares = 0;
  for (const float x : drawn) sum += x, squares += (double{x} - a) * (double{x} - a);
  const double mean_error = std::abs(sum / draws - a) / std::sqrt(a / draws);
  const double variance_error = std::abs(squares / draws - a) / std::sqrt((2 * a * a + 6 * a) / draws);
  if (!(mean_error < 6 && variance_error < 6)) {
    throw std::runtime_error("these are no draws of shape " + std::to_string(shape));
  }
}

// Nanoseconds per draw, the best of many runs in 0.5 seconds.
template <class Draw>
double time(const Draw& draw, float shape) {
  using Clock = std::chrono::steady_clock;
  std::vector<float> drawn(draws);
  draw(shape, drawn);
  verify(shape, drawn);
  double best = 1e9;
  const Clock::time_point start = Clock::now();
  while (Clock::now() - start < std::chrono::milliseconds(500)) {
    const Clock::time_point begin = Clock::now();
    draw(shape, drawn);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / draws);
  }
  return best;
}

}  // namespace

int main() {
  std::printf("papilio %s, CPU target %s, one thread, %lld x %lld draws per run\n\n", papilio::version(),
              papilio::cpu_target().c_str(), static_cast<long long>(rows), static_cast<long long>(columns));
  std::printf("| shape | sample_gamma, ns per draw | std::gamma_distribution, ns per draw | ratio |\n");
  std::printf("| ---: | ---: | ---: | ---: |\n");
  for (const float shape : {0.01f, 0.1f, 0.5f, 1.0f, 2.5f, 50.0f, 1e4f}) {
    const double ours = time(draw_ours, shape), standard = time(draw_standard, shape);
    std::printf("| %g | %.2f | %.2f | %.1f |\n", static_cast<double>(shape), ours, standard, standard / ours);
  }
}
