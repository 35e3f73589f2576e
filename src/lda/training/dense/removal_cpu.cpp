#include "lda/training/dense/removal_cpu.h"

#include <algorithm>

#include "lda/training/parameters/removal_mass.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t theta_floats = std::int64_t{32} * 1024;  // per batch: half of a typical L2 cache
constexpr std::int64_t least_rows = 16;                         // as many as the widest warp has lanes

}  // namespace

double Remainder::operator()(const float* theta, std::int32_t w, std::int32_t k) const {
  const double r = phi_ratio(phi_.row(w)[k], removal_mass(phi_.mass(k)), priors_.beta);
  return of_theta_ ? theta_ratio(theta[k], priors_.alpha[static_cast<std::size_t>(k)]) * r : r;
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
  row[k] = theta_without_token(theta[k], r);
  draws_.add(row, phi, static_cast<std::uint64_t>(token));
  tokens_.push_back(token);
}

}  // namespace papilio::lda
