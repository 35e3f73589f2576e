#include "sampling/gamma/gamma_rows.h"

#include <cmath>

#include "base/check.h"
#include "random/gamma.h"
#include "sampling/rows/kernels.h"
#include "warp/scalar_warp.h"

namespace papilio::sampling {

GammaPrior::GammaPrior(std::span<const double> prior) {
  using OneLane = warp::ScalarWarp<1>;
  shape_.reserve(prior.size());
  inverse_.reserve(prior.size());
  for (std::size_t k = 0; k < prior.size(); ++k) {
    const auto shape = static_cast<float>(prior[k]);
    base::require(
        std::isnormal(shape) && shape > 0,
        "papilio::sampling::GammaPrior: a prior must be a positive number in the range of float; prior {} is {}", k,
        prior[k]);
    shape_.push_back(shape);
    inverse_.push_back(random::gamma_inverse<OneLane>({{shape}}).at[0]);
  }
}

GammaPrior::GammaPrior(double prior, std::int64_t columns)
    : GammaPrior(std::vector<double>(static_cast<std::size_t>(columns), prior)) {}

void draw_gamma_row(const GammaRow& row, const GammaPrior& prior) {
  kernels_in_use().draw_gamma({.counts = row.counts,
                               .shape = prior.shape(),
                               .inverse = prior.inverse(),
                               .count = prior.columns(),
                               .seed = row.seed,
                               .stream = row.stream,
                               .row = row.row,
                               .drawn = row.drawn});
}

}  // namespace papilio::sampling
