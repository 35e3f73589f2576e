#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cuda/check.h"
#include "execution/cuda/event.h"
#include "execution/cuda/pinned_bytes.h"

namespace papilio::execution {

// Copies between pageable memory of the host and the current device. The entries on the device may have
// another type than those on the host. The driver stages such copies through page-locked memory with
// one thread; here several threads fill or empty one piece of it while other pieces are being copied.
class StagedCopies {
 public:
  // `bytes`: the size, on the device, of the largest copy to come.
  StagedCopies(std::int64_t bytes, int threads, cudaStream_t stream)
      : piece_bytes_(std::clamp<std::int64_t>(base::round_up<std::int64_t>(bytes, 256), 256, most_bytes)),
        threads_(threads),
        stream_(stream),
        pieces_(piece_bytes_ * slots) {}

  // Both wait for the copy.
  template <class To, class From>
  void upload(To* to, const From* from, std::int64_t count) {
    const std::int64_t step = piece_bytes_ / std::int64_t{sizeof(To)};
    for (std::int64_t piece = 0, first = 0; first < count; ++piece, first += step) {
      const std::int64_t size = std::min(step, count - first);
      emptied(piece).wait();
      To* const staged = memory<To>(piece);
      convert(staged, from + first, size);
      check(cudaMemcpyAsync(to + first, staged, static_cast<std::size_t>(size) * sizeof(To), cudaMemcpyHostToDevice,
                            stream_),
            "a copy to the device");
      emptied(piece).record(stream_);
    }
    check(cudaStreamSynchronize(stream_), "a copy to the device");
  }

  template <class To, class From>
  void download(To* to, const From* from, std::int64_t count) {
    const std::int64_t step = piece_bytes_ / std::int64_t{sizeof(From)};
    const std::int64_t pieces = base::ceil_div(count, step);
    const auto size = [&](std::int64_t piece) { return std::min(step, count - piece * step); };
    for (std::int64_t next = 0; next < pieces + slots - 1; ++next) {
      if (next < pieces) {
        check(cudaMemcpyAsync(memory<From>(next), from + next * step,
                              static_cast<std::size_t>(size(next)) * sizeof(From), cudaMemcpyDeviceToHost, stream_),
              "a copy from the device");
        filled(next).record(stream_);
      }
      const std::int64_t piece = next - (slots - 1);
      if (piece < 0) continue;
      filled(piece).wait();
      convert(to + piece * step, memory<From>(piece), size(piece));
    }
  }

 private:
  static constexpr std::int64_t slots = 3;
  static constexpr std::int64_t most_bytes = std::int64_t{1} << 22;
  static constexpr std::int64_t entries_per_task = std::int64_t{1} << 15;

  template <class To, class From>
  void convert(To* to, const From* from, std::int64_t count) const {
    parallel_for(count, entries_per_task, threads_, [&](std::int64_t begin, std::int64_t end) {
      std::transform(from + begin, from + end, to + begin, [](From x) { return static_cast<To>(x); });
    });
  }

  // The event of a piece's slot: when it has happened, the last copy that used the slot is done.
  Event& emptied(std::int64_t piece) { return events_[static_cast<std::size_t>(piece % slots)]; }
  Event& filled(std::int64_t piece) { return emptied(piece); }
  template <class T>
  T* memory(std::int64_t piece) const {
    return reinterpret_cast<T*>(pieces_.data() + piece % slots * piece_bytes_);
  }

  const std::int64_t piece_bytes_;
  const int threads_;
  const cudaStream_t stream_;
  PinnedBytes pieces_;
  std::array<Event, slots> events_;
};

}  // namespace papilio::execution
