#include "lda/training/memory/seeds_on_device_cuda.h"

#include <vector>

#include "execution/cuda/check.h"

namespace papilio::lda {

using execution::check;

SeedsOnDevice::SeedsOnDevice(const Seeds& seeds, cudaStream_t stream) {
  if (seeds.empty()) return;
  s_k_ =
      execution::DeviceArray<std::int64_t>(static_cast<std::int64_t>(seeds.s_k().size()), "the weights of seed words");
  s_k_.upload(seeds.s_k().data(), s_k_.size(), stream);
  check(cudaStreamSynchronize(stream), "a copy to the device");
}

void SeedsOnDevice::start_topics(execution::DeviceArray<std::int64_t>& n_k, cudaStream_t stream) const {
  if (s_k_.size() == 0) return n_k.clear(stream);
  check(cudaMemcpyAsync(n_k.data(), s_k_.data(), static_cast<std::size_t>(s_k_.bytes()), cudaMemcpyDeviceToDevice,
                        stream),
        "a copy on the device");
}

void SeedsOnDevice::start_word(std::span<const SeedWord> word, std::int32_t* row, std::int64_t stride,
                               cudaStream_t stream) {
  if (word.empty()) return;
  std::vector<std::int32_t> counts(static_cast<std::size_t>(stride));
  for (const SeedWord& seed : word) counts[static_cast<std::size_t>(seed.topic)] = seed.weight;
  check(cudaMemcpyAsync(row, counts.data(), counts.size() * sizeof(std::int32_t), cudaMemcpyHostToDevice, stream),
        "a copy to the device");
  check(cudaStreamSynchronize(stream), "a copy to the device");
}

}  // namespace papilio::lda
