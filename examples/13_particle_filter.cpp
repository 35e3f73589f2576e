// A particle filter: follows a hidden state through noisy observations by moving, weighting and resampling particles.
// The model is linear with normal noise, so the Kalman filter gives the exact answer for comparison. With a file name,
// plots both as SVG.

#include <papilio/resample.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <vector>

#include "support/normal.h"
#include "support/statistics.h"
#include "support/svg.h"

namespace {

// x[t] = persistence * x[t - 1] + move * noise, stationary; y[t] = x[t] + blur * noise.
constexpr double persistence = 0.95, move = 0.5, blur = 1;
constexpr std::size_t times = 60, particles = 1000, filters = 40;
const double spread = move / std::sqrt(1 - persistence * persistence);

struct Estimate {
  std::vector<double> mean = {}, deviation = {};  // of x[t], given y[0] ... y[t]
  double log_likelihood = 0;                      // of all y
};

double log_normal(double x, double variance) {
  return -(x * x / variance + std::log(2 * std::numbers::pi * variance)) / 2;
}

Estimate kalman_filter(const std::vector<double>& y) {
  Estimate exact;
  double mean = 0, variance = spread * spread;
  for (std::size_t t = 0; t < times; ++t) {
    if (t > 0) mean *= persistence, variance = persistence * persistence * variance + move * move;
    exact.log_likelihood += log_normal(y[t] - mean, variance + blur * blur);
    mean += variance / (variance + blur * blur) * (y[t] - mean);
    variance *= blur * blur / (variance + blur * blur);
    exact.mean.push_back(mean);
    exact.deviation.push_back(std::sqrt(variance));
  }
  return exact;
}

Estimate particle_filter(const std::vector<double>& y, std::uint64_t seed) {
  Estimate estimate;
  std::vector<double> x(particles), weights(particles);
  std::vector<std::int32_t> parents(particles);
  for (std::size_t t = 0; t < times; ++t) {
    const std::vector<double> noise = normal_numbers(particles, seed, t);
    double total = 0, mean = 0;
    for (std::size_t i = 0; i < particles; ++i) {
      x[i] = t == 0 ? spread * noise[i] : persistence * x[i] + move * noise[i];
      weights[i] = std::exp(log_normal(y[t] - x[i], blur * blur));
      total += weights[i];
      mean += weights[i] * x[i];
    }
    estimate.mean.push_back(mean / total);
    estimate.log_likelihood += std::log(total / particles);
    std::vector<double> children;
    papilio::resample(papilio::VectorView<const double>(weights), papilio::VectorView<std::int32_t>(parents),
                      {.seed = seed, .stream = 2 * times + t});
    for (const std::int32_t parent : parents) children.push_back(x[static_cast<std::size_t>(parent)]);
    x = children;
  }
  return estimate;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<double> hidden_noise = normal_numbers(times, 1, 0), noise = normal_numbers(times, 1, 1);
  std::vector<double> x, y;
  for (std::size_t t = 0; t < times; ++t) {
    x.push_back(t == 0 ? spread * hidden_noise[t] : persistence * x[t - 1] + move * hidden_noise[t]);
    y.push_back(x[t] + blur * noise[t]);
  }
  const Estimate exact = kalman_filter(y);
  std::vector<Estimate> runs;
  for (std::uint64_t seed = 2; seed < 2 + filters; ++seed) runs.push_back(particle_filter(y, seed));

  bool good = true;
  for (std::size_t t = 9; t < times; t += 10) {
    std::vector<double> means;
    for (const Estimate& run : runs) means.push_back(run.mean[t]);
    const Mean mean = mean_of(means);
    std::printf("time %zu: Kalman %6.3f, particles %6.3f +- %.3f\n", t + 1, exact.mean[t], mean.value, mean.error);
    // Agrees, and would not agree with a mean that is off by a tenth of the state's standard deviation.
    good = good && std::abs(mean.from(exact.mean[t])) < 3 &&
           std::abs(mean.from(exact.mean[t] + 0.1 * exact.deviation[t])) > 3;
  }
  // A particle filter's likelihood is unbiased: the mean of its ratio to the exact one is 1.
  std::vector<double> ratios;
  for (const Estimate& run : runs) ratios.push_back(std::exp(run.log_likelihood - exact.log_likelihood));
  const Mean ratio = mean_of(ratios);
  std::printf("likelihood: %.3f +- %.3f times the exact one\n", ratio.value, ratio.error);
  good = good && std::abs(ratio.from(1)) < 3 && std::abs(ratio.from(1.3)) > 3;

  if (argc > 1) {
    picture::Svg svg(640, 300);
    picture::Chart chart(svg, {40, 30}, 580, 240, {0, 60, 10}, {-6, 4, 2},
                         "observations (grey), one particle filter (red), Kalman filter with one deviation (blue)");
    std::vector<picture::Point> observed, line, band, filtered;
    for (std::size_t t = 0; t < times; ++t) {
      const auto at = static_cast<double>(t + 1);
      observed.push_back({at, y[t]});
      line.push_back({at, exact.mean[t]});
      filtered.push_back({at, runs[0].mean[t]});
      band.push_back({at, exact.mean[t] + exact.deviation[t]});
    }
    for (std::size_t t = times; t-- > 0;)
      band.push_back({static_cast<double>(t + 1), exact.mean[t] - exact.deviation[t]});
    chart.area(band, "#dde6f5");
    chart.line(line, "#36c");
    chart.dots(observed, "#999");
    chart.dots(filtered, "#c33");
    if (!svg.save(argv[1])) return 1;
  }
  return good ? 0 : 1;
}
