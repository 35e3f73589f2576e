#include "lda/training/dense/removal_cpu.h"

#include <algorithm>
#include <cmath>

namespace papilio::lda {
namespace {

constexpr std::int64_t theta_floats = std::int64_t{32} * 1024;  // of a batch: half of a usual L2 cache
constexpr std::int64_t least_rows = 16;                         // of the widest warp

}  // namespace

double Remainder::operator()(const float* theta, std::int32_t w, std::int32_t k) const {
  const double mass = phi_.mass(k);
  const double beta = priors_.beta;
  const auto n_wk = static_cast<double>(std::llround(double{phi_.row(w)[k]} * mass - beta));
  double r = ((n_wk - 1 + beta) / (n_wk + beta)) * (mass / (mass - 1));
  if (of_theta_) {
    const double alpha = priors_.alpha[static_cast<std::size_t>(k)];
    const auto n_dk = static_cast<double>(std::llround(double{theta[k]} - alpha));
    r = ((n_dk - 1 + alpha) / (n_dk + alpha)) * r;
  }
  return r;
}

SecondDraws::SecondDraws(std::int32_t topics, PartialSums method)
    : topics_(topics),
      theta_(std::clamp(theta_floats / topics, least_rows, sampling::ProductDraws::most_rows), topics),
      draws_(topics, method) {
  tokens_.reserve(static_cast<std::size_t>(theta_.rows()));
}

void SecondDraws::add(std::int64_t token, const float* theta, const float* phi, std::int32_t k, double r) {
  float* row = theta_.row(draws_.size());
  std::copy_n(theta, topics_, row);
  row[k] = static_cast<float>(double{theta[k]} * r);
  draws_.add(row, phi, static_cast<std::uint64_t>(token));
  tokens_.push_back(token);
}

}  // namespace papilio::lda
