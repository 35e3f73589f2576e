#pragma once

#include <cstdint>
#include <cstring>

#include "random/gamma.h"
#include "sampling/rows/kernels.h"

// A row of gamma draws on one CPU thread: the body that every instruction-set target compiles.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::GammaColumns;

// Entries whose candidate the squeeze has not accepted, gathered until they fill the lanes.
template <warp::Warp W>
class PendingGammas {
  using Floats = warp::Lanes<W, float>;

 public:
  PAPILIO_LANEWISE bool fill_all_lanes() const { return count_ >= W::width; }
  PAPILIO_LANEWISE bool empty() const { return count_ == 0; }

  // Adds the entries of the lanes whose bits are set; lane 0 is column `first`.
  PAPILIO_LANEWISE void add(std::uint64_t lanes, std::int64_t first, const random::GammaCandidate<W>& candidate,
                            Floats power) {
    if (lanes == 0) return;
    float d[W::width], y[W::width], u[W::width], factor[W::width];
    W::store(d, candidate.d), W::store(y, candidate.y), W::store(u, candidate.u), W::store(factor, power);
    for (; lanes != 0; lanes &= lanes - 1) {
      const int l = __builtin_ctzll(lanes);
      put({static_cast<std::uint32_t>(first + l), 0, d[l], y[l], u[l], factor[l]});
    }
  }

  // Decides the candidates of up to W entries. An entry whose candidate is
  // refused gets its next candidate, and stays unless the squeeze accepts that.
  PAPILIO_LANEWISE void decide(const random::GammaBlocks& blocks, float* drawn) {
    const int used = count_ < W::width ? count_ : W::width;
    count_ -= used;
    const auto column = W::load(column_ + count_), attempt = W::load(attempt_ + count_) + 1u;
    const random::GammaCandidate<W> candidate = {W::load(d_ + count_), W::load(y_ + count_), W::load(u_ + count_)};
    const auto power = W::load(power_ + count_);
    const auto accepted = random::accepted_exactly<W>(candidate);

    const auto block = random::gamma_retry_block<W>(blocks, column, attempt);
    const auto normal = random::normal_pair<W>(block.word[0], block.word[1]).first;
    const auto next = random::gamma_candidate<W>(candidate.d, normal, block.word[2]);
    const auto next_accepted = random::accepted_by_squeeze<W>(next);

    float value[W::width];
    std::uint32_t columns[W::width], attempts[W::width];
    float d[W::width], y[W::width], u[W::width], factor[W::width];
    W::store(columns, column), W::store(attempts, attempt), W::store(factor, power);
    W::store(d, next.d), W::store(y, next.y), W::store(u, next.u);
    W::store(value, W::select(accepted, random::gamma_value<W>(candidate), random::gamma_value<W>(next)) * power);
    const std::uint64_t done = W::bits(accepted | next_accepted);
    for (int l = 0; l < used; ++l) {
      if ((done >> l & 1) != 0)
        drawn[columns[l]] = value[l];
      else
        put({columns[l], attempts[l], d[l], y[l], u[l], factor[l]});
    }
  }

 private:
  // What is kept of a pending entry.
  struct Entry {
    std::uint32_t column, attempt;
    float d, y, u, power;
  };
  PAPILIO_LANEWISE void put(const Entry& e) {
    column_[count_] = e.column, attempt_[count_] = e.attempt;
    d_[count_] = e.d, y_[count_] = e.y, u_[count_] = e.u, power_[count_] = e.power;
    ++count_;
  }

  // W groups add their four columns while fewer than W entries wait; W entries may be read from any place.
  static constexpr int room = 6 * W::width;
  int count_ = 0;
  std::uint32_t column_[room] = {}, attempt_[room] = {};
  float d_[room] = {}, y_[room] = {}, u_[room] = {}, power_[room] = {};
};

// A full set of lanes, or only `count` at the end of a row; nothing else is read or written.
template <warp::Warp W, class T>
PAPILIO_LANEWISE warp::Lanes<W, T> load_columns(const T* p, std::int64_t count) {
  return count >= W::width ? W::load(p) : W::load(p, count);
}
template <warp::Warp W>
PAPILIO_LANEWISE void store_columns(float* p, warp::Lanes<W, float> values, std::int64_t count) {
  if (count >= W::width) return W::store(p, values);
  float all[W::width];
  W::store(all, values);
  std::memcpy(p, all, static_cast<std::size_t>(count) * sizeof(float));
}

// The shapes of the W columns from `first` on.
template <warp::Warp W>
PAPILIO_LANEWISE warp::Lanes<W, float> shapes_at(const GammaColumns& columns, std::int64_t first) {
  const std::int64_t count = columns.count - first;
  const auto prior = load_columns<W>(columns.shape + first, count);
  if (columns.counts == nullptr) return prior;
  return W::template convert<float>(load_columns<W>(columns.counts + first, count)) + prior;
}

// Makes the first attempts of W groups; word i is for the columns from `first` + 32 i on.
template <warp::Warp W>
PAPILIO_LANEWISE void draw_groups(const GammaColumns& columns, const random::GammaBlocks& blocks, std::int64_t first,
                                  PendingGammas<W>& pending) {
  using random::GammaPart;
  const auto one = W::template splat<float>(1);
  const std::int64_t first_group = first / random::gamma_tile * random::gamma_groups + first % random::gamma_groups;
  const auto group = W::template bit_cast<std::uint32_t>(W::lane_id()) + static_cast<std::uint32_t>(first_group);
  const int parts = static_cast<int>((columns.count - first + random::gamma_groups - 1) / random::gamma_groups);
  warp::Lanes<W, float> shape[4];
  std::uint64_t below_one = 0;
  for (int i = 0; i < 4 && i < parts; ++i) {
    shape[i] = shapes_at<W>(columns, first + i * random::gamma_groups);
    below_one |= W::bits(W::less(shape[i], one));
  }
  const auto normals = random::four_normals<W>(random::gamma_block<W>(blocks, GammaPart::normal, group));
  const auto acceptance = random::gamma_block<W>(blocks, GammaPart::acceptance, group);
  auto power_words = acceptance;
  if (below_one != 0) power_words = random::gamma_block<W>(blocks, GammaPart::power, group);
  for (int i = 0; i < 4 && i < parts; ++i) {
    const std::int64_t at = first + i * random::gamma_groups, count = columns.count - at;
    const auto candidate = random::gamma_candidate<W>(random::gamma_d<W>(shape[i]), normals.at[i], acceptance.word[i]);
    auto power = one;
    if (below_one != 0) {
      const auto inverse = columns.inverse != nullptr ? load_columns<W>(columns.inverse + at, count)
                                                      : random::gamma_inverse<W>(shape[i]);
      power = W::select(W::less(shape[i], one), random::gamma_power<W>(inverse, power_words.word[i]), one);
    }
    store_columns<W>(columns.drawn + at, random::gamma_value<W>(candidate) * power, count);
    const std::uint64_t lanes =
        count >= W::width ? ~std::uint64_t{0} >> (64 - W::width) : (std::uint64_t{1} << count) - 1;
    pending.add(W::bits(!random::accepted_by_squeeze<W>(candidate)) & lanes, at, candidate, power);
  }
}

template <warp::Warp W>
void draw_gamma_columns(const GammaColumns& columns) {
  const random::GammaBlocks blocks = random::gamma_blocks(columns.seed, columns.stream, columns.row);
  PendingGammas<W> pending;
  for (std::int64_t tile = 0; tile < columns.count; tile += random::gamma_tile) {
    for (std::int64_t first = tile; first < tile + random::gamma_groups && first < columns.count; first += W::width) {
      draw_groups<W>(columns, blocks, first, pending);
      while (pending.fill_all_lanes()) pending.decide(blocks, columns.drawn);
    }
  }
  while (!pending.empty()) pending.decide(blocks, columns.drawn);
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
