#include "sampling/dynamic/forest_cuda.h"

#include <algorithm>
#include <cstring>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "random/philox.h"
#include "random/uniform.h"
#include "sampling/dynamic/forest_batch_kernel.h"

namespace papilio::sampling {
namespace {

using sampling_kernel::BatchState;
using sampling_kernel::FlatForest;
using sampling_kernel::SumNode;
using sampling_kernel::UpdateBatch;

constexpr int block_threads = 256;

// One block alone, in one launch, handles up to `most_alone` updates, or a level with as few nodes to add up.
constexpr int alone_threads = 1024;
constexpr std::int64_t most_alone = 4096;

// Calls each(i, exists) for all i < count and, in the last round, for some i beyond, by whole blocks.
template <class Each>
__device__ __forceinline__ void for_all(std::int64_t count, const Each& each) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x; first < count; first += step) {
    const std::int64_t i = first + threadIdx.x;
    each(i, i < count);
  }
}

// Adds a warp's nodes to the list of a level with one addition to its count. All threads of the warp take part.
__device__ __forceinline__ void append(const UpdateBatch& batch, int level, std::int64_t node) {
  constexpr unsigned everyone = 0xFFFF'FFFFu;
  const unsigned with_node = __ballot_sync(everyone, node != sampling_kernel::no_node);
  if (with_node == 0) return;
  const unsigned lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(with_node)) - 1;
  unsigned long long first = 0;
  if (static_cast<int>(lane) == leader)
    first = atomicAdd(&batch.state->listed_count[level], static_cast<unsigned long long>(__popc(with_node)));
  first = __shfl_sync(everyone, first, leader);
  if (node != sampling_kernel::no_node)
    batch.list[level][first + static_cast<unsigned>(__popc(with_node & ((1u << lane) - 1)))] = node;
}

__device__ __forceinline__ std::int64_t listed(const UpdateBatch& batch, int level) {
  return static_cast<std::int64_t>(*const_cast<volatile unsigned long long*>(&batch.state->listed_count[level]));
}

__device__ __forceinline__ void check_all(const FlatForest& forest, const UpdateBatch& batch) {
  for_all(batch.count, [&](std::int64_t i, bool exists) {
    if (exists) sampling_kernel::check_update(forest, batch, i);
  });
}

__device__ __forceinline__ void write_all(const FlatForest& forest, const UpdateBatch& batch) {
  for_all(batch.count, [&](std::int64_t i, bool exists) {
    append(batch, 0, exists ? sampling_kernel::write_update(forest, batch, i) : sampling_kernel::no_node);
  });
}

__device__ __forceinline__ void add_up_all_listed(const FlatForest& forest, const UpdateBatch& batch, int level) {
  for_all(listed(batch, level), [&](std::int64_t i, bool exists) {
    const std::int64_t parent =
        exists ? sampling_kernel::add_up_listed(forest, batch, level, i) : sampling_kernel::no_node;
    if (level + 1 < forest.levels) append(batch, level + 1, parent);
  });
}

__device__ __forceinline__ void finish_all(const FlatForest& forest, const UpdateBatch& batch) {
  for_all(batch.count, [&](std::int64_t i, bool exists) {
    if (exists) sampling_kernel::finish_update(forest, batch, i);
  });
}

// For one block alone.
__device__ __forceinline__ void add_up_levels(const FlatForest& forest, const UpdateBatch& batch, int first_level) {
  for (int level = first_level; level < forest.levels; ++level) {
    __syncthreads();
    add_up_all_listed(forest, batch, level);
  }
}

// For one block alone. All its threads see the same flag, which nobody sets any more.
__device__ __forceinline__ void take_back_sums(const FlatForest& forest, const UpdateBatch& batch) {
  if (batch.state->overflowed == 0) return;
  for (int level = 0; level < forest.levels; ++level) {
    for_all(listed(batch, level), [&](std::int64_t i, bool exists) {
      if (exists) sampling_kernel::add_up_again(forest, batch, level, i);
    });
    __syncthreads();
  }
}

__global__ __launch_bounds__(block_threads) void check_kernel(FlatForest forest, UpdateBatch batch) {
  check_all(forest, batch);
}

__global__ __launch_bounds__(block_threads) void write_kernel(FlatForest forest, UpdateBatch batch) {
  write_all(forest, batch);
}

__global__ __launch_bounds__(block_threads) void add_up_kernel(FlatForest forest, UpdateBatch batch, int level) {
  add_up_all_listed(forest, batch, level);
}

__global__ __launch_bounds__(alone_threads) void add_up_levels_kernel(FlatForest forest, UpdateBatch batch, int level) {
  add_up_levels(forest, batch, level);
}

__global__ __launch_bounds__(block_threads) void finish_kernel(FlatForest forest, UpdateBatch batch) {
  finish_all(forest, batch);
}

__global__ __launch_bounds__(alone_threads) void take_back_kernel(FlatForest forest, UpdateBatch batch) {
  take_back_sums(forest, batch);
}

// Every step of a batch, by one block.
__global__ __launch_bounds__(alone_threads) void update_alone_kernel(FlatForest forest, UpdateBatch batch) {
  check_all(forest, batch);
  __syncthreads();
  write_all(forest, batch);
  add_up_levels(forest, batch, 0);
  __syncthreads();
  finish_all(forest, batch);
  __syncthreads();
  take_back_sums(forest, batch);
}

// The first place of a new forest with a weight that it cannot keep, and the first row with an infinite total.
struct FirstFaults {
  unsigned long long place = ~0ull;
  unsigned long long row = ~0ull;
};

__global__ __launch_bounds__(block_threads) void fill_kernel(FlatForest forest, MatrixView<const double> weights,
                                                             FirstFaults* faults) {
  for_all(forest.rows * forest.categories, [&](std::int64_t place, bool exists) {
    if (!exists) return;
    const std::int64_t row = place / forest.categories, category = place % forest.categories;
    const double weight = weights.data[row * weights.row_stride + category * weights.column_stride];
    if (sampling_kernel::status_of_weight(weight) != DrawStatus::ok)
      atomicMin(&faults->place, static_cast<unsigned long long>(place));
    sampling_kernel::leaf_of(forest, row, category) = weight + 0.0;
  });
}

__global__ __launch_bounds__(block_threads) void add_up_level_kernel(FlatForest forest, int level,
                                                                     FirstFaults* faults) {
  const std::int64_t per_row = forest.nodes_per_row[level];
  for_all(forest.rows * per_row, [&](std::int64_t node, bool exists) {
    if (!exists) return;
    const double sum = sampling_kernel::hand_up(forest, level, node);
    if (level + 1 == forest.levels && !(sum <= std::numeric_limits<double>::max()))
      atomicMin(&faults->row, static_cast<unsigned long long>(node / per_row));
  });
}

template <class Index>
__global__ __launch_bounds__(block_threads) void draw_kernel(FlatForest forest, DeviceForestDraws draws, Index* drawn) {
  for_all(draws.count, [&](std::int64_t i, bool exists) {
    if (!exists) return;
    const std::int64_t row = draws.rows[i];
    auto status = DrawStatus::ok;
    std::int64_t category = -1;
    if (row < 0 || row >= forest.rows) {
      status = DrawStatus::no_such_row;
    } else if (const double total = forest.totals[row]; !(total > 0)) {
      status = DrawStatus::all_zero;
    } else {
      const random::Block block =
          random::draw_block(draws.seed, draws.stream, draws.first_draw + static_cast<std::uint64_t>(i));
      category = sampling_kernel::find_in_tree(
          [&](int level, std::int64_t place) -> SumNode {  // a copy, by 16 bytes at a time
            return forest.nodes[level][row * forest.nodes_per_row[level] + place];
          },
          forest.levels, total, random::uniform53(block.word[0], block.word[1]));
    }
    drawn[i] = static_cast<Index>(category);
    if (draws.status != nullptr) draws.status[i] = status;
  });
}

// Blocks for so many threads, up to enough to fill a device many times over.
unsigned grid_for(std::int64_t threads) {
  const std::int64_t wanted = base::ceil_div<std::int64_t>(threads, block_threads);
  return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, std::int64_t{execution::multiprocessors()} * 64));
}

// Hands out parts of one piece of memory, each aligned to 256 bytes.
class Parts {
 public:
  explicit Parts(std::byte* memory) : memory_(memory) {}
  template <class T>
  T* take(std::int64_t count) {
    T* const part = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + used_);
    used_ += base::ceil_div<std::int64_t>(count * static_cast<std::int64_t>(sizeof(T)), 256) * 256;
    return part;
  }
  std::int64_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::int64_t used_ = 0;
};

FlatForest shape_of(std::int64_t rows, std::int64_t categories) {
  FlatForest forest;
  forest.rows = rows;
  forest.categories = categories;
  std::int64_t nodes = categories;
  do {
    nodes = base::ceil_div<std::int64_t>(nodes, sampling_kernel::children_per_node);
    forest.nodes_per_row[forest.levels++] = nodes;
  } while (nodes > 1);
  return forest;
}

// Places the parts of the forest in memory; returns how many bytes they take.
std::int64_t place_forest(FlatForest& forest, std::byte* memory) {
  Parts parts(memory);
  for (int level = 0; level < forest.levels; ++level) {
    const std::int64_t nodes = forest.rows * forest.nodes_per_row[level];
    forest.nodes[level] = parts.take<SumNode>(nodes);
    forest.listed[level] = parts.take<std::uint32_t>(nodes);
  }
  forest.totals = parts.take<double>(forest.rows);
  forest.latest = parts.take<std::uint32_t>(forest.rows * forest.categories);
  return parts.used();
}

// The most nodes of a level that a batch can list.
std::int64_t most_listed(const FlatForest& forest, int level, std::int64_t updates) {
  return std::min(updates, forest.rows * forest.nodes_per_row[level]);
}

std::int64_t place_batch(const FlatForest& forest, UpdateBatch& batch, std::byte* memory) {
  Parts parts(memory);
  batch.state = parts.take<BatchState>(1);
  batch.before = parts.take<double>(batch.count);
  for (int level = 0; level < forest.levels; ++level)
    batch.list[level] = parts.take<std::int64_t>(most_listed(forest, level, batch.count));
  return parts.used();
}

void queue_in_steps(const FlatForest& forest, const UpdateBatch& batch, cudaStream_t stream) {
  const unsigned grid = grid_for(batch.count);
  check_kernel<<<grid, block_threads, 0, stream>>>(forest, batch);
  execution::check_launch("checking updates");
  write_kernel<<<grid, block_threads, 0, stream>>>(forest, batch);
  execution::check_launch("writing updates");
  int level = 0;
  for (; level < forest.levels && most_listed(forest, level, batch.count) > most_alone; ++level) {
    add_up_kernel<<<grid_for(most_listed(forest, level, batch.count)), block_threads, 0, stream>>>(forest, batch,
                                                                                                   level);
    execution::check_launch("adding up sums");
  }
  if (level < forest.levels) {
    add_up_levels_kernel<<<1, alone_threads, 0, stream>>>(forest, batch, level);
    execution::check_launch("adding up sums");
  }
  finish_kernel<<<grid, block_threads, 0, stream>>>(forest, batch);
  execution::check_launch("finishing updates");
  take_back_kernel<<<1, alone_threads, 0, stream>>>(forest, batch);
  execution::check_launch("taking back sums");
}

double number_at(const double* address, Device device, void* cuda_stream) {
  const execution::OnDevice here(device);
  double number = 0;
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  execution::check(cudaMemcpyAsync(&number, address, sizeof number, cudaMemcpyDeviceToHost, stream),
                   "a copy from the device");
  execution::check(cudaStreamSynchronize(stream), "work on the device");
  return number;
}

}  // namespace

struct ForestOnCuda::Memory {
  Device device;
  FlatForest forest;
  execution::DeviceArray<std::byte> bytes;

  // The device must be the current one.
  Memory(Device where, std::int64_t rows, std::int64_t categories) : device(where), forest(shape_of(rows, categories)) {
    FlatForest sizes = forest;
    bytes = execution::DeviceArray<std::byte>(place_forest(sizes, nullptr), "a forest of trees");
    place_forest(forest, bytes.data());
  }
};

ForestOnCuda::ForestOnCuda(const MatrixView<const double>& weights, void* cuda_stream, ForestFault& fault) {
  const execution::OnDevice here(weights.device);
  memory_ = std::make_unique<Memory>(weights.device, weights.rows, weights.columns);
  if (weights.rows == 0) return;
  const FlatForest& forest = memory_->forest;
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  execution::DeviceArray<FirstFaults> first(1, "building a forest");
  FirstFaults faults;
  memory_->bytes.clear(stream);
  first.upload(&faults, 1, stream);
  fill_kernel<<<grid_for(weights.rows * weights.columns), block_threads, 0, stream>>>(forest, weights, first.data());
  execution::check_launch("filling a forest");
  for (int level = 0; level < forest.levels; ++level) {
    add_up_level_kernel<<<grid_for(weights.rows * forest.nodes_per_row[level]), block_threads, 0, stream>>>(
        forest, level, first.data());
    execution::check_launch("adding up a forest");
  }
  first.download(&faults, 1, stream);
  execution::check(cudaStreamSynchronize(stream), "building a forest");
  if (faults.place != FirstFaults{}.place) {
    const auto place = static_cast<std::int64_t>(faults.place);
    fault = {ForestFault::Kind::weight, place / weights.columns, place % weights.columns, 0};
    fault.weight = weight(fault.row, fault.category, cuda_stream);
  } else if (faults.row != FirstFaults{}.row) {
    fault = {ForestFault::Kind::total, static_cast<std::int64_t>(faults.row), 0, 0};
  }
}

ForestOnCuda::ForestOnCuda(const ForestOnCuda& other) {
  const execution::OnDevice here(other.device());
  memory_ = std::make_unique<Memory>(other.device(), other.rows(), other.categories());
  if (memory_->bytes.size() == 0) return;
  execution::check(cudaMemcpyAsync(memory_->bytes.data(), other.memory_->bytes.data(),
                                   static_cast<std::size_t>(memory_->bytes.size()), cudaMemcpyDeviceToDevice, nullptr),
                   "copying a forest");
  execution::check(cudaStreamSynchronize(nullptr), "copying a forest");
}

ForestOnCuda& ForestOnCuda::operator=(const ForestOnCuda& other) {
  if (this != &other) *this = ForestOnCuda(other);
  return *this;
}

ForestOnCuda::ForestOnCuda(ForestOnCuda&& other) noexcept = default;
ForestOnCuda& ForestOnCuda::operator=(ForestOnCuda&& other) noexcept = default;
ForestOnCuda::~ForestOnCuda() = default;

Device ForestOnCuda::device() const { return memory_->device; }
std::int64_t ForestOnCuda::rows() const { return memory_->forest.rows; }
std::int64_t ForestOnCuda::categories() const { return memory_->forest.categories; }

double ForestOnCuda::weight(std::int64_t row, std::int64_t category, void* cuda_stream) const {
  return number_at(&sampling_kernel::leaf_of(memory_->forest, row, category), device(), cuda_stream);
}

double ForestOnCuda::total(std::int64_t row, void* cuda_stream) const {
  return number_at(memory_->forest.totals + row, device(), cuda_stream);
}

std::int64_t ForestOnCuda::workspace_bytes(std::int64_t updates) const {
  UpdateBatch batch;
  batch.count = updates;
  return place_batch(memory_->forest, batch, nullptr);
}

void ForestOnCuda::set(const DeviceUpdates& updates) {
  const execution::OnDevice here(device());
  const auto stream = static_cast<cudaStream_t>(updates.cuda_stream);
  UpdateBatch batch;
  batch.count = updates.count;
  batch.rows = updates.rows;
  batch.categories = updates.categories;
  batch.weights = updates.weights;
  batch.status = updates.status;
  place_batch(memory_->forest, batch, updates.workspace);
  execution::check(cudaMemsetAsync(batch.state, 0, sizeof(BatchState), stream), "clearing device memory");
  if (updates.count > most_alone) return queue_in_steps(memory_->forest, batch, stream);
  update_alone_kernel<<<1, alone_threads, 0, stream>>>(memory_->forest, batch);
  execution::check_launch("updating a forest");
}

void ForestOnCuda::sample(const DeviceForestDraws& draws) const {
  const execution::OnDevice here(device());
  const auto stream = static_cast<cudaStream_t>(draws.cuda_stream);
  const unsigned grid = grid_for(draws.count);
  if (draws.drawn_32 != nullptr)
    draw_kernel<<<grid, block_threads, 0, stream>>>(memory_->forest, draws, draws.drawn_32);
  else
    draw_kernel<<<grid, block_threads, 0, stream>>>(memory_->forest, draws, draws.drawn_64);
  execution::check_launch("drawing from a forest");
}

}  // namespace papilio::sampling
