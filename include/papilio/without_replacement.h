#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "papilio/array_view.h"
#include "papilio/sampling.h"

namespace papilio {

struct WithoutReplacementOptions {
  std::uint64_t seed = 0;    // same seed, same draws
  std::uint64_t stream = 0;  // independent draws under one seed: an iteration, a purpose

  // Row i has number `row_ids[i]`, or `first_row_id + i` if no ids are given.
  std::uint64_t first_row_id = 0;
  VectorView<const std::int64_t> row_ids = {};

  // If given, row i is drawn with seed `seeds[i]` (its 64 bits) instead of `seed`.
  VectorView<const std::int64_t> seeds = {};

  // If given, receives the status of each row, and no row throws: a faulty row gets -1 in every entry. A row with fewer
  // positive weights than draws gets all of these categories, then -1, and the status `all_zero`, or `empty` if the row
  // has no categories.
  // If empty, the first row that is not `ok` throws InvalidArgument.
  VectorView<DrawStatus> status = {};

  int threads = 0;  // CPU threads, which share the rows; 0: all; never changes a result
};

// Draws k distinct categories from each row of weights, one after the other without replacement: each draw takes one
// of the categories that are left with a probability in proportion to its weight.
//
//   weights  T is float or double. Weights are finite and >= 0, of the whole range of T: they are never added up, so no
//            sum can overflow. Logits as for sample_categorical: -infinity is a weight of 0.
//   drawn    rows x k, column stride 1, int32 or int64; drawn(i, j) receives draw j of row i. It must not share memory
//            with another array of the call. With k = 0 no weight is read.
//
// The draws are those of an exponential race: category c arrives at the time E_c / w_c, E_c exponential, and the first
// k to arrive are drawn, in order of arrival. E_c is a function of seed, stream, the row's number and c alone. So the
// first j of k draws are those of k = j, another category's weight changes no arrival but its own, and draws are the
// same on every instruction set, for any number of threads and any split of the batch. A category of weight 0 is never
// drawn. float weights draw as the same numbers in double do, and weights times a power of two draw alike.
//
// Arrival times are compared to about 52 bits, whatever the size of the weights, and E_c has 64 random bits; of equal
// times the lower category comes first. Logits divided by the temperature are compared with the precision and the
// range of a double.
//
// Time O(categories + k log k) per row, about one nanosecond per category: nearly all arrive too late for the first k,
// and are skipped without computing a logarithm. Memory 32 bytes times min(k, categories) per thread.
// Throws InvalidArgument for shapes and arrays that do not fit, indices out of range, arrays that are not on the CPU,
// and (without `status`) the first row that is not `ok`; `drawn` is then unspecified.
//
//   std::vector<float> w = {1, 2, 1,   0, 3, 5};
//   std::vector<std::int32_t> drawn(2 * 2);
//   papilio::sample_without_replacement(papilio::MatrixWeights<float>{{w.data(), 2, 3}},
//                                       papilio::MatrixView<std::int32_t>(drawn.data(), 2, 2), {.seed = 7});
//
// Source: Efraimidis and Spirakis, Information Processing Letters 97(5), 2006 (their keys are u^(1/w) = exp(-E/w));
// Yellott, Journal of Mathematical Psychology 15(2), 1977, for logits and Gumbel numbers.
template <class T>
void sample_without_replacement(const MatrixWeights<T>& weights, MatrixView<std::int32_t> drawn,
                                const WithoutReplacementOptions& options = {});
template <class T>
void sample_without_replacement(const MatrixWeights<T>& weights, MatrixView<std::int64_t> drawn,
                                const WithoutReplacementOptions& options = {});
template <class T>
void sample_without_replacement(const RaggedWeights<T>& weights, MatrixView<std::int32_t> drawn,
                                const WithoutReplacementOptions& options = {});
template <class T>
void sample_without_replacement(const RaggedWeights<T>& weights, MatrixView<std::int64_t> drawn,
                                const WithoutReplacementOptions& options = {});
template <class T>
void sample_without_replacement(const LogitWeights<T>& weights, MatrixView<std::int32_t> drawn,
                                const WithoutReplacementOptions& options = {});
template <class T>
void sample_without_replacement(const LogitWeights<T>& weights, MatrixView<std::int64_t> drawn,
                                const WithoutReplacementOptions& options = {});

// All categories of each row in the order in which they are drawn without replacement; heavy ones tend to come early.
// Contract as that of sample_without_replacement with as many draws as the row has categories.
//
//   shuffled  for a matrix: of the same size, column stride 1; for ragged rows: one entry per weight, one row after the
//             other in the order of the draw
//
//   papilio::weighted_shuffle(papilio::RaggedWeights<double>{values, offsets}, shuffled, {.seed = 7});
template <class T>
void weighted_shuffle(const MatrixWeights<T>& weights, MatrixView<std::int32_t> shuffled,
                      const WithoutReplacementOptions& options = {});
template <class T>
void weighted_shuffle(const MatrixWeights<T>& weights, MatrixView<std::int64_t> shuffled,
                      const WithoutReplacementOptions& options = {});
template <class T>
void weighted_shuffle(const RaggedWeights<T>& weights, VectorView<std::int32_t> shuffled,
                      const WithoutReplacementOptions& options = {});
template <class T>
void weighted_shuffle(const RaggedWeights<T>& weights, VectorView<std::int64_t> shuffled,
                      const WithoutReplacementOptions& options = {});

struct ReservoirOptions {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t row_id = 0;  // the number of the row that these items form
};

// Draws k distinct items of a stream by weight, without replacement. It keeps k items and never needs the others again.
//
// Items have numbers, 0 to 2^62 - 1. What is kept depends only on the items and their numbers: not on the order in
// which they come, nor on how they are split into pieces or over reservoirs that are merged. It is what
// sample_without_replacement draws from a row that holds the weight of item i in place i, with the same seed, stream
// and row number. An item that is added again with the same weight counts once.
//
// A call that throws InvalidArgument leaves the reservoir as it was. Copies are separate. Threads may read a reservoir
// at the same time, but not while it changes. Memory up to 32 bytes times k.
//
//   papilio::WeightedReservoir reservoir(100, {.seed = 7});
//   reservoir.add(papilio::VectorView<const double>(first_piece), 0);
//   reservoir.add(papilio::VectorView<const double>(second_piece), first_piece.size());
//   reservoir.items(papilio::VectorView<std::int64_t>(items));
//
// Source: Efraimidis and Spirakis, Information Processing Letters 97(5), 2006.
class WeightedReservoir {
 public:
  // Throws InvalidArgument unless 1 <= k < 2^40.
  explicit WeightedReservoir(std::int64_t k, const ReservoirOptions& options = {});
  WeightedReservoir(const WeightedReservoir& other);
  WeightedReservoir& operator=(const WeightedReservoir& other);
  ~WeightedReservoir();

  std::int64_t capacity() const;  // k
  std::int64_t size() const;      // items kept: k, or the number of items of positive weight so far, if fewer
  ReservoirOptions options() const;

  // The items first, first + 1, ... Throws InvalidArgument for weights that are negative, infinite or NaN, and for
  // numbers out of range. About a nanosecond per item.
  void add(VectorView<const float> weights, std::int64_t first);
  void add(VectorView<const double> weights, std::int64_t first);

  // Adds the items of another reservoir. Throws InvalidArgument unless k, seed, stream and row number are the same.
  void merge(const WeightedReservoir& other);

  // The numbers of the items that are kept, in the order of the draws. Throws InvalidArgument unless `items` has
  // size() entries.
  void items(VectorView<std::int64_t> items) const;

  // The state as bytes, for files. The same state gives the same bytes, which any machine can read. Throws
  // InvalidArgument for bytes that `to_bytes` cannot have written.
  std::vector<std::byte> to_bytes() const;
  static WeightedReservoir from_bytes(std::span<const std::byte> bytes);

 private:
  struct State;
  explicit WeightedReservoir(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace papilio
