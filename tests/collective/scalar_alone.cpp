#include "collective/realisations.h"

// The executable that tests ScalarWarp itself.

namespace papilio::testing {

template <>
std::vector<Realisation<float>> realisations() {
  return scalar_realisations<float>();
}
#if !defined(PAPILIO_TEST_FLOAT)  // as the mutants
template <>
std::vector<Realisation<double>> realisations() {
  return scalar_realisations<double>();
}
#endif

}  // namespace papilio::testing
