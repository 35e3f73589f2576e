#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "papilio/array_view.h"
#include "papilio/choice.h"
#include "papilio/half.h"

namespace papilio {

// How the partial sums of a row are computed. Every method draws from the same
// distribution. `slots` gives the same categories on every device and for every
// batch. The others are the methods of the papers, kept for comparison and
// study; they round differently (docs/determinism.md has the table).
enum class PartialSums : std::uint8_t {
  slots,                       // sums first, one exchange at the end; the default
  prefix,                      // running sums per row, then a binary search
  transposed,                  // coalesced loads, then a W x W exchange in registers
  transposed_through_scratch,  // the same through a tile in memory
  butterfly_swap,              // a butterfly per block of 32; the search only adds
  butterfly_add_subtract,      // the same with one select fewer; the last bit depends on the lane
  butterfly_two_pass,          // block totals first, then one butterfly per row

  // The first K mod 32 of K categories by prefix sums, then whole blocks, as in the papers. The methods
  // above pad the last block with zeros instead, which keeps blocks aligned.
  transposed_remnant_first,
  butterfly_swap_remnant_first,
  butterfly_add_subtract_remnant_first,
};

// A row of `partial_sums()`.
struct PartialSumsChoice : Choice<PartialSums> {
  bool ragged_rows;          // takes rows of different lengths
  bool depends_on_position;  // the last bit of a sum depends on the row's position in the batch
};

// Every method, the default first.
std::span<const PartialSumsChoice> partial_sums() noexcept;

// "slots", "prefix", ...; "unknown" for a number that is not an enumerator.
std::string_view name(PartialSums method) noexcept;

// The method of that name. Throws InvalidArgument with the known names.
PartialSums parse_partial_sums(std::string_view name);

// The outcome of the draw from a row. Anything but `ok` gives index -1.
enum class DrawStatus : std::uint8_t {
  ok,
  empty,         // the row has no categories
  all_zero,      // no weight is positive
  negative,      // a weight is negative
  not_a_number,  // a weight is NaN
  infinite,      // a weight is infinite
  overflow,      // the weights are finite, but their sum is not
  no_such_row,   // an index or offset of the row is out of range (on a device only; the CPU throws)
};

// "ok", "all_zero", ...; "unknown" for a number that is not an enumerator.
std::string_view name(DrawStatus status) noexcept;

struct SampleOptions {
  std::uint64_t seed = 0;    // same seed, same draws
  std::uint64_t stream = 0;  // for independent draws with one seed: an iteration, a purpose

  // Row i has number `row_ids[i]`, or `first_row_id + i` if no
  // ids are given. The draw from a row depends on seed, stream, its number and its
  // weights, and on nothing else.
  std::uint64_t first_row_id = 0;
  VectorView<const std::int64_t> row_ids = {};

  // If given, row i is drawn with seed `seeds[i]` (its 64 bits) instead of `seed`:
  // one call serves rows of different users or chains.
  VectorView<const std::int64_t> seeds = {};

  // If given, receives the status of each row, and bad rows get index -1.
  // If empty, the first bad row throws InvalidArgument; on a CUDA device,
  // where calls do not wait for the result, bad rows only get index -1.
  VectorView<DrawStatus> status = {};

  // False skips the search for negative weights, which saves about one
  // instruction in three. A row with negative weights then gives an arbitrary category.
  // All-zero, empty, NaN, infinite and overflowing rows are still found.
  bool check_negative = true;

  int threads = 0;  // CPU threads; 0: all; never changes a result
  PartialSums method = PartialSums::slots;

  // For arrays on a CUDA device: the stream (a cudaStream_t; null is the default
  // stream) that the draw is queued on, and memory for it to work in, of
  // `sample_workspace_bytes`, aligned to 256 bytes.
  void* cuda_stream = nullptr;
  VectorView<std::byte> workspace = {};
};

// Rows of a matrix, in order or picked by index. Weights are relative: rows
// need not sum to 1. Any strides are allowed.
template <class T>
struct MatrixWeights {
  MatrixView<const T> matrix;
  VectorView<const std::int32_t> rows = {};  // row i of the draw is matrix row rows[i]; empty: all rows
};

// Rows of different lengths, one after the other: row i holds
// values[offsets[i]] ... values[offsets[i + 1] - 1].
template <class T>
struct RaggedWeights {
  VectorView<const T> values;
  VectorView<const std::int64_t> offsets;    // one more than there are rows, not decreasing
  VectorView<const std::int32_t> rows = {};  // as in MatrixWeights
};

// Products of two rows, never stored: category k of row i has the weight
// left(left_rows[i], k) * right(right_rows[i], k). In a topic model left is
// theta, by document, and right is phi, by word. Column strides must be 1.
template <class T>
struct ProductWeights {
  MatrixView<const T> left;
  VectorView<const std::int32_t> left_rows;
  MatrixView<const T> right;
  VectorView<const std::int32_t> right_rows;
};

// Rows of logits: category k of row i has the weight
// exp((logit(i, k) - largest logit of row i) / temperature). A logit of -infinity is a
// weight of 0; rows with NaN or +infinity cannot be drawn from. Weights are float (double for
// T = double). exp is the library's own polynomial, the same everywhere, with a relative error
// of 2^-22 plus that of rounding (logit - largest) / temperature to float.
template <class T>
struct LogitWeights {
  MatrixView<const T> logits;
  VectorView<const std::int32_t> rows = {};  // as in MatrixWeights
  double temperature = 1;                    // from 2^-100 to 2^100
};

// Draws one category from each row of weights.
//
//   weights  T is float or double; for matrices, ragged rows and logits also Half, BFloat16,
//            Float8E4M3FN and Float8E5M2, which are summed in float. Finite, >= 0, at least
//            one > 0 per row.
//   drawn    one entry per row, int32 or int64; receives categories counted from 0,
//            or -1 for a bad row (see SampleOptions::status). It must not share memory
//            with another array of the call; neither may `status`.
//
// P(drawn[i] = k) = weight(i, k) / sum_j weight(i, j), to within the rounding of
// the sums: those inside a segment of 1,024 categories are in T, the rest and
// the search in double, with 53 random bits per draw. A category of weight 0 is
// never drawn.
//
// Same seed, stream, row numbers and weights: same categories, bit for bit, on
// every device and instruction set, for any number of threads and any split of
// the batch (method `slots`).
//
// Time O(rows * categories): all weights are read once, and 1/32 of them again.
// Scratch: a few KiB per thread. Throws InvalidArgument for shapes that do not
// fit, null or misaligned arrays, an unknown method, indices out of range, and
// (without `status`) the first bad row; `drawn` is then unspecified.
//
// Arrays on a CUDA device (all of them on the same one): the draw is queued on
// `cuda_stream`. The call allocates nothing, waits for nothing and may be captured
// into a CUDA graph. Indices and weights on the device are checked there, row by
// row (see `status`), and do not throw. Throws DeviceError if the launch fails.
//
//   std::vector<float> w = {1, 2, 1,   0, 0, 5};
//   std::vector<std::int32_t> k(2);
//   papilio::sample_categorical(papilio::MatrixWeights<float>{{w.data(), 2, 3}}, k);  // k[1] == 2
//
// Source: Steele and Tristan, ACM TOPC 6(4):22, 2019, doi 10.1145/3365662; the
// order of summation is in docs/numerics.md.
template <class T>
void sample_categorical(const MatrixWeights<T>& weights, VectorView<std::int32_t> drawn,
                        const SampleOptions& options = {});
template <class T>
void sample_categorical(const MatrixWeights<T>& weights, VectorView<std::int64_t> drawn,
                        const SampleOptions& options = {});
template <class T>
void sample_categorical(const RaggedWeights<T>& weights, VectorView<std::int32_t> drawn,
                        const SampleOptions& options = {});
template <class T>
void sample_categorical(const RaggedWeights<T>& weights, VectorView<std::int64_t> drawn,
                        const SampleOptions& options = {});
template <class T>
void sample_categorical(const ProductWeights<T>& weights, VectorView<std::int32_t> drawn,
                        const SampleOptions& options = {});
template <class T>
void sample_categorical(const ProductWeights<T>& weights, VectorView<std::int64_t> drawn,
                        const SampleOptions& options = {});
template <class T>
void sample_categorical(const LogitWeights<T>& weights, VectorView<std::int32_t> drawn,
                        const SampleOptions& options = {});
template <class T>
void sample_categorical(const LogitWeights<T>& weights, VectorView<std::int64_t> drawn,
                        const SampleOptions& options = {});

// The bytes of `SampleOptions::workspace` that a draw from these weights needs. 0 on the
// CPU; on a device also 0, except for rows of more than 8,192 categories, for logits
// (whose weights are stored there) and for the methods that keep a table.
template <class T>
std::int64_t sample_workspace_bytes(const MatrixWeights<T>& weights, PartialSums method = PartialSums::slots);
template <class T>
std::int64_t sample_workspace_bytes(const RaggedWeights<T>& weights, PartialSums method = PartialSums::slots);
template <class T>
std::int64_t sample_workspace_bytes(const ProductWeights<T>& weights, PartialSums method = PartialSums::slots);
template <class T>
std::int64_t sample_workspace_bytes(const LogitWeights<T>& weights, PartialSums method = PartialSums::slots);

struct RepeatedDrawOptions {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t first_draw = 0;  // draw i is number first_draw + i: batches split freely
  int threads = 0;               // CPU threads; 0: all; never changes a result

  // For a table on a CUDA device: the stream (a cudaStream_t; null is the default stream)
  // that the draws are queued on.
  void* cuda_stream = nullptr;
};

// Many draws from one row, O(1) each, after O(K) work: Vose's alias table.
//
// Columns are filled in double from the weights in order, so the table, and
// with it every draw, is the same on every machine and CUDA device. A category of weight 0 is
// never drawn. Throws InvalidArgument for a row that cannot be drawn from.
//
// A table lives on the device of its weights and draws into arrays there. It is filled on the CPU:
// weights on a CUDA device are copied to the CPU in the order of `cuda_stream`, which the constructor
// waits for, and the table is copied back. `on` copies a table to another device. A table on a device
// queues its draws on the stream of the options: `sample` allocates nothing, waits for nothing and
// may be captured into a CUDA graph. The table must live until the draws are done.
//
// Copies share the table. A move is a copy, so a table that was moved from still draws.
// Memory 16 K bytes.
//
//   papilio::AliasTable table(papilio::VectorView<const float>{w});
//   table.sample(draws, {.seed = 7});
//
// Source: Walker, Electronics Letters 10(8), 1974; Vose, IEEE TSE 17(9), 1991.
class AliasTable {
 public:
  explicit AliasTable(VectorView<const float> weights, void* cuda_stream = nullptr);
  explicit AliasTable(VectorView<const double> weights, void* cuda_stream = nullptr);
  AliasTable(const AliasTable&) = default;
  AliasTable& operator=(const AliasTable&) = default;

  // Fills `drawn`, which is on the device of the table (InvalidArgument otherwise).
  void sample(VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options = {}) const;
  void sample(VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options = {}) const;

  // Returns the same table in the memory of a device, once it is copied. Throws DeviceError if there is no room.
  AliasTable on(Device device) const;

  std::int64_t categories() const;
  Device device() const;

 private:
  struct Columns;
  std::shared_ptr<const Columns> columns_;
};

// Many draws from one row, O(log K) each, after O(K) work: running sums in
// double and a binary search. Half the memory of an alias table, monotone in
// the uniform number (so it serves quasi-random and stratified draws), and as
// exact as a double can be. Contract otherwise as AliasTable.
class CumulativeTable {
 public:
  explicit CumulativeTable(VectorView<const float> weights, void* cuda_stream = nullptr);
  explicit CumulativeTable(VectorView<const double> weights, void* cuda_stream = nullptr);
  CumulativeTable(const CumulativeTable&) = default;
  CumulativeTable& operator=(const CumulativeTable&) = default;

  // As for AliasTable.
  void sample(VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options = {}) const;
  void sample(VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options = {}) const;
  CumulativeTable on(Device device) const;

  // The category whose interval contains u * total; 0 <= u < 1. For a table on the CPU (InvalidArgument otherwise).
  std::int64_t find(double u) const;
  std::int64_t categories() const;
  Device device() const;

 private:
  struct Sums;
  std::shared_ptr<const Sums> sums_;
};

}  // namespace papilio
