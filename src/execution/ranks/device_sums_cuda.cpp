#include "execution/ranks/device_sums_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/event.h"
#include "execution/cuda/pinned_bytes.h"
#include "execution/ranks/collectives.h"
#include "execution/ranks/nccl_library.h"
#include "papilio/error.h"

namespace papilio::execution {
namespace {

using Clock = std::chrono::steady_clock;

// By the communicator, part by part, in page-locked memory: while it adds up one part, the next one is copied there.
class HostSums final : public DeviceSums {
 public:
  explicit HostSums(Communicator& ranks) : ranks_(ranks) {}

  std::string engine() const override { return ranks_.engine() + " through host memory"; }
  void add_up(std::int32_t* values, std::int64_t count, cudaStream_t stream) override {
    add_up_of(values, count, stream);
  }
  void add_up(std::int64_t* values, std::int64_t count, cudaStream_t stream) override {
    add_up_of(values, count, stream);
  }
  void wait(cudaStream_t stream) override { check(cudaStreamSynchronize(stream), "work on the device"); }

 private:
  static constexpr std::int64_t part_bytes = std::int64_t{16} << 20;

  // A part's memory is used again for the part after the next. The stream
  // copies that one there only after it has copied this part back.
  template <class T>
  void add_up_of(T* values, std::int64_t count, cudaStream_t stream) {
    constexpr std::int64_t most = part_bytes / std::int64_t{sizeof(T)};
    const std::int64_t parts = base::ceil_div(count, most);
    const auto in_host = [&](std::int64_t part) { return reinterpret_cast<T*>(memory_.data()) + part % 2 * most; };
    const auto size = [&](std::int64_t part) { return static_cast<std::size_t>(std::min(most, count - part * most)); };
    const auto ask_for = [&](std::int64_t part) {
      check(
          cudaMemcpyAsync(in_host(part), values + part * most, size(part) * sizeof(T), cudaMemcpyDeviceToHost, stream),
          "a copy from the device");
      copied_[part % 2].record(stream);
    };
    if (parts > 0) ask_for(0);
    for (std::int64_t part = 0; part < parts; ++part) {
      if (part + 1 < parts) ask_for(part + 1);
      copied_[part % 2].wait();
      ranks_.add_up(std::span(in_host(part), size(part)));
      check(
          cudaMemcpyAsync(values + part * most, in_host(part), size(part) * sizeof(T), cudaMemcpyHostToDevice, stream),
          "a copy to the device");
    }
    check(cudaStreamSynchronize(stream), "a copy to the device");  // the memory will be used again
  }

  Communicator& ranks_;
  const PinnedBytes memory_{2 * part_bytes};
  Event copied_[2];
};

class NcclSums final : public DeviceSums {
 public:
  NcclSums(const NcclSearch& library, Communicator& ranks)
      : library_(library), nccl_(library.functions), ranks_(ranks) {
    NcclId id = {};
    if (ranks.rank() == 0) require(nccl_.get_unique_id(&id), "ncclGetUniqueId");
    ranks.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
    require(nccl_.comm_init_rank(&comm_, ranks.ranks(), id, ranks.rank()), "ncclCommInitRank");
  }
  // After a failure comm_ is null: there are no other ranks with which to end it.
  ~NcclSums() override {
    if (comm_ != nullptr) nccl_.comm_destroy(comm_);
  }
  NcclSums(const NcclSums&) = delete;
  NcclSums& operator=(const NcclSums&) = delete;

  std::string engine() const override { return library_.name; }

  void add_up(std::int32_t* values, std::int64_t count, cudaStream_t stream) override {
    add_up_of(values, count, nccl_int32, stream);
  }
  void add_up(std::int64_t* values, std::int64_t count, cudaStream_t stream) override {
    add_up_of(values, count, nccl_int64, stream);
  }

  // Polls: if a rank is gone, its part of a sum never comes, and the driver's own wait would last forever.
  void wait(cudaStream_t stream) override {
    require_comm();
    const Clock::time_point start = Clock::now();
    Clock::time_point asked = start;
    for (;;) {
      const cudaError_t state = cudaStreamQuery(stream);
      if (state == cudaSuccess) return;
      if (state != cudaErrorNotReady) {
        abort();
        check(state, "work on the device");
      }
      static_cast<void>(cudaGetLastError());  // or a later call would report this error
      const Clock::time_point now = Clock::now();
      if (now - start < spin_time) continue;
      std::this_thread::sleep_for(poll_time);
      if (now - asked < ask_time) continue;
      asked = now;
      ask_the_others(std::chrono::duration<double>(now - start).count());
    }
  }

 private:
  static constexpr std::chrono::milliseconds spin_time{2};
  static constexpr std::chrono::microseconds poll_time{50};
  static constexpr std::chrono::milliseconds ask_time{50};

  void require(int error, const char* call) {
    if (error == nccl_success || error == nccl_in_progress) return;
    const std::string words = nccl_.get_error_string(error);
    abort();
    throw RankError(fmt::format("papilio::Communicator: {}: {}: {}", library_.name, call, words), -1);
  }
  void require_comm() const {
    if (comm_ == nullptr) {
      throw RankError("papilio::Communicator: a rank has failed before; no call is possible any more", -1);
    }
  }

  // Throws if other ranks have failed: by what NCCL says, by what the communicator says, or by the deadline.
  void ask_the_others(double waited) {
    int error = nccl_success;
    require(nccl_.comm_get_async_error(comm_, &error), "ncclCommGetAsyncError");
    require(error, "a sum");
    try {
      ranks_.listen();
    } catch (...) {
      abort();
      throw;
    }
    if (waited <= ranks_.deadline_seconds()) return;
    abort();
    throw RankError(fmt::format("papilio::Communicator: {}: some of {} ranks did not join a sum within {:g} s",
                                library_.name, ranks_.ranks(), ranks_.deadline_seconds()),
                    -1);
  }

  // Ends the sums that wait for others.
  void abort() {
    if (comm_ != nullptr) nccl_.comm_abort(comm_);
    comm_ = nullptr;
  }

  template <class T>
  void add_up_of(T* values, std::int64_t count, int type, cudaStream_t stream) {
    require_comm();
    if (count == 0) return;
    require(nccl_.all_reduce(values, values, static_cast<std::size_t>(count), type, nccl_sum, comm_, stream),
            "ncclAllReduce");
  }

  const NcclSearch& library_;
  const Nccl& nccl_;
  Communicator& ranks_;
  NcclComm comm_ = nullptr;
};

// What the ranks must have in common for NCCL, its version, and what must differ, the GPU. Empty without NCCL.
std::string name_of_device(const NcclSearch& library) {
  if (library.name.empty()) return "";
  int device = 0;
  cudaDeviceProp properties;
  check(cudaGetDevice(&device), "finding the current device");
  check(cudaGetDeviceProperties(&properties, device), "querying a device's properties");
  return library.name + " " + std::string(properties.uuid.bytes, sizeof properties.uuid.bytes);
}

bool can_sum_by_nccl(std::vector<std::string> names, std::string_view version) {
  if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return !name.starts_with(version); })) {
    return false;
  }
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

}  // namespace

std::unique_ptr<DeviceSums> make_device_sums(Communicator& ranks) {
  const NcclSearch& library = nccl_search();
  if (library.is_wanted && library.name.empty()) {
    throw DeviceUnavailable(
        fmt::format("papilio: PAPILIO_NCCL names a file that cannot be loaded as NCCL: {}", library.absence));
  }
  const std::vector<std::string> names = gather_texts(ranks, name_of_device(library));
  const std::string version =
      names.front().substr(0, names.front().size() - std::min<std::size_t>(names.front().size(), 17));
  if (!version.empty() && can_sum_by_nccl(names, version + " ")) return std::make_unique<NcclSums>(library, ranks);
  return std::make_unique<HostSums>(ranks);
}

}  // namespace papilio::execution
