#pragma once

#include <algorithm>
#include <cmath>

namespace papilio::lda::sparse {

// Weights that are summed as integers are so many binary places long behind the point: all of alpha then takes 62 bits,
// and the power of two is a double, as is its reciprocal.
inline int fixed_point_places(double alpha_sum) { return std::min(61 - std::ilogb(alpha_sum), 1000); }

}  // namespace papilio::lda::sparse
