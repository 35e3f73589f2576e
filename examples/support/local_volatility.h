#pragma once

// Calibration of a local volatility model: the grids and coefficients that the CPU and the GPU share, and the published
// prices.
//
// Source: the benchmark LocVolCalib of FinPar (Andreetta et al., "FinPar: a parallel financial benchmark", ACM
// Transactions on Architecture and Code Optimization 13(2), 2016) and of Futhark; their prices are in single precision.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace volatility {

constexpr double s0 = 0.03, t = 5, alpha = 0.2, nu = 0.6, beta = 0.5;

// One price for each of the strikes 0, 0.001, 0.002, ...
struct Size {
  const char* name;
  std::int64_t strikes, nx, ny, times;
  std::vector<double> published;
};

// An axis of the grid, and the weights of a second difference: of the point before, itself and the point after.
struct Axis {
  std::vector<double> at, before, itself, after;
  std::int64_t origin;  // the point whose value is wanted
};

inline Axis axis_of(std::int64_t points, double step, double centre, std::int64_t origin) {
  Axis axis = {{}, {}, {}, {}, origin};
  for (std::int64_t i = 0; i < points; ++i) axis.at.push_back(static_cast<double>(i - origin) * step + centre);
  for (std::int64_t i = 0; i < points; ++i) {
    const bool inner = i > 0 && i + 1 < points;
    const auto p = static_cast<std::size_t>(i);
    const double lower = inner ? axis.at[p] - axis.at[p - 1] : 1, upper = inner ? axis.at[p + 1] - axis.at[p] : 1;
    axis.before.push_back(inner ? 2 / lower / (lower + upper) : 0);
    axis.itself.push_back(inner ? -2 * (1 / lower + 1 / upper) / (lower + upper) : 0);
    axis.after.push_back(inner ? 2 / upper / (lower + upper) : 0);
  }
  return axis;
}

// Everything that does not depend on the strike.
struct Grid {
  Axis x, y;
  std::vector<double> time;
  std::vector<double> variance;  // of x, nx x ny, at time 0; it falls by exp(-nu^2 time)

  explicit Grid(const Size& size) {
    const double dx = 20 * alpha * s0 * std::sqrt(t) / static_cast<double>(size.nx);
    const double dy = 10 * nu * std::sqrt(t) / static_cast<double>(size.ny);
    x = axis_of(size.nx, dx, s0, static_cast<std::int64_t>(s0 / dx));
    y = axis_of(size.ny, dy, std::log(alpha), size.ny / 2);
    for (std::int64_t g = 0; g < size.times; ++g)
      time.push_back(t * static_cast<double>(g) / static_cast<double>(size.times - 1));
    for (const double at_x : x.at)
      for (const double at_y : y.at) variance.push_back(std::exp(2 * (beta * std::log(at_x) + at_y)));
  }
};

// Whether the published prices are met. They are in single precision, with errors of a few 1e-6: for strike 0 the price
// is s0 = 0.03, and that of `large` is 0.029998.
inline bool report(const Size& size, const std::vector<double>& prices) {
  constexpr double most = 4e-6;
  double worst = 0;
  for (std::size_t i = 0; i < prices.size(); ++i) worst = std::fmax(worst, std::fabs(prices[i] - size.published[i]));
  std::printf("%s: %lld strikes on %lld x %lld points, %lld times\n ", size.name, static_cast<long long>(size.strikes),
              static_cast<long long>(size.nx), static_cast<long long>(size.ny), static_cast<long long>(size.times));
  for (std::size_t i = 0; i < prices.size(); i += prices.size() / 8) std::printf(" %.6f", prices[i]);
  std::printf("\n  the published prices differ by at most %.1e: %s\n", worst, worst < most ? "good" : "TOO MUCH");
  return worst < most;
}

inline std::vector<Size> sizes() {
  std::vector<Size> all = {
      {"small", 16, 32, 256, 256, {}}, {"medium", 128, 256, 32, 64, {}}, {"large", 256, 256, 256, 64, {}}};
  all[0].published = {
      0.0300001, 0.0290001, 0.0280001, 0.0270001, 0.026,     0.0251064, 0.0247889, 0.0244714,
      0.0241539, 0.0238364, 0.0235189, 0.0232014, 0.0228839, 0.0225664, 0.0222744, 0.02199,
  };
  all[1].published = {
      0.03,       0.0292079,  0.0288058,  0.028408,   0.0280152,  0.0276279,  0.0272462,  0.0268701,  0.0264998,
      0.0261355,  0.025777,   0.0254243,  0.0250773,  0.024736,   0.0244004,  0.0240704,  0.0237459,  0.0234269,
      0.0231134,  0.0228053,  0.0225025,  0.022205,   0.0219126,  0.0216253,  0.0213431,  0.0210657,  0.0207928,
      0.0205238,  0.0202581,  0.0199978,  0.0197739,  0.0194946,  0.0192514,  0.0190136,  0.0187787,  0.018547,
      0.0183189,  0.0180947,  0.0178743,  0.0176577,  0.0174448,  0.0172356,  0.0170299,  0.0168278,  0.016629,
      0.0164336,  0.0162415,  0.0160526,  0.0158668,  0.0156841,  0.0155044,  0.0153276,  0.0151536,  0.0149826,
      0.0148144,  0.0146488,  0.0144858,  0.0143253,  0.0141674,  0.0140119,  0.0138588,  0.013708,   0.0135595,
      0.0134132,  0.0132691,  0.0131271,  0.0129872,  0.0128494,  0.0127136,  0.0125796,  0.0124477,  0.0123175,
      0.0121892,  0.0120627,  0.0119379,  0.0118149,  0.0116936,  0.0115739,  0.0114558,  0.0113392,  0.0112242,
      0.0111107,  0.0109986,  0.0108879,  0.0107787,  0.0106708,  0.0105642,  0.010459,   0.010355,   0.0102523,
      0.0101509,  0.0100506,  0.00995151, 0.00985357, 0.00975677, 0.00966107, 0.00956649, 0.00947299, 0.00938053,
      0.00928908, 0.00919862, 0.00910914, 0.00902062, 0.00893303, 0.00884636, 0.00876059, 0.00867569, 0.00859167,
      0.00850848, 0.00842613, 0.00834459, 0.00826384, 0.00818388, 0.00810468, 0.00802623, 0.00794852, 0.00787153,
      0.00779524, 0.00771969, 0.00764481, 0.0075706,  0.00749704, 0.00742412, 0.00735183, 0.00728016, 0.00720909,
      0.00713861, 0.00706872,
  };
  all[2].published = {
      0.029998, 0.029206, 0.028804, 0.028407, 0.028014, 0.027628, 0.027246, 0.026871, 0.026501, 0.026137, 0.025780,
      0.025427, 0.025081, 0.024741, 0.024406, 0.024076, 0.023753, 0.023434, 0.023122, 0.022814, 0.022512, 0.022215,
      0.021924, 0.021637, 0.021356, 0.021079, 0.020807, 0.020539, 0.020274, 0.020015, 0.019792, 0.019513, 0.019271,
      0.019034, 0.018800, 0.018569, 0.018342, 0.018118, 0.017899, 0.017683, 0.017471, 0.017262, 0.017057, 0.016856,
      0.016658, 0.016463, 0.016272, 0.016084, 0.015899, 0.015717, 0.015538, 0.015362, 0.015189, 0.015019, 0.014851,
      0.014686, 0.014524, 0.014364, 0.014207, 0.014052, 0.013900, 0.013750, 0.013602, 0.013457, 0.013313, 0.013172,
      0.013033, 0.012895, 0.012760, 0.012627, 0.012496, 0.012366, 0.012238, 0.012112, 0.011988, 0.011866, 0.011745,
      0.011626, 0.011508, 0.011392, 0.011278, 0.011165, 0.011053, 0.010943, 0.010834, 0.010727, 0.010621, 0.010516,
      0.010412, 0.010310, 0.010209, 0.010109, 0.010010, 0.009913, 0.009816, 0.009721, 0.009626, 0.009533, 0.009441,
      0.009350, 0.009260, 0.009170, 0.009082, 0.008995, 0.008908, 0.008822, 0.008738, 0.008654, 0.008571, 0.008489,
      0.008407, 0.008326, 0.008247, 0.008167, 0.008089, 0.008011, 0.007934, 0.007858, 0.007783, 0.007708, 0.007634,
      0.007560, 0.007487, 0.007415, 0.007343, 0.007272, 0.007201, 0.007131, 0.007062, 0.006993, 0.006925, 0.006857,
      0.006790, 0.006723, 0.006656, 0.006591, 0.006525, 0.006461, 0.006396, 0.006332, 0.006269, 0.006206, 0.006143,
      0.006081, 0.006019, 0.005958, 0.005897, 0.005837, 0.005776, 0.005717, 0.005657, 0.005598, 0.005539, 0.005481,
      0.005423, 0.005365, 0.005308, 0.005251, 0.005194, 0.005138, 0.005082, 0.005026, 0.004971, 0.004915, 0.004860,
      0.004806, 0.004752, 0.004697, 0.004644, 0.004590, 0.004537, 0.004484, 0.004431, 0.004378, 0.004326, 0.004274,
      0.004222, 0.004170, 0.004119, 0.004068, 0.004017, 0.003966, 0.003915, 0.003865, 0.003815, 0.003765, 0.003715,
      0.003665, 0.003616, 0.003567, 0.003518, 0.003469, 0.003420, 0.003371, 0.003323, 0.003274, 0.003226, 0.003178,
      0.003130, 0.003083, 0.003035, 0.002988, 0.002940, 0.002893, 0.002846, 0.002799, 0.002753, 0.002706, 0.002659,
      0.002613, 0.002567, 0.002520, 0.002474, 0.002428, 0.002382, 0.002337, 0.002291, 0.002245, 0.002200, 0.002154,
      0.002109, 0.002064, 0.002019, 0.001974, 0.001929, 0.001884, 0.001839, 0.001794, 0.001749, 0.001705, 0.001660,
      0.001616, 0.001571, 0.001527, 0.001482, 0.001438, 0.001394, 0.001350, 0.001306, 0.001262, 0.001218, 0.001174,
      0.001130, 0.001086, 0.001042, 0.000998, 0.000954, 0.000911, 0.000867, 0.000823, 0.000780, 0.000736, 0.000692,
      0.000649, 0.000605, 0.000562,
  };
  return all;
}

}  // namespace volatility
