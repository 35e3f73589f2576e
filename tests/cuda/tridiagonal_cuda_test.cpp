// The tridiagonal functions on a CUDA device: the bits of the CPU.

#include <cmath>
#include <cstring>
#include <ios>

#include "cuda/support.h"
#include "papilio/tridiagonal.h"
#include "primitives/tridiagonal/problems.h"

namespace papilio::testing {
namespace {

using execution::check;
using execution::DeviceArray;
using execution::Stream;

enum class Function { solve, draw, walk, draw_walk };

template <class T>
Diagonals<T> problem_of(Function function, const Layout& layout, std::uint32_t seed) {
  if (function == Function::solve) return dominant<T>(layout, seed);
  if (function == Function::draw) return positive_definite<T>(layout, seed);
  return random_walk<T>(layout, seed);
}

// What a call is given, on either side.
template <class T>
struct Arrays {
  MatrixView<const T> a, b, c, d;
  MatrixView<T> x;
};

template <class T>
void call(Function function, const Arrays<T>& on, const GaussianOptions& options) {
  switch (function) {
    case Function::solve:
      return solve_tridiagonal<T>(on.a, on.b, on.c, on.d, on.x, options);
    case Function::draw:
      return draw_gaussian_tridiagonal<T>(on.b, on.c, on.d, on.x, options);
    case Function::walk:
      return solve_random_walk<T>(on.c, on.b, on.d, on.x, options);
    case Function::draw_walk:
      return draw_random_walk<T>(on.c, on.b, on.d, on.x, options);
  }
}

GaussianOptions some_options() {
  GaussianOptions options;
  options.seed = 0x1234'5678'9abc'def0, options.stream = 3, options.first_system_id = (1ull << 33) - 5;
  return options;
}

template <class T>
struct Solved {
  std::vector<T> x;
  std::vector<TridiagonalStatus> status;
};

template <class T>
Solved<T> on_host(Function function, const Diagonals<T>& all, const Layout& out, bool check_too) {
  Solved<T> solved = {std::vector<T>(static_cast<std::size_t>(out.size), T{-7}), {}};
  GaussianOptions options = some_options();
  if (check_too) solved.status.resize(static_cast<std::size_t>(out.systems));
  options.status = solved.status;
  const Layout& in = all.layout;
  call<T>(function,
          {in.view(all.a.data()), in.view(all.b.data()), in.view(all.c.data()), in.view(all.d.data()),
           out.view(solved.x.data())},
          options);
  return solved;
}

template <class T>
Solved<T> on_cuda(Function function, const Diagonals<T>& all, const Layout& out, bool check_too) {
  constexpr auto unwritten = static_cast<TridiagonalStatus>(0xEE);
  DeviceCopy<T> a(all.a), b(all.b), c(all.c), d(all.d);
  DeviceCopy<T> x(std::vector<T>(static_cast<std::size_t>(out.size), T{-7}), 0, T{-9});
  DeviceCopy<TridiagonalStatus> status(
      std::vector<TridiagonalStatus>(check_too ? static_cast<std::size_t>(out.systems) : 0, unwritten), 0, unwritten);
  const Device device = Device::cuda();
  const Layout& in = all.layout;
  const Arrays<T> on = {in.view<const T>(a.data(), device), in.view<const T>(b.data(), device),
                        in.view<const T>(c.data(), device), in.view<const T>(d.data(), device),
                        out.view(x.data(), device)};
  DeviceArray<std::byte> workspace(tridiagonal_workspace_bytes(on.x), "a workspace");
  const Stream stream;
  GaussianOptions options = some_options();
  options.status = status.view();
  options.cuda_stream = stream.get();
  if (workspace.size() > 0) options.workspace = {workspace.data(), workspace.size(), device};
  call<T>(function, on, options);
  stream.wait();
  EXPECT_TRUE(x.gaps_intact()) << "written beside x";
  EXPECT_TRUE(status.gaps_intact()) << "written beside the status";
  return {x.host(), status.host()};
}

// As same_bytes, with numbers in full.
template <class T>
::testing::AssertionResult same_numbers(const std::vector<T>& found, const std::vector<T>& expected) {
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = found.size(); i-- > 0;)
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) != 0) ++wrong, first = i;
  if (wrong == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << wrong << " of " << found.size() << " numbers differ; number " << first
                                       << " is " << std::hexfloat << found[first] << " on the device, expected "
                                       << expected[first] << std::defaultfloat << " (" << found[first] << ")";
}

template <class T>
void expect_same(Function function, const Layout& in, const Layout& out, bool check_too = false) {
  SCOPED_TRACE(::testing::Message() << "function " << static_cast<int>(function) << ", " << in.systems << " x "
                                    << in.rows << ", strides " << in.system_stride << ", " << in.row_stride << " to "
                                    << out.system_stride << ", " << out.row_stride << ", " << sizeof(T) << " bytes");
  const Diagonals<T> all = problem_of<T>(function, in, static_cast<std::uint32_t>(in.rows * 31 + in.systems));
  const Solved<T> expected = on_host(function, all, out, check_too), found = on_cuda(function, all, out, check_too);
  EXPECT_TRUE(same_numbers(found.x, expected.x));
  EXPECT_TRUE(same_bytes(found.status, expected.status, "the status"));
}

template <class T>
void expect_same_layouts(std::int64_t systems, std::int64_t rows, bool check_too) {
  for (const Function function : {Function::solve, Function::draw, Function::walk, Function::draw_walk}) {
    expect_same<T>(function, contiguous(systems, rows), contiguous(systems, rows), check_too);
    expect_same<T>(function, interleaved(systems, rows), interleaved(systems, rows), check_too);
  }
}

// solve_tridiagonal and solve_random_walk on one device, of arrays that are shared in one way after the other; d
// becomes the solution, of all ways together.
template <class T>
std::vector<T> solved_sharing(const T* c, const T* b, std::vector<T> d, const Layout& layout, Device device) {
  const std::int64_t n = layout.rows;
  DeviceCopy<T> copy(device.is_cpu() ? std::vector<T>() : d);
  T* const data = device.is_cpu() ? d.data() : copy.data();
  const MatrixView<T> x = layout.view(data, device);
  const MatrixView<const T> h = layout.view<const T>(data, device), all_c = layout.view<const T>(c, device),
                            all_b = layout.view<const T>(b, device);
  const MatrixView<const T> number(c, layout.systems, n, 0, 0, device), one_c(c, layout.systems, n, 0, 1, device),
      one_b(b, layout.systems, n, 0, 1, device);
  MatrixView<const T> a = all_c;
  a.data -= layout.row_stride;  // entries (s, 0) are not read
  DeviceArray<std::byte> workspace(device.is_cpu() ? 0 : tridiagonal_workspace_bytes(x), "a workspace");
  const Stream stream;
  TridiagonalOptions options;
  options.cuda_stream = stream.get();
  if (workspace.size() > 0) options.workspace = {workspace.data(), workspace.size(), device};
  solve_tridiagonal<T>(number, all_b, number, h, x, options);
  solve_tridiagonal<T>(a, all_b, all_c, h, x, options);
  solve_tridiagonal<T>(a, all_b, number, h, x, options);
  solve_tridiagonal<T>(number, one_b, all_c, h, x, options);
  solve_tridiagonal<T>(one_c, one_b, one_c, h, x, options);
  solve_random_walk<T>(number, all_b, h, x, options);
  solve_random_walk<T>(one_c, one_b, h, x, options);
  stream.wait();
  return device.is_cpu() ? d : copy.host();
}

template <class T>
void expect_same_shared(bool across, std::int64_t systems, std::int64_t rows, std::int64_t begin) {
  SCOPED_TRACE(::testing::Message() << systems << " x " << rows << (across ? " interleaved" : " contiguous")
                                    << ", from " << begin << ", " << sizeof(T) << " bytes");
  Layout layout = across ? interleaved(systems, rows) : contiguous(systems, rows);
  layout.offset = begin + 32, layout.size += layout.offset;  // there is memory where a(s, 0) would be
  std::vector<T> c(static_cast<std::size_t>(layout.size)), b(c), d(c);
  for (std::size_t i = 0; i < c.size(); ++i) {
    c[i] = static_cast<T>(i * 37 % 64 + 1) / 64, b[i] = static_cast<T>(i * 23 % 32 + 70) / 32;
    d[i] = static_cast<T>(i * 41 % 128) / 64 - 1;
  }
  DeviceCopy<T> on_c(c), on_b(b);
  EXPECT_TRUE(same_numbers(solved_sharing(on_c.data(), on_b.data(), d, layout, Device::cuda()),
                           solved_sharing<T>(c.data(), b.data(), d, layout, Device::cpu())));
}

class TridiagonalOnCuda : public CudaTest {};

TEST_F(TridiagonalOnCuda, SmokeGivesTheBitsOfTheCpu) {
  expect_same<float>(Function::solve, contiguous(5, 100), contiguous(5, 100));
  expect_same<double>(Function::draw_walk, interleaved(40, 300), interleaved(40, 300));
}

// Blocks of a cluster that send one another rows.
TEST_F(TridiagonalOnCuda, SmokeSharesLongSystemsAmongBlocks) {
  expect_same<float>(Function::solve, interleaved(24, 1300), interleaved(24, 1300), true);
  expect_same<float>(Function::draw_walk, interleaved(20, 4096), interleaved(20, 4096), true);
  expect_same<double>(Function::draw, contiguous(3, 3000), contiguous(3, 3000), true);
}

TEST_F(TridiagonalOnCuda, GivesTheBitsOfTheCpuForEveryLength) {
  for (const std::int64_t rows :
       {1, 2, 4, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 48, 100, 255, 256, 257, 272, 500, 512, 513, 1000}) {
    for (const std::int64_t systems : {1, 3, 33, 130, 300}) {
      expect_same_layouts<float>(systems, rows, systems == 33);
      expect_same_layouts<double>(systems, rows, systems == 33);
    }
  }
}

TEST_F(TridiagonalOnCuda, GivesTheBitsOfTheCpuForLongSystems) {
  for (const std::int64_t rows : {768, 1023, 1024, 1025, 1536, 2032, 2047, 2048, 2049, 2064, 3000, 4080, 4095, 4096,
                                  4097, 5000, 16'384, 70'000, 1'100'000}) {
    for (const std::int64_t systems : {1, 18, 24}) {
      if (systems * rows > 1'200'000) continue;
      expect_same_layouts<float>(systems, rows, systems == 18);
      expect_same_layouts<double>(systems, rows, systems == 18);
    }
  }
}

TEST_F(TridiagonalOnCuda, TakesAnyStrides) {
  for (const std::int64_t rows : {5, 16, 100, 1030, 4200}) {
    for (const Function function : {Function::solve, Function::draw_walk}) {
      expect_same<float>(function, gappy(21, rows), gappy(21, rows), true);
      expect_same<double>(function, gappy(21, rows), interleaved(21, rows));
      expect_same<float>(function, interleaved(21, rows), contiguous(21, rows));
      expect_same<float>(function, contiguous(21, rows), interleaved(21, rows));
    }
  }
}

// Diagonals that are one number, or one system's for all, or c one earlier; arrays that begin anywhere.
TEST_F(TridiagonalOnCuda, ReadsWhatSystemsShare) {
  for (const std::int64_t rows : {1, 2, 8, 16, 40, 256, 700, 2100, 4200}) {
    for (const bool across : {false, true}) {
      for (const std::int64_t begin : {0, 1}) {
        expect_same_shared<float>(across, 24, rows, begin);
        expect_same_shared<double>(across, 9, rows, begin);
      }
    }
  }
}

// Systems from near the least to near the largest numbers: reciprocals there are not computed as others are.
template <class T>
void expect_same_of_any_size(const Layout& layout, int least, int most) {
  for (const Function function : {Function::solve, Function::draw, Function::walk}) {
    Diagonals<T> all = problem_of<T>(function, layout, 11);
    for (std::int64_t s = 0; s < layout.systems; ++s) {
      const int scale = least + static_cast<int>(s * (most - least) / (layout.systems - 1));
      for (std::vector<T>* const part : {&all.a, &all.b, &all.c, &all.d})
        for (std::int64_t i = 0; i < layout.rows; ++i)
          (*part)[layout.at(s, i)] = std::ldexp((*part)[layout.at(s, i)], scale);
    }
    EXPECT_TRUE(same_numbers(on_cuda(function, all, layout, false).x, on_host(function, all, layout, false).x))
        << layout.rows << " rows, function " << static_cast<int>(function);
  }
}

TEST_F(TridiagonalOnCuda, TakesNumbersOfAnySize) {
  for (const std::int64_t rows : {6, 16, 200, 1000}) {
    expect_same_of_any_size<float>(contiguous(120, rows), -116, 118);
    expect_same_of_any_size<float>(interleaved(120, rows), -116, 118);
    expect_same_of_any_size<double>(contiguous(120, rows), -1000, 1010);
    expect_same_of_any_size<double>(interleaved(120, rows), -1000, 1010);
  }
}

// The reciprocal of a number whose bits are all ones, and of its neighbours, is hard to round.
TEST_F(TridiagonalOnCuda, RoundsReciprocals) {
  const Layout layout = interleaved(4000, 8);
  Diagonals<double> all = dominant<double>(layout, 5);
  for (std::size_t i = 0; i < all.b.size(); ++i) {
    all.a[i] = all.c[i] = 0;
    all.b[i] = std::ldexp(2.0 - static_cast<double>(i % 40) * 0x1p-52, static_cast<int>(i % 801) - 400);
    if (i % 3 == 0) all.b[i] = std::ldexp(1.0 + static_cast<double>(i % 64) * 0x1p-52, static_cast<int>(i % 201) - 100);
  }
  EXPECT_TRUE(
      same_numbers(on_cuda(Function::solve, all, layout, false).x, on_host(Function::solve, all, layout, false).x));
}

TEST_F(TridiagonalOnCuda, TakesManySystems) {
  expect_same<float>(Function::solve, contiguous(100'003, 8), contiguous(100'003, 8), true);
  expect_same<float>(Function::solve, interleaved(100'003, 8), interleaved(100'003, 8), true);
  expect_same<double>(Function::draw, interleaved(20'001, 50), interleaved(20'001, 50));
  expect_same<double>(Function::draw, contiguous(20'001, 50), contiguous(20'001, 50));
}

// Statuses of systems with one fault each, at any place.
TEST_F(TridiagonalOnCuda, FindsTheFaultsThatTheCpuFinds) {
  for (const std::int64_t rows : {3, 16, 40, 300, 1500, 5000}) {
    for (const bool across : {false, true}) {
      const Layout layout = across ? interleaved(40, rows) : contiguous(40, rows);
      Diagonals<double> all = positive_definite<double>(layout, 7);
      for (std::int64_t s = 0; s < 40; ++s) {
        const std::size_t at = layout.at(s, s * (rows - 1) / 39);
        if (s % 4 == 1) all.b[at] = -all.b[at];
        if (s % 4 == 2) all.b[at] = std::nan("");
        if (s % 4 == 3) all.d[at] = 1e300;  // no fault of the matrix
      }
      for (const Function function : {Function::solve, Function::draw, Function::walk}) {
        const Solved<double> expected = on_host(function, all, layout, true),
                             found = on_cuda(function, all, layout, true);
        EXPECT_TRUE(same_bytes(found.status, expected.status, "the status")) << rows << " rows";
        EXPECT_EQ(found.status[2], TridiagonalStatus::singular);
      }
    }
  }
}

// Two calls in a graph, one of which needs a workspace; replays write the same again. x may be d.
TEST_F(TridiagonalOnCuda, GraphsHoldCalls) {
  const Layout small = interleaved(1000, 30), large = contiguous(2, 50'000);
  const Diagonals<float> first = dominant<float>(small, 1), second = dominant<float>(large, 2);
  const std::vector<float> expected_first = on_host(Function::solve, first, small, false).x;
  const std::vector<float> expected_second = on_host(Function::draw_walk, random_walk<float>(large, 3), large, false).x;
  const Diagonals<float> walk = random_walk<float>(large, 3);
  const Device device = Device::cuda();
  DeviceCopy<float> a(first.a), b(first.b), c(first.c), d(first.d), steps(walk.c), weights(walk.b), h(walk.d);
  DeviceCopy<float> x(std::vector<float>(second.d.size(), -7));
  const MatrixView<float> drawn = large.view(x.data(), device);
  DeviceArray<std::byte> workspace(tridiagonal_workspace_bytes(drawn), "a workspace");
  ASSERT_GT(workspace.size(), 0);
  const Stream stream;
  GaussianOptions options = some_options();
  options.cuda_stream = stream.get();
  options.workspace = {workspace.data(), workspace.size(), device};
  const auto queue = [&] {
    solve_tridiagonal<float>(small.view<const float>(a.data(), device), small.view<const float>(b.data(), device),
                             small.view<const float>(c.data(), device), small.view<const float>(d.data(), device),
                             small.view(d.data(), device), options);
    draw_random_walk<float>(large.view<const float>(steps.data(), device),
                            large.view<const float>(weights.data(), device), large.view<const float>(h.data(), device),
                            drawn, options);
  };
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), "beginning a capture");
  queue();
  check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
  EXPECT_TRUE(same_numbers(d.host(), first.d)) << "a capture must not solve";
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph, 0), "instantiating a graph");
  for (int replay = 0; replay < 2; ++replay) {
    check(cudaMemcpy(d.data(), first.d.data(), first.d.size() * sizeof(float), cudaMemcpyHostToDevice), "a test");
    check(cudaMemset(x.data(), 0xEE, second.d.size() * sizeof(float)), "a test");
    check(cudaGraphLaunch(ready, stream.get()), "launching a graph");
    stream.wait();
    EXPECT_TRUE(same_numbers(d.host(), expected_first));
    EXPECT_TRUE(same_numbers(x.host(), expected_second));
  }
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

TEST_F(TridiagonalOnCuda, RefusesWhatItCannotDo) {
  const Layout layout = contiguous(2, 5000);
  const Diagonals<float> all = dominant<float>(layout, 1);
  DeviceCopy<float> a(all.a), x(all.d);
  const Device device = Device::cuda();
  const auto solve = [&](const TridiagonalOptions& options, MatrixView<const float> b) {
    solve_tridiagonal<float>(layout.view<const float>(a.data(), device), b, layout.view<const float>(a.data(), device),
                             layout.view<const float>(a.data(), device), layout.view(x.data(), device), options);
  };
  const auto here = layout.view<const float>(a.data(), device);
  EXPECT_GT(tridiagonal_workspace_bytes(layout.view(x.data(), device)), 0);
  EXPECT_THROW(solve({}, here), InvalidArgument) << "no workspace";
  EXPECT_THROW(solve({.check = true}, here), InvalidArgument) << "a check that would have to wait";
  EXPECT_THROW(solve({}, layout.view(all.b.data())), InvalidArgument) << "b on the CPU";
}

}  // namespace
}  // namespace papilio::testing
