#include "collective/draw_tile.h"

namespace papilio::testing {

template <>
#if defined(PAPILIO_TEST_SCALAR)
std::vector<Realisation<float>> scalar_realisations() {
#else
std::vector<Realisation<float>> realisations() {
#endif
  return collective::realisations_of_warp<float>();
}

}  // namespace papilio::testing
