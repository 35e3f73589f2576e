#include "gamma.h"

#include "check.cuh"
#include "device.h"

namespace {

// 32 bits at a time from a state that `mix` has made.
struct Generator {
  unsigned int state;
  __device__ float uniform() {  // in (0, 1)
    state = state * 747796405u + 2891336453u;
    return (static_cast<float>(mix(state) >> 9) + 0.5f) * 0x1p-23f;
  }
  __device__ float normal() {
    const float radius = sqrtf(-2 * logf(uniform()));
    return radius * cosf(6.2831853f * uniform());
  }
};

__device__ float plain_gamma(float shape, Generator& random) {
  const float power = shape < 1 ? powf(random.uniform(), 1 / shape) : 1;
  const float d = (shape < 1 ? shape + 1 : shape) - 1 / 3.0f, c = 1 / sqrtf(9 * d);
  for (;;) {
    const float x = random.normal();
    const float root = 1 + c * x;
    if (root <= 0) continue;
    const float v = root * root * root, u = random.uniform();
    if (u < 1 - 0.0331f * (x * x) * (x * x)) return d * v * power;
    if (logf(u) < 0.5f * x * x + d * (1 - v + logf(v))) return d * v * power;
  }
}

__global__ void plain_kernel(const std::int32_t* counts, float prior, std::int64_t entries, std::uint32_t seed,
                             float* drawn) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < entries; i += stride) {
    Generator random = {mix(static_cast<unsigned int>(i) ^ mix(seed))};
    drawn[i] = plain_gamma(static_cast<float>(counts[i]) + prior, random);
  }
}

__global__ void fill_kernel(float4* to, std::int64_t quads) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < quads; i += stride)
    to[i] = make_float4(0, 0, 0, 0);
}

}  // namespace

void queue_plain_gammas(const std::int32_t* counts, float prior, std::int64_t entries, std::uint32_t seed,
                        float* drawn) {
  plain_kernel<<<4096, 256, 0, cuda_stream()>>>(counts, prior, entries, seed, drawn);
  check(cudaGetLastError());
}

void queue_fill(float* to, std::int64_t entries) {
  fill_kernel<<<2048, 256, 0, cuda_stream()>>>(reinterpret_cast<float4*>(to), entries / 4);
  check(cudaGetLastError());
}
