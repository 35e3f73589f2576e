#include "collective/realisations.h"

// The executable that tests ScalarWarp itself.

namespace papilio::testing {

template <>
std::vector<Realisation<float>> realisations() {
  return scalar_realisations<float>();
}
template <>
std::vector<Realisation<double>> realisations() {
  return scalar_realisations<double>();
}

}  // namespace papilio::testing
