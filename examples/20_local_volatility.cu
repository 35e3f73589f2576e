// Calibration of a local volatility model on a GPU: the program of 20_local_volatility.cpp with all strikes at once, so
// a time step is two kernels and two calls. It prints the same for the sizes small, medium and large; the numbers are
// the same to the last bit.

#include <papilio/tridiagonal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "support/local_volatility.h"

namespace {

using volatility::Grid;
using volatility::Size;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Numbers on the device.
class Array {
 public:
  explicit Array(std::int64_t size) : size_(static_cast<std::size_t>(size)) {
    check(cudaMalloc(&data_, size_ * sizeof(double)));
  }
  explicit Array(const std::vector<double>& values) : Array(static_cast<std::int64_t>(values.size())) { set(values); }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  void set(const std::vector<double>& values) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(double), cudaMemcpyHostToDevice));
  }
  std::vector<double> host() const {
    std::vector<double> values(size_);
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(double), cudaMemcpyDeviceToHost));
    return values;
  }
  double* data() const { return data_; }

 private:
  std::size_t size_;
  double* data_ = nullptr;
};

struct DeviceAxis {
  const double *before, *itself, *after;
};

// Point (i, j) of strike o is at (i * strikes + o) * ny + j: systems along x are interleaved, those along y contiguous.
struct Problem {
  std::int64_t strikes, nx, ny;
  DeviceAxis x, y;
  const double* variance;
  double *value, *u, *v, *a, *b, *c;

  __host__ __device__ std::int64_t points() const { return strikes * nx * ny; }
};

// u = value / dt + L_x value / 2 + L_y value, v = L_y value, and the matrix 1 / dt - L_x / 2.
__global__ void explicit_part(Problem on, double fall, double per_dt) {
  const std::int64_t p = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x, row = on.strikes * on.ny;
  if (p >= on.points()) return;
  const std::int64_t i = p / row, j = p % on.ny;
  constexpr double variance_y = volatility::nu * volatility::nu;
  const double here = on.value[p];
  const double before_x = i > 0 ? on.value[p - row] : 0, after_x = i + 1 < on.nx ? on.value[p + row] : 0;
  const double before_y = j > 0 ? on.value[p - 1] : 0, after_y = j + 1 < on.ny ? on.value[p + 1] : 0;
  const double along_x = on.x.before[i] * before_x + on.x.itself[i] * here + on.x.after[i] * after_x;
  const double along_y = on.y.before[j] * before_y + on.y.itself[j] * here + on.y.after[j] * after_y;
  const double quarter = on.variance[i * on.ny + j] * fall / 4;
  on.v[p] = variance_y / 2 * along_y;
  on.u[p] = per_dt * here + quarter * along_x + on.v[p];
  on.a[p] = -quarter * on.x.before[i], on.b[p] = per_dt - quarter * on.x.itself[i], on.c[p] = -quarter * on.x.after[i];
}

__global__ void right_side_along_y(Problem on, double per_dt) {
  const std::int64_t p = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (p < on.points()) on.value[p] = per_dt * on.u[p] - on.v[p] / 2;
}

std::vector<double> payoffs(const Size& size, const Grid& grid) {
  std::vector<double> all;
  for (const double x : grid.x.at)
    for (std::int64_t o = 0; o < size.strikes; ++o)
      all.insert(all.end(), static_cast<std::size_t>(size.ny), std::max(x - 0.001 * static_cast<double>(o), 0.0));
  return all;
}

// One matrix along y serves every system of a step.
std::vector<double> matrix_along_y(const Grid& grid, double per_dt) {
  constexpr double quarter = volatility::nu * volatility::nu / 4;
  std::vector<double> abc;
  for (const double before : grid.y.before) abc.push_back(-quarter * before);
  for (const double itself : grid.y.itself) abc.push_back(per_dt - quarter * itself);
  for (const double after : grid.y.after) abc.push_back(-quarter * after);
  return abc;
}

std::vector<double> prices_of(const Size& size, double& seconds) {
  const Grid grid(size);
  const std::int64_t points = size.strikes * size.nx * size.ny;
  const Array before_x(grid.x.before), itself_x(grid.x.itself), after_x(grid.x.after);
  const Array before_y(grid.y.before), itself_y(grid.y.itself), after_y(grid.y.after), variance(grid.variance);
  const Array value(payoffs(size, grid)), u(points), v(points), a(points), b(points), c(points);
  const Problem on = {size.strikes,
                      size.nx,
                      size.ny,
                      {before_x.data(), itself_x.data(), after_x.data()},
                      {before_y.data(), itself_y.data(), after_y.data()},
                      variance.data(),
                      value.data(),
                      u.data(),
                      v.data(),
                      a.data(),
                      b.data(),
                      c.data()};
  const std::size_t steps = grid.time.size() - 1;
  std::vector<double> all_matrices;  // along y, of every step: dt differs in the last bit
  for (std::size_t g = 0; g < steps; ++g) {
    const std::vector<double> matrix = matrix_along_y(grid, 1 / (grid.time[g + 1] - grid.time[g]));
    all_matrices.insert(all_matrices.end(), matrix.begin(), matrix.end());
  }
  const Array along_y(all_matrices);

  const papilio::Device device = papilio::Device::cuda();
  const std::int64_t row = size.strikes * size.ny, systems_y = size.nx * size.strikes;
  const auto x_systems = [&](double* data) { return papilio::MatrixView<double>(data, row, size.nx, 1, row, device); };
  const papilio::MatrixView<double> y_systems(value.data(), systems_y, size.ny, size.ny, 1, device);
  const auto blocks = static_cast<unsigned>((points + 255) / 256);
  check(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t g = steps; g-- > 0;) {
    const double per_dt = 1 / (grid.time[g + 1] - grid.time[g]);
    explicit_part<<<blocks, 256>>>(on, std::exp(-volatility::nu * volatility::nu * grid.time[g]), per_dt);
    papilio::solve_tridiagonal<double>(x_systems(on.a), x_systems(on.b), x_systems(on.c), x_systems(on.u),
                                       x_systems(on.u));
    right_side_along_y<<<blocks, 256>>>(on, per_dt);
    const auto shared = [&](std::int64_t diagonal) {
      const std::int64_t first = (static_cast<std::int64_t>(g) * 3 + diagonal) * size.ny;
      return papilio::MatrixView<const double>(along_y.data() + first, systems_y, size.ny, 0, 1, device);
    };
    papilio::solve_tridiagonal<double>(shared(0), shared(1), shared(2), y_systems, y_systems);
  }
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const std::vector<double> all = value.host();
  std::vector<double> prices;
  for (std::int64_t o = 0; o < size.strikes; ++o)
    prices.push_back(all[static_cast<std::size_t>((grid.x.origin * size.strikes + o) * size.ny + grid.y.origin)]);
  return prices;
}

}  // namespace

int main() {
  bool good = true;
  for (const Size& size : volatility::sizes()) {
    double first = 0, seconds = 0;  // the first time, kernels are loaded when they are called
    const std::vector<double> once = prices_of(size, first), prices = prices_of(size, seconds);
    good = volatility::report(size, prices) && once == prices && good;
    std::fprintf(stderr, "%s: %.4f s, %.4f s with the loading of kernels\n", size.name, seconds, first);
  }
  return good ? 0 : 1;
}
