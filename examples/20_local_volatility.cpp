// Calibration of a local volatility model: prices of options for many strikes by alternating directions (Crank and
// Nicolson). Every time step solves a tridiagonal system along x for each y, and one along y for each x. Prices must be
// the published ones. Arguments: the sizes to run: small, medium, large.

#include <papilio/device.h>
#include <papilio/tridiagonal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "support/local_volatility.h"

namespace {

using volatility::Grid;
using volatility::Size;
using Numbers = std::vector<double>;

// The price for one strike. Arrays are nx x ny, point (i, j) at i * ny + j: the systems along x are interleaved, those
// along y contiguous, and nothing is ever transposed.
class Pricer {
 public:
  explicit Pricer(const Size& size, const Grid& grid)
      : nx_(size.nx),
        ny_(size.ny),
        grid_(grid),
        value_(points()),
        u_(points()),
        v_(points()),
        a_(points()),
        b_(points()),
        c_(points()) {}

  double price(double strike) {
    for (std::size_t p = 0; p < points(); ++p) value_[p] = std::max(grid_.x.at[p / ny()] - strike, 0.0);
    for (std::size_t g = grid_.time.size() - 1; g-- > 0;) step(grid_.time[g], 1 / (grid_.time[g + 1] - grid_.time[g]));
    return value_[static_cast<std::size_t>(grid_.x.origin * ny_ + grid_.y.origin)];
  }

 private:
  std::size_t nx() const { return static_cast<std::size_t>(nx_); }
  std::size_t ny() const { return static_cast<std::size_t>(ny_); }
  std::size_t points() const { return nx() * ny(); }

  void step(double time, double per_dt) {
    const double fall = std::exp(-volatility::nu * volatility::nu * time);
    explicit_part(fall, per_dt);
    solve_along_x(fall, per_dt);
    solve_along_y(per_dt);
  }

  // u = value / dt + L_x value / 2 + L_y value, v = L_y value.
  void explicit_part(double fall, double per_dt) {
    const auto& x = grid_.x;
    const auto& y = grid_.y;
    constexpr double variance_y = volatility::nu * volatility::nu;
    for (std::size_t i = 0, p = 0; i < nx(); ++i) {
      for (std::size_t j = 0; j < ny(); ++j, ++p) {
        const double before_x = i > 0 ? value_[p - ny()] : 0, after_x = i + 1 < nx() ? value_[p + ny()] : 0;
        const double before_y = j > 0 ? value_[p - 1] : 0, after_y = j + 1 < ny() ? value_[p + 1] : 0;
        const double along_x = x.before[i] * before_x + x.itself[i] * value_[p] + x.after[i] * after_x;
        const double along_y = y.before[j] * before_y + y.itself[j] * value_[p] + y.after[j] * after_y;
        v_[p] = variance_y / 2 * along_y;
        u_[p] = per_dt * value_[p] + grid_.variance[p] * fall / 4 * along_x + v_[p];
      }
    }
  }

  // (1 / dt - L_x / 2) u' = u, a system for each y.
  void solve_along_x(double fall, double per_dt) {
    const auto& x = grid_.x;
    for (std::size_t i = 0, p = 0; i < nx(); ++i) {
      for (std::size_t j = 0; j < ny(); ++j, ++p) {
        const double quarter = grid_.variance[p] * fall / 4;
        a_[p] = -quarter * x.before[i], b_[p] = per_dt - quarter * x.itself[i], c_[p] = -quarter * x.after[i];
      }
    }
    const auto systems = [&](auto& v) { return papilio::MatrixView(v.data(), ny_, nx_, 1, ny_); };
    const auto read = [&](const Numbers& v) { return systems(v); };
    papilio::solve_tridiagonal<double>(read(a_), read(b_), read(c_), read(u_), systems(u_), {.threads = 1});
  }

  // (1 / dt - L_y / 2) value = u' / dt - v / 2, a system for each x; the matrix is the same for all.
  void solve_along_y(double per_dt) {
    const auto& y = grid_.y;
    constexpr double quarter = volatility::nu * volatility::nu / 4;
    for (std::size_t j = 0; j < ny(); ++j)
      a_[j] = -quarter * y.before[j], b_[j] = per_dt - quarter * y.itself[j], c_[j] = -quarter * y.after[j];
    for (std::size_t p = 0; p < points(); ++p) value_[p] = per_dt * u_[p] - v_[p] / 2;
    const auto shared = [&](const Numbers& v) { return papilio::MatrixView<const double>(v.data(), nx_, ny_, 0); };
    papilio::solve_tridiagonal<double>(shared(a_), shared(b_), shared(c_), {value_.data(), nx_, ny_},
                                       {value_.data(), nx_, ny_}, {.threads = 1});
  }

  std::int64_t nx_, ny_;
  const Grid& grid_;
  Numbers value_, u_, v_, a_, b_, c_;
};

// Threads share the strikes.
Numbers prices_of(const Size& size) {
  const Grid grid(size);
  Numbers prices(static_cast<std::size_t>(size.strikes));
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < papilio::default_threads(); ++thread)
    threads.emplace_back([&] {
      Pricer pricer(size, grid);
      for (std::size_t i; (i = next++) < prices.size();) prices[i] = pricer.price(0.001 * static_cast<double>(i));
    });
  threads.clear();
  return prices;
}

}  // namespace

int main(int argc, char** argv) {
  bool good = true;
  for (const Size& size : volatility::sizes()) {
    if (std::none_of(argv + 1, argv + argc, [&](const char* name) { return std::strcmp(name, size.name) == 0; }) &&
        (argc > 1 || std::strcmp(size.name, "large") == 0))
      continue;
    const auto start = std::chrono::steady_clock::now();
    good = volatility::report(size, prices_of(size)) && good;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "%s: %.2f s\n", size.name, spent.count());
  }
  return good ? 0 : 1;
}
