#include "collective/draw_tile.h"

namespace papilio::testing {

template <>
#if defined(PAPILIO_TEST_SCALAR)
std::vector<Realisation<double>> scalar_realisations() {
#else
std::vector<Realisation<double>> realisations() {
#endif
  return collective::realisations_of_warp<double>();
}

}  // namespace papilio::testing
