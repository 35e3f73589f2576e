// Tridiagonal systems on a CUDA device, beside cuSPARSE and a copy: prints tables in Markdown.
//
//   papilio_tridiagonal_cuda_bench [--json FILE] [--limit SECONDS] [--quick]
//
// cuSPARSE is loaded when the program runs (LD_LIBRARY_PATH); where it is not there, its columns are empty. Every
// solution is checked by its residual before it is timed. Times are medians on the device; restoring what a solver
// destroys is not counted. "of copy" is the bandwidth of what must be read and written, four numbers and one per
// unknown, over that of a copy of 1 GiB in the same run.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

#include "ceilings.h"
#include "device.h"
#include "papilio/tridiagonal.h"
#include "papilio/version.h"
#include "report.h"
#include "tridiagonal.h"

namespace {

constexpr Effort effort = {.seconds = 0.02, .at_least = 5, .at_most = 20};

// The tables of benchmarks/results/tridiagonal-gpu.md, printed at the end.
std::string solves, walks;

template <class... Args>
void add_to(std::string& table, const char* format, Args... args) {
  char line[256];
  std::snprintf(line, sizeof line, format, args...);
  table += line;
}

// How many solves there are, and reach the goals.
struct Goals {
  static constexpr double of_copy = 0.85, times_cusparse = 2;
  int cases = 0, enough_of_copy = 0, compared = 0, fast_enough = 0;
} goals;

// 1,048,576
std::string with_commas(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

struct Case {
  std::int64_t unknowns, rows;
  bool interleaved;

  std::int64_t systems() const { return unknowns / rows; }
};

// Five arrays on the device and copies of what a solver may destroy.
template <class T>
class Arrays {
 public:
  explicit Arrays(std::int64_t most)
      : a_(most),
        b_(most),
        c_(most),
        d_(most),
        x_(most),
        spoilt_{DeviceVector<T>(most), DeviceVector<T>(most), DeviceVector<T>(most), DeviceVector<T>(most)} {
    fill_systems(a_.data(), b_.data(), c_.data(), d_.data(), most);
  }

  papilio::MatrixView<const T> view(const DeviceVector<T>& array, const Case& which) const {
    return {array.data(),
            which.systems(),
            which.rows,
            which.interleaved ? 1 : which.rows,
            which.interleaved ? which.systems() : 1,
            device()};
  }
  papilio::MatrixView<T> x(const Case& which) {
    return {x_.data(),
            which.systems(),
            which.rows,
            which.interleaved ? 1 : which.rows,
            which.interleaved ? which.systems() : 1,
            device()};
  }
  void restore(const Case& which) {
    const std::int64_t bytes = which.unknowns * static_cast<std::int64_t>(sizeof(T));
    copy_on_device(spoilt_[0].data(), a_.data(), bytes);
    copy_on_device(spoilt_[1].data(), b_.data(), bytes);
    copy_on_device(spoilt_[2].data(), c_.data(), bytes);
    copy_on_device(spoilt_[3].data(), d_.data(), bytes);
    clear_ends(spoilt_[0].data(), spoilt_[2].data(), which.systems(), which.rows,
               which.interleaved);  // as cuSPARSE asks
  }
  void verify(const T* solution, const Case& which) const {
    const double residual = largest_residual(a_.data(), b_.data(), c_.data(), d_.data(), solution, which.systems(),
                                             which.rows, which.interleaved);
    if (!(residual < (sizeof(T) == 4 ? 1e-5 : 1e-13)))
      throw std::runtime_error("the residual is " + std::to_string(residual));
  }

  DeviceVector<T> a_, b_, c_, d_, x_, spoilt_[4];
};

template <class T>
class Workspace {
 public:
  papilio::TridiagonalOptions options(const papilio::MatrixView<T>& x) {
    const std::int64_t bytes = papilio::tridiagonal_workspace_bytes(x);
    if (bytes > memory_.size()) memory_ = DeviceVector<std::byte>(bytes);
    papilio::TridiagonalOptions options;
    options.cuda_stream = stream();
    if (bytes > 0) options.workspace = memory_.view();
    return options;
  }

 private:
  DeviceVector<std::byte> memory_;
};

double copy_gigabytes_per_second() {
  constexpr std::int64_t bytes = std::int64_t{1} << 30;
  const DeviceVector<std::byte> from(bytes);
  DeviceVector<std::byte> to(bytes);
  const Timing timing = time_launches([&](int) { queue_copy(to.data(), from.data(), bytes); });
  return 2 * static_cast<double>(bytes) / timing.median_ms * 1e-6;
}

template <class T>
double time_ours(Arrays<T>& arrays, const Case& which, Workspace<T>& workspace) {
  const auto x = arrays.x(which);
  const auto options = workspace.options(x);
  const auto launch = [&] {
    papilio::solve_tridiagonal<T>(arrays.view(arrays.a_, which), arrays.view(arrays.b_, which),
                                  arrays.view(arrays.c_, which), arrays.view(arrays.d_, which), x, options);
  };
  launch();
  arrays.verify(arrays.x_.data(), which);
  return time_prepared([&] { arrays.restore(which); }, launch, effort).median_ms;
}

template <class T>
double time_theirs(Cusparse& cusparse, Arrays<T>& arrays, const Case& which) {
  DeviceVector<std::byte> memory(which.interleaved ? cusparse.interleaved_bytes<T>(which.systems(), which.rows)
                                                   : cusparse.strided_bytes<T>(which.systems(), which.rows));
  T *a = arrays.spoilt_[0].data(), *b = arrays.spoilt_[1].data(), *c = arrays.spoilt_[2].data();
  T* d = arrays.spoilt_[3].data();
  const auto launch = [&] {
    if (which.interleaved)
      cusparse.solve_interleaved(which.systems(), which.rows, a, b, c, d, memory.data());
    else
      cusparse.solve_strided(which.systems(), which.rows, a, b, c, d, memory.data());
  };
  arrays.restore(which);
  launch();
  arrays.verify(d, which);
  return time_prepared([&] { arrays.restore(which); }, launch, effort).median_ms;
}

template <class T>
void measure(Report& report, Cusparse& cusparse, Arrays<T>& arrays, Workspace<T>& workspace, const Case& which,
             double copy) {
  const char* type = sizeof(T) == 4 ? "float" : "double";
  const char* layout = which.interleaved ? "interleaved" : "contiguous";
  Record record("solve");
  record.set("type", type).set("layout", layout).set("n", which.rows).set("systems", which.systems());
  const double ours = time_ours(arrays, which, workspace);
  const double bandwidth = 5.0 * static_cast<double>(which.unknowns) * sizeof(T) / ours * 1e-6;
  record.set("ms", ours).set("GB_per_s", bandwidth).set("of_copy", bandwidth / copy);
  std::string peer = "";
  ++goals.cases, goals.enough_of_copy += bandwidth / copy >= Goals::of_copy;
  if (cusparse.absence().empty()) {
    try {
      const double ratio = time_theirs(cusparse, arrays, which) / ours;
      record.set("cusparse_ms", ratio * ours).set("ratio", ratio);
      char text[64];
      std::snprintf(text, sizeof text, "%.2f", ratio);
      peer = text;
      ++goals.compared, goals.fast_enough += ratio >= Goals::times_cusparse;
    } catch (const std::exception& error) {
      record.set("cusparse", error.what());
      peer = error.what();
    }
  }
  add_to(solves, "| %s | %s | %s | %s | %.4g | %.3f | %s |\n", layout, type, with_commas(which.rows).c_str(),
         with_commas(which.systems()).c_str(), ours, bandwidth / copy, peer.c_str());
  report.add(record);
}

// What is drawn and walks: three numbers and one per unknown, and two and one where all steps are alike.
void measure_walks(Report& report, Arrays<float>& arrays, Workspace<float>& workspace, const Case& which, double copy) {
  static const DeviceVector<float> step(std::vector<float>{100.0f});
  const papilio::MatrixView<const float> steps(step.data(), which.systems(), which.rows, 0, 0, device());
  const auto x = arrays.x(which);
  papilio::GaussianOptions options;
  static_cast<papilio::TridiagonalOptions&>(options) = workspace.options(x);
  const auto weights = arrays.view(arrays.b_, which), h = arrays.view(arrays.d_, which);
  const auto time = [&](const char* name, int numbers, const auto& launch) {
    const double ms = time_prepared([] {}, launch, effort).median_ms;
    const double bandwidth = numbers * 4.0 * static_cast<double>(which.unknowns) / ms * 1e-6;
    add_to(walks, "| %s | %s | %s | %s | %.4g | %.3f |\n", name, which.interleaved ? "interleaved" : "contiguous",
           with_commas(which.rows).c_str(), with_commas(which.systems()).c_str(), ms, bandwidth / copy);
    report.add(Record(name)
                   .set("layout", which.interleaved ? "interleaved" : "contiguous")
                   .set("n", which.rows)
                   .set("systems", which.systems())
                   .set("ms", ms)
                   .set("GB_per_s", bandwidth)
                   .set("of_copy", bandwidth / copy));
  };
  time("float solve_random_walk", 3, [&] { papilio::solve_random_walk<float>(steps, weights, h, x, options); });
  time("float draw_random_walk", 3, [&] { papilio::draw_random_walk<float>(steps, weights, h, x, options); });
  time("float draw_gaussian_tridiagonal", 4,
       [&] { papilio::draw_gaussian_tridiagonal<float>(weights, arrays.view(arrays.c_, which), h, x, options); });
}

template <class T>
void measure_all(Report& report, Cusparse& cusparse, double copy, bool quick) {
  constexpr std::int64_t large = std::int64_t{1} << 26, medium = std::int64_t{1} << 24, small = std::int64_t{1} << 20;
  Arrays<T> arrays(quick ? medium : large);
  Workspace<T> workspace;
  for (const bool interleaved : {false, true}) {
    for (const std::int64_t rows : {8, 32, 128, 256, 512, 1024, 2048, 4096}) {
      for (const std::int64_t unknowns : {small, medium, large}) {
        if (quick && (unknowns != medium || rows % 32 != 0)) continue;
        if (report.stop("a case of n = " + std::to_string(rows))) return;
        measure(report, cusparse, arrays, workspace, {unknowns, rows, interleaved}, copy);
      }
    }
    if constexpr (sizeof(T) == 4)
      for (const std::int64_t rows : {16, 128, 512})
        measure_walks(report, arrays, workspace, {medium, rows, interleaved}, copy);
    report.save();
  }
  if (!quick) measure(report, cusparse, arrays, workspace, {large, large, false}, copy);
}

}  // namespace

int main(int argc, char** argv) {
  std::string json;
  double limit = 1e9;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--quick") {
      quick = true;
    } else if (name == "--json" && i + 1 < argc) {
      json = argv[++i];
    } else if (name == "--limit" && i + 1 < argc) {
      limit = std::atof(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: %s [--json FILE] [--limit SECONDS] [--quick]\n", argv[0]);
      return 64;
    }
  }
  try {
    Cusparse cusparse;
    const double copy = copy_gigabytes_per_second();
    Report report(json, describe_device() + ", \"papilio\": \"" + papilio::version() + "\"", limit);
    report.add(Record("copy")
                   .set("GB_per_s", copy)
                   .set("cusparse", cusparse.absence().empty() ? "loaded" : cusparse.absence()));
    solves = "| layout | type | n | systems | ms | of copy | times cuSPARSE |\n";
    solves += "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n";
    walks = "| call | layout | n | systems | ms | of copy |\n| --- | --- | ---: | ---: | ---: | ---: |\n";
    measure_all<float>(report, cusparse, copy, quick);
    measure_all<double>(report, cusparse, copy, quick);
    report.save();
    std::printf(
        "\nA copy moves %.2f TB/s. %d of %d solves reach %.2f of it, and %d of %d are at least %.0f times as fast as "
        "cuSPARSE.\n\n%s\n%s",
        copy * 1e-3, goals.enough_of_copy, goals.cases, Goals::of_copy, goals.fast_enough, goals.compared,
        Goals::times_cusparse, solves.c_str(), walks.c_str());
    return report.failures() == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
