// Compiled once for every instruction-set target; see cmake/simd_targets.cmake. Includes no container: inline library
// code compiled for one target must not be merged into code for another.

#include "primitives/tridiagonal/chunk_kernel.h"
#include "primitives/tridiagonal/kernels.h"
#include "primitives/tridiagonal/noise_kernel.h"
#include "primitives/tridiagonal/tile_cpu.h"
#include "random/uniform_lanes.h"
#include "warp/native_warp.h"

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {
namespace {

using papilio::primitives::ChunkWork;
using papilio::primitives::Noise;

// Two registers of floats, or four of doubles, hide the latency of a division.
inline constexpr int width = 2 * warp::register_bytes / static_cast<int>(sizeof(float));
using W = warp::SimdWarp<width, warp::register_bytes>;
static_assert(papilio::primitives::tile_chunks % width == 0);

template <class T>
using Pack = warp::Lanes<W, T>;

template <class T>
struct PackMath {
  PAPILIO_LANEWISE static Pack<T> fma(Pack<T> x, Pack<T> y, Pack<T> c) { return W::fma(x, y, c); }
  PAPILIO_LANEWISE static Pack<T> negative(Pack<T> x) {
    for (auto& reg : x.reg) reg = -reg;
    return x;
  }
  PAPILIO_LANEWISE static Pack<T> reciprocal(Pack<T> x) {
    for (auto& reg : x.reg) reg = T{1} / reg;
    return x;
  }
  PAPILIO_LANEWISE static Pack<T> sqrt(Pack<T> x) {
    T all[width];
    W::store(all, x);
    for (T& one : all) {
      if constexpr (sizeof(T) == sizeof(float))
        one = __builtin_sqrtf(one);
      else
        one = __builtin_sqrt(one);
    }
    return W::load(all);
  }
};

template <class T>
struct RowTiles {
  alignas(64) Tile<T, width> a, b, c, d;

  PAPILIO_LANEWISE Row<Pack<T>> row(int i) const {
    return {W::load(a[i]), W::load(b[i]), W::load(c[i]), W::load(d[i])};
  }
  PAPILIO_LANEWISE void set(int i, const Row<Pack<T>>& row) {
    W::store(a[i], row.a), W::store(b[i], row.b), W::store(c[i], row.c), W::store(d[i], row.d);
  }
};

template <class T>
PAPILIO_LANEWISE void turn_signs(Tile<T, width>& tile) {
  for (auto& row : tile)
    for (T& x : row) x = -x;
}

// Rows past the end of a system are x = 0 on their own.
template <class Form, class T>
PAPILIO_LANEWISE void load_rows(const ChunkWork<T>& work, const TileLanes<width>& lanes, RowTiles<T>& tiles) {
  const auto& systems = work.systems;
  load_tile<T, width>(systems.a, 0, lanes, T{0}, tiles.a);
  load_tile<T, width>(systems.b, -1, lanes, T{1}, tiles.b);
  load_tile<T, width>(systems.d, -1, lanes, T{0}, tiles.d);
  if constexpr (!Form::is_walk) load_tile<T, width>(systems.c, systems.rows - 1, lanes, T{0}, tiles.c);
  if constexpr (Form::is_walk)
    if (systems.given) turn_signs(tiles.a);
}

// Eliminates all rows except the separator; returns what they add to the separator before.
template <class Form, class T>
PAPILIO_LANEWISE Link<Pack<T>> eliminate_rows(RowTiles<T>& tiles) {
  auto link = Form::start(W::template splat<T>(0), W::template splat<T>(1));
  Row<Pack<T>> row = tiles.row(0);
  for (int i = 0; i < separator; ++i) {
    Row<Pack<T>> next = tiles.row(i + 1);
    Form::template eliminate<PackMath<T>>(row, next, link);
    tiles.set(i, row);
    row = next;
  }
  tiles.set(separator, row);
  return link;
}

// Adds the faults of the input rows in one lane.
template <class Form, class T>
PAPILIO_LANEWISE unsigned given_faults(const ChunkWork<T>& work, const TileLanes<width>& lanes, int l) {
  const auto& systems = work.systems;
  const std::int64_t s = lanes.system[l], first = lanes.chunk[l] * chunk_rows;
  const auto at = [&](const Diagonal<const T>& diagonal, std::int64_t i) {
    return diagonal.data[s * diagonal.system_stride + i * diagonal.row_stride];
  };
  unsigned faults = 0;
  for (std::int64_t i = first; i < first + lanes.rows_of(l); ++i) {
    const T a = i > 0 ? at(systems.a, i) : T{0};
    if constexpr (Form::is_walk)
      faults |= walk_faults(-a, at(systems.b, i));
    else
      faults |= row_faults(a, at(systems.b, i), i + 1 < systems.rows ? at(systems.c, i) : T{0},
                           i > 0 ? at(systems.c, i - 1) : T{0});
  }
  return faults;
}

template <class Form, class T>
PAPILIO_LANEWISE void record_faults(const ChunkWork<T>& work, const TileLanes<width>& lanes, const RowTiles<T>& tiles) {
  for (int l = 0; l < lanes.count; ++l) {
    unsigned faults = work.systems.given ? given_faults<Form>(work, lanes, l) : 0u;
    for (int i = 0; i < separator; ++i) faults |= pivot_faults(tiles.b[i][l]);
    if (work.chunks == 1) faults |= pivot_faults(T{1} / tiles.b[separator][l]);
    if (faults != 0)
      __atomic_fetch_or(work.faults + lanes.system[l], static_cast<std::uint8_t>(faults), __ATOMIC_RELAXED);
  }
}

template <class Form, class T>
void reduce_chunks(const ChunkWork<T>& work, std::int64_t begin, std::int64_t end) {
  const auto& out = work.separators;
  for (std::int64_t first = begin; first < end; first += width) {
    const auto lanes = lanes_of<width>(work, first, end);
    RowTiles<T> tiles;
    load_rows<Form>(work, lanes, tiles);
    const Link<Pack<T>> link = eliminate_rows<Form>(tiles);
    if (work.faults != nullptr) record_faults<Form>(work, lanes, tiles);
    T link_c[width], link_b[width], link_d[width];
    W::store(link_c, link.c), W::store(link_b, link.b), W::store(link_d, link.d);
    for (int l = 0; l < lanes.count; ++l) {
      const std::int64_t p = first + l;
      out.a[p] = tiles.a[separator][l], out.b[p] = tiles.b[separator][l], out.d[p] = tiles.d[separator][l];
      out.link_b[p] = link_b[l], out.link_d[p] = link_d[l];
      if constexpr (!Form::is_walk) out.c[p] = tiles.c[separator][l], out.link_c[p] = link_c[l];
    }
  }
}

struct OneMath {
  PAPILIO_LANEWISE static float fma(float x, float y, float c) { return __builtin_fmaf(x, y, c); }
  PAPILIO_LANEWISE static double fma(double x, double y, double c) { return __builtin_fma(x, y, c); }
};

template <class Form, class T>
void join_chunks(const ChunkWork<T>& work, std::int64_t begin, std::int64_t end) {
  const auto& all = work.separators;
  const std::int64_t step = work.interleaved ? work.systems.count : 1;
  for (std::int64_t p = begin; p < end; ++p) {
    const std::int64_t chunk = work.interleaved ? p / work.systems.count : p % work.chunks;
    if (chunk + 1 == work.chunks) continue;
    const std::int64_t q = p + step;
    Row<T> row = {T{0}, all.b[p], Form::is_walk ? T{0} : all.c[p], all.d[p]};
    Form::template join<OneMath>(row, Link<T>{Form::is_walk ? T{0} : all.link_c[q], all.link_b[q], all.link_d[q]});
    all.b[p] = row.b, all.d[p] = row.d;
    if constexpr (!Form::is_walk) all.c[p] = row.c;
  }
}

// The normal numbers for a tile's rows; 0 if a row has none.
PAPILIO_LANEWISE void draw_noise(const Noise& noise, const TileLanes<width>& lanes, Tile<float, width>& drawn) {
  using Words = Pack<std::uint32_t>;
  std::uint32_t low[width] = {}, high[width] = {}, chunk_low[width] = {};
  for (int l = 0; l < lanes.count; ++l) {
    const std::uint64_t id = noise.ids != nullptr ? static_cast<std::uint64_t>(noise.ids[lanes.system[l]])
                                                  : noise.first_id + static_cast<std::uint64_t>(lanes.system[l]);
    low[l] = static_cast<std::uint32_t>(id), high[l] = static_cast<std::uint32_t>(id >> 32);
    chunk_low[l] = static_cast<std::uint32_t>(lanes.chunk[l]);
  }
  const auto block = random::draw_blocks<W>(noise.seed, noise.stream, W::load(low), W::load(high));
  const NoiseSource<Words> source = {
      {static_cast<std::uint32_t>(noise.seed), static_cast<std::uint32_t>(noise.seed >> 32)},
      {block.word[1], block.word[2], block.word[3]}};
  const Words chunk = W::load(chunk_low);
  if (noise.scale == 1) {
    for (int i = 0; i < chunk_rows; i += 4) {
      const auto four = four_normals<W>(source, (chunk << 2u) + static_cast<std::uint32_t>(i / 4));
      for (int j = 0; j < 4; ++j) W::store(drawn[i + j], four.at[j]);
    }
  } else {
    std::uint32_t shift = 0;  // scale / 4 is a power of two
    for (std::int64_t scale = noise.scale; scale > 4; scale /= 2) ++shift;
    for (int i = 0; i < chunk_rows; ++i) {
      const Words row = (chunk << 4u) + static_cast<std::uint32_t>(i + 1);
      W::store(drawn[i], four_normals<W>(source, (row << shift) - W::template splat<std::uint32_t>(1)).at[3]);
    }
  }
  for (int l = 0; l < lanes.count; ++l) {
    for (int i = 0; i < chunk_rows; ++i)
      if ((lanes.chunk[l] * chunk_rows + i + 1) * noise.scale > noise.rows) drawn[i][l] = 0;
  }
}

// Finds the unknowns from the last row upwards, in tiles.d; `next` is the separator's unknown.
template <bool draws, class T>
PAPILIO_LANEWISE void substitute_rows(RowTiles<T>& tiles, Pack<T> before, Pack<T> next,
                                      const Tile<float, width>& noise) {
  W::store(tiles.d[separator], next);
  for (int i = separator - 1; i >= 0; --i) {
    const Row<Pack<T>> row = tiles.row(i);
    next = substitute<PackMath<T>>(row, before, next);
    if constexpr (draws) next = disturbed<PackMath<T>>(next, row.b, W::template convert<T>(W::load(noise[i])));
    W::store(tiles.d[i], next);
  }
}

template <class Form, bool draws, class T>
void solve_chunks(const ChunkWork<T>& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t first = begin; first < end; first += width) {
    const auto lanes = lanes_of<width>(work, first, end);
    RowTiles<T> tiles;
    alignas(64) Tile<float, width> noise;
    load_rows<Form>(work, lanes, tiles);
    eliminate_rows<Form>(tiles);
    if constexpr (draws) draw_noise(work.noise, lanes, noise);
    Pack<T> before = W::template splat<T>(0), last;
    if (work.chunks == 1) {
      if (work.faults != nullptr) record_faults<Form>(work, lanes, tiles);
      const Row<Pack<T>> row = tiles.row(separator);
      const Pack<T> inverse = PackMath<T>::reciprocal(row.b);
      last = inverse * row.d;
      if constexpr (draws)
        last = disturbed<PackMath<T>>(last, inverse, W::template convert<T>(W::load(noise[separator])));
    } else {
      T before_of[width] = {}, last_of[width] = {};
      const std::int64_t step = work.interleaved ? work.systems.count : 1;
      for (int l = 0; l < lanes.count; ++l) {
        last_of[l] = work.separators.d[first + l];
        if (lanes.chunk[l] > 0) before_of[l] = work.separators.d[first + l - step];
      }
      before = W::load(before_of), last = W::load(last_of);
    }
    substitute_rows<draws>(tiles, before, last, noise);
    store_tile<T, width>(tiles.d, lanes, work.x);
  }
}

template <class T>
void reduce(const ChunkWork<T>& work, std::int64_t begin, std::int64_t end) {
  work.walk ? reduce_chunks<Walk>(work, begin, end) : reduce_chunks<General>(work, begin, end);
}
template <class T>
void join(const ChunkWork<T>& work, std::int64_t begin, std::int64_t end) {
  work.walk ? join_chunks<Walk>(work, begin, end) : join_chunks<General>(work, begin, end);
}
template <class T>
void solve(const ChunkWork<T>& work, std::int64_t begin, std::int64_t end) {
  if (work.noise.wanted)
    work.walk ? solve_chunks<Walk, true>(work, begin, end) : solve_chunks<General, true>(work, begin, end);
  else
    work.walk ? solve_chunks<Walk, false>(work, begin, end) : solve_chunks<General, false>(work, begin, end);
}

}  // namespace
}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel

namespace papilio::inline PAPILIO_TARGET {

extern const primitives::TridiagonalKernels tridiagonal_table;
const primitives::TridiagonalKernels tridiagonal_table = {
    {tridiagonal_kernel::reduce<float>, tridiagonal_kernel::join<float>, tridiagonal_kernel::solve<float>},
    {tridiagonal_kernel::reduce<double>, tridiagonal_kernel::join<double>, tridiagonal_kernel::solve<double>}};

}  // namespace papilio::inline PAPILIO_TARGET
