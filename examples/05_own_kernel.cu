// A CUDA kernel of your own that draws from weights it computes: points are assigned
// to the components of a Gaussian mixture, the step of a Gibbs sampler in which
// component k has the weight pi_k * N(x; mu_k, sigma_k). No weight is ever stored.
// Then the host stores all weights and draws from them: the same assignments.
//
// Uses the kernel headers, which are unstable before 1.0. Compile such code with
// --fmad=false; otherwise weights are rounded differently than on the host.

#include <papilio/random/elementary.h>
#include <papilio/random/philox.h>
#include <papilio/random/uniform.h>
#include <papilio/sampling.h>
#include <papilio/collective/computed_rows.cuh>
#include <papilio/collective/draw_slots.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

constexpr std::uint64_t seed = 5;
constexpr std::int64_t component_count = 24, point_count = 100'000;

struct Component {
  double share;  // pi_k
  double mean;   // mu_k
  double width;  // sigma_k
};

// The weight of component k for point i, up to a factor that all components share. One function serves both machines:
// it must give the same bits whenever it is called.
struct MixtureWeight {
  const Component* components;
  const double* points;

  __host__ __device__ float operator()(std::int64_t i, std::int64_t k) const {
    const Component& c = components[k];
    const double z = (points[i] - c.mean) / c.width;
    return static_cast<float>(c.share / c.width * papilio::random::exponential(-0.5 * z * z));
  }
};

__host__ __device__ double uniform(std::uint64_t stream, std::int64_t i) {
  const auto block = papilio::random::draw_block(seed, stream, static_cast<std::uint64_t>(i));
  return papilio::random::uniform53(block.word[0], block.word[1]);
}

// `threads` threads work on `rows` points together: a batch of rows of up to 32 components.
using Shape = papilio::collective::BatchShape<32>;
constexpr int block_threads = 128;

__global__ void assign(MixtureWeight weight, std::int32_t* assigned) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const papilio::collective::ComputedRows<Shape::threads, Shape::rows, MixtureWeight> rows(
      weight, thread / Shape::threads * Shape::rows, point_count, component_count);

  // Every thread of the warp draws; of those that share a point, one writes.
  const std::int64_t point = rows.number();
  const auto drawn = papilio::collective::draw_batch<32>(rows, uniform(1, point));
  if (drawn.owner && rows.exists())  // a total of 0: the point is too far from everything
    assigned[point] = drawn.total > 0 ? static_cast<std::int32_t>(drawn.category) : -1;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Memory that the host and the device share.
struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
std::unique_ptr<T[], Free> shared_array(std::int64_t size) {
  void* memory = nullptr;
  check(cudaMallocManaged(&memory, static_cast<std::size_t>(size) * sizeof(T)));
  return std::unique_ptr<T[], Free>(static_cast<T*>(memory));
}

// Stores all weights, and lets the library draw from them on the CPU.
std::vector<std::int32_t> assign_on_host(MixtureWeight weight) {
  std::vector<float> weights;
  for (std::int64_t i = 0; i < point_count; ++i)
    for (std::int64_t k = 0; k < component_count; ++k) weights.push_back(weight(i, k));
  std::vector<std::int32_t> assigned(point_count);
  std::vector<papilio::DrawStatus> status(point_count);
  papilio::sample_categorical(papilio::MatrixWeights<float>{{weights.data(), point_count, component_count}}, assigned,
                              {.seed = seed, .stream = 1, .status = status});
  return assigned;
}

}  // namespace

int main() {
  const auto components = shared_array<Component>(component_count);
  for (std::int64_t k = 0; k < component_count; ++k)
    components[k] = {static_cast<double>(1 + k % 4), static_cast<double>(k), 0.5 + 0.125 * static_cast<double>(k % 3)};
  const auto points = shared_array<double>(point_count);
  for (std::int64_t i = 0; i < point_count; ++i) points[i] = 24 * uniform(0, i) - 0.5;
  const auto assigned = shared_array<std::int32_t>(point_count);

  const MixtureWeight weight = {components.get(), points.get()};
  const std::int64_t threads = (point_count + Shape::rows - 1) / Shape::rows * Shape::threads;
  assign<<<static_cast<unsigned>((threads + block_threads - 1) / block_threads), block_threads>>>(weight,
                                                                                                  assigned.get());
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());

  for (std::int32_t k = 0; k < component_count; ++k)
    std::printf("component %2d: %5td points\n", k, std::count(&assigned[0], &assigned[0] + point_count, k));
  const auto expected = assign_on_host(weight);
  std::printf("on the host: %s\n",
              std::equal(expected.begin(), expected.end(), &assigned[0]) ? "the same draws" : "other draws");
}
