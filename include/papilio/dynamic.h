#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "papilio/array_view.h"
#include "papilio/choice.h"
#include "papilio/sampling.h"

namespace papilio {

// How a distribution with changing weights is stored. Each samples the same distribution; see docs/dynamic.md.
enum class DynamicMethod : std::uint8_t {
  tree,     // a tree of sums, eight children per node: draw and update O(log K); the default
  buckets,  // categories by the exponent of their weight: draw and update O(1) expected, for very many categories
  huffman,  // a Huffman tree of sums: few comparisons where a few categories have most of the weight
};

// Every method, the default first.
std::span<const Choice<DynamicMethod>> dynamic_methods() noexcept;

// "tree", "buckets", "huffman"; "unknown" for a number that is not an enumerator.
std::string_view name(DynamicMethod method) noexcept;

// The method of that name. Throws InvalidArgument with the known names.
DynamicMethod parse_dynamic_method(std::string_view name);

// A distribution over K categories whose weights change between draws.
//
// Weights are finite doubles >= 0, of the whole range of double. All of them may be 0; then there is nothing to draw.
// Sums are never updated by differences: each is added up again, or is an integer. So after any number of updates they
// equal those of a new object with the same weights. A category of weight 0 is never drawn.
//
// Draw number i is a function of seed, stream, i and the state, the same on every machine and for any number of
// threads. For `tree` the state is the weights alone. For `buckets` it is also the order of the updates, and for
// `huffman` the weights at the last `rebuild`. Probabilities are exact to about log2(K) roundings of double, and,
// except within a bucket, to the 2^-53 of the uniform number.
//
// A call that throws leaves the state as it was. Const calls may run at the same time; a call that changes the
// object may not run beside any other. Copies are separate.
//
//   papilio::DynamicWeights weights(papilio::VectorView<const double>{w});
//   weights.sample(drawn, {.seed = 7});
//   weights.set(3, 0.5);
//
// Memory per category: tree 9 bytes, buckets 16, huffman 32.
//
// Source: Fenwick, Software: Practice and Experience 24(3), 1994, for a tree of sums; Matias, Vitter and Ni, Theory
// of Computing Systems 36, 2003, for buckets; Huffman, Proceedings of the IRE 40(9), 1952; Steele and Tristan, ACM TOPC
// 6(4):22, section 8.
class DynamicWeights {
 public:
  // Throws InvalidArgument for weights that are negative, infinite or NaN, whose total is infinite, of which there are
  // none or more than 2^30 - 1, or that are not on the CPU.
  explicit DynamicWeights(VectorView<const double> weights, DynamicMethod method = DynamicMethod::tree);
  DynamicWeights(const DynamicWeights& other);
  DynamicWeights& operator=(const DynamicWeights& other);
  ~DynamicWeights();

  DynamicMethod method() const;
  std::int64_t categories() const;

  // Throws InvalidArgument unless 0 <= category < K, here and below.
  double weight(std::int64_t category) const;

  // The sum of all weights, to within log2(K) roundings.
  double total() const;

  // Throws InvalidArgument for a weight that the constructor would refuse.
  void set(std::int64_t category, double weight);

  // Adds `amount`, which may be negative, to a weight. Throws InvalidArgument if the sum is below 0 or infinite.
  void add(std::int64_t category, double amount);

  // The same as a call of `set` for each category, in order. If it throws, no weight has changed.
  void set(VectorView<const std::int64_t> categories, VectorView<const double> weights);

  // Throws InvalidArgument if every weight is 0.
  void sample(VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options = {}) const;
  void sample(VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options = {}) const;

  // Builds the Huffman tree again for the current weights: O(K log K). Does nothing for the other methods.
  void rebuild();

  // Mean number of comparisons per draw from a Huffman tree: at most the entropy of the weights plus 1 after
  // `rebuild`. 0 for other methods, and if every weight is 0.
  double mean_comparisons() const;

  // The state as bytes, for files. What `from_bytes` makes of them draws the same, on any machine. The same state gives
  // the same bytes. Throws InvalidArgument for bytes that `to_bytes` cannot have written.
  std::vector<std::byte> to_bytes() const;
  static DynamicWeights from_bytes(std::span<const std::byte> bytes);

 private:
  struct State;
  explicit DynamicWeights(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct ForestUpdateOptions {
  int threads = 0;  // CPU threads; 0: all; never changes a result

  // If given, one entry per update: `no_such_row` if its row or category is out of range, `negative`, `infinite` or
  // `not_a_number` for its weight, `overflow` if the total of its row would be infinite, else `ok`. Unless all are
  // `ok`, nothing has changed. If empty, the first faulty update throws. A forest on a CUDA device, whose calls do not
  // wait, requires it.
  VectorView<DrawStatus> status = {};

  // For a forest on a CUDA device: the stream (a cudaStream_t; null is the default stream) that the call is queued on,
  // and memory for it to work in, of `update_workspace_bytes`, aligned to 256 bytes.
  void* cuda_stream = nullptr;
  VectorView<std::byte> workspace = {};
};

struct ForestDrawOptions {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t first_draw = 0;  // draw i is number first_draw + i: batches split freely
  int threads = 0;

  // If given, receives the status of each draw: `ok`, `all_zero`, or `no_such_row` if the row is out of range. Draws
  // that are not `ok` give category -1. If empty, the first of them throws InvalidArgument; on a CUDA device, where
  // calls do not wait, it only gives -1.
  VectorView<DrawStatus> status = {};

  void* cuda_stream = nullptr;  // as in ForestUpdateOptions
};

// R independent distributions over K categories each, stored as trees. Contract as that of DynamicWeights with `tree`.
// Updates and draws come in batches, which threads share. One row is enough.
//
// A forest lives on the device of the weights that it is made from, and the arrays of its calls must be there. The same
// weights, seed, stream and draw number give the same category on every device, bit for bit.
//
//   papilio::DynamicForest forest(papilio::MatrixView<const double>{w, rows, K});
//   forest.sample({rows_to_draw_from}, drawn, {.seed = 7});
//   forest.set({rows}, {categories}, {new_weights});
//
// On a CUDA device `set` and `sample` queue kernels on a stream and return. They allocate nothing, wait for nothing and
// may be captured into a graph. Calls on one forest are in order if they are on one stream; on several, the caller
// orders them. Making a forest, copying it and reading a number from it wait.
//
// All calls throw InvalidArgument for arrays of the wrong size, null, misaligned, overlapping, or on another device
// than the forest; on a device DeviceError if a launch or an allocation fails (after that in `set`, the forest's
// weights are unspecified).
//
// Memory per category: 9 bytes on the CPU, 14 on a device.
class DynamicForest {
 public:
  // A matrix of weights, R x K, with any strides; throws as DynamicWeights does. On a device the weights are read in
  // the order of `cuda_stream`.
  explicit DynamicForest(MatrixView<const double> weights, void* cuda_stream = nullptr);
  // On a device a copy is made in the order of the default stream.
  DynamicForest(const DynamicForest& other);
  DynamicForest& operator=(const DynamicForest& other);
  ~DynamicForest();

  Device device() const;
  std::int64_t rows() const;
  std::int64_t categories() const;

  // Throw InvalidArgument for a row or category out of range. On a device they read in the order of `cuda_stream`.
  double weight(std::int64_t row, std::int64_t category, void* cuda_stream = nullptr) const;
  double total(std::int64_t row, void* cuda_stream = nullptr) const;

  // Sets weight `categories[i]` of row `rows[i]` to `weights[i]`, in order: of several updates of one weight the last
  // holds. If one update is faulty (see ForestUpdateOptions::status), nothing changes. O(log K) per update. On a CUDA
  // device at most 2^32 - 2 updates per call.
  void set(VectorView<const std::int64_t> rows, VectorView<const std::int64_t> categories,
           VectorView<const double> weights, const ForestUpdateOptions& options = {});

  // The bytes of ForestUpdateOptions::workspace that a call of `set` with this many updates (0 to 2^32 - 2) needs; 0 on
  // the CPU.
  std::int64_t update_workspace_bytes(std::int64_t updates) const;

  // Draw i is from row `rows[i]` and has number options.first_draw + i. Throws InvalidArgument if a row's weights are
  // all 0, before anything is drawn (but see ForestDrawOptions::status).
  void sample(VectorView<const std::int64_t> rows, VectorView<std::int32_t> drawn,
              const ForestDrawOptions& options = {}) const;
  void sample(VectorView<const std::int64_t> rows, VectorView<std::int64_t> drawn,
              const ForestDrawOptions& options = {}) const;

 private:
  struct Trees;
  std::unique_ptr<Trees> trees_;
};

}  // namespace papilio
