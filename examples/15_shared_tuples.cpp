// An inclusive scan of elements of any type in log2(n) rounds, as a block of threads performs them: in the round of
// distance d, element i is combined with element i - d. Here for tuples of a float and an int, and for 2 x 2 matrices.
// 15_shared_tuples.cu performs the same rounds in the shared memory of a GPU.

#include "support/tuples.h"

namespace {

template <class T, class Op>
std::vector<T> scan_in_rounds(std::vector<T> x, Op op) {
  for (std::size_t distance = 1; distance < x.size(); distance *= 2) {
    const std::vector<T> before = x;  // on a GPU: all threads read, meet, and write
    for (std::size_t i = distance; i < x.size(); ++i) x[i] = op(before[i - distance], before[i]);
  }
  return x;
}

}  // namespace

int main() {
  print_scans([](const auto& x, auto op) { return scan_in_rounds(x, op); });
}
