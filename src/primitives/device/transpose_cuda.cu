#include <algorithm>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "primitives/device_calls.h"

// Transposition through shared memory: a block reads a tile along the matrix's contiguous dimension and writes it along the
// result's. Tiles are square where the matrix is large, and as long as there is room where one side is short.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr int transpose_threads = 256;

// Element (a, b) of matrix m is at in + m * in_batch + a * in_a + b * in_b, and goes to out + m * out_batch + a * out_a +
// b * out_b. Strides count elements. b is the dimension in which reading is contiguous, a that of writing, where they are.
struct TransposeCall {
  const void* in;
  void* out;
  std::int64_t a_count, b_count, batch;
  std::int64_t in_a, in_b, in_batch;
  std::int64_t out_a, out_b, out_batch;
  int tile_a = 0, tile_b = 0;  // tile_a * tile_b elements at a time
  std::int64_t a_tiles = 0, b_tiles = 0;
};

// Division by multiplication, of numbers below 2^16 by numbers below 2^16.
struct Divisor {
  unsigned by, factor;
  __device__ explicit Divisor(unsigned d) : by(d), factor(d == 1 ? 0 : 0xFFFF'FFFFu / d + 1) {}
  __device__ unsigned quotient(unsigned n) const { return by == 1 ? n : __umulhi(n, factor); }
};

// Many small matrices without gaps: a block takes `tile_a` of them at a time.
template <class Element>
__global__ void __launch_bounds__(transpose_threads) transpose_small(const __grid_constant__ TransposeCall call) {
  __shared__ Element tile[16384 / sizeof(Element)];
  const auto a_count = static_cast<unsigned>(call.a_count), b_count = static_cast<unsigned>(call.b_count);
  const std::int64_t first = std::int64_t{blockIdx.x} * call.tile_a;
  const unsigned size = a_count * b_count;
  const unsigned count = static_cast<unsigned>(min(call.batch - first, std::int64_t{call.tile_a})) * size;
  const auto* const in = static_cast<const Element*>(call.in) + first * size;
#pragma unroll 8
  for (unsigned k = threadIdx.x; k < count; k += transpose_threads) tile[k] = in[k];
  __syncthreads();
  auto* const out = static_cast<Element*>(call.out) + first * size;
  const Divisor by_size(size), by_a(a_count);
#pragma unroll 8
  for (unsigned k = threadIdx.x; k < count; k += transpose_threads) {
    const unsigned matrix = by_size.quotient(k), at = k - matrix * size;
    const unsigned j = by_a.quotient(at), i = at - j * a_count;
    out[k] = tile[matrix * size + i * b_count + j];
  }
}

// Whole tiles of edge x edge, by 16 bytes at a time: in_b == out_a == 1, everything aligned and divisible.
template <class Element>
__global__ void __launch_bounds__(transpose_threads) transpose_squares(const __grid_constant__ TransposeCall call) {
  constexpr int per_vector = 16 / sizeof(Element), edge = 256 / sizeof(Element);
  constexpr int row_vectors = edge / per_vector;  // 16
  constexpr int rows_at_once = transpose_threads / row_vectors;
  constexpr int stride = edge + 1;
  __shared__ Element tile[edge * stride];
  const std::int64_t tiles = call.a_tiles * call.b_tiles;
  const std::int64_t matrix = blockIdx.x / tiles, in_matrix = blockIdx.x % tiles;
  const std::int64_t a = in_matrix / call.b_tiles * edge, b = in_matrix % call.b_tiles * edge;
  const int vector = static_cast<int>(threadIdx.x % row_vectors), row = static_cast<int>(threadIdx.x / row_vectors);
  const auto* const in =
      static_cast<const Element*>(call.in) + matrix * call.in_batch + a * call.in_a + b + vector * per_vector;
  uint4 held[edge / rows_at_once];
#pragma unroll
  for (int r = 0; r < edge; r += rows_at_once)
    held[r / rows_at_once] = __ldcs(reinterpret_cast<const uint4*>(in + (r + row) * call.in_a));
#pragma unroll
  for (int r = 0; r < edge; r += rows_at_once) {
#pragma unroll
    for (int k = 0; k < per_vector; ++k)
      tile[(r + row) * stride + vector * per_vector + k] = reinterpret_cast<const Element*>(&held[r / rows_at_once])[k];
  }
  __syncthreads();
  auto* const out =
      static_cast<Element*>(call.out) + matrix * call.out_batch + b * call.out_b + a + vector * per_vector;
#pragma unroll
  for (int r = 0; r < edge; r += rows_at_once) {
    uint4 gathered;
#pragma unroll
    for (int k = 0; k < per_vector; ++k)
      reinterpret_cast<Element*>(&gathered)[k] = tile[(vector * per_vector + k) * stride + r + row];
    __stcs(reinterpret_cast<uint4*>(out + (r + row) * call.out_b), gathered);
  }
}

// Any shape, alignment and strides. The tile lies in shared memory with b fastest, and one element more per line.
template <class Element>
__global__ void __launch_bounds__(transpose_threads) transpose_tiles(const __grid_constant__ TransposeCall call) {
  constexpr int room = 16384 / sizeof(Element);
  __shared__ Element tile[room + room / 2];
  const std::int64_t tiles = call.a_tiles * call.b_tiles;
  const std::int64_t matrix = blockIdx.x / tiles, in_matrix = blockIdx.x % tiles;
  const std::int64_t a = in_matrix / call.b_tiles * call.tile_a, b = in_matrix % call.b_tiles * call.tile_b;
  const auto a_count = static_cast<unsigned>(min(call.a_count - a, std::int64_t{call.tile_a}));
  const auto b_count = static_cast<unsigned>(min(call.b_count - b, std::int64_t{call.tile_b}));
  const unsigned stride = b_count | 1, count = a_count * b_count;
  const auto* const in =
      static_cast<const Element*>(call.in) + matrix * call.in_batch + a * call.in_a + b * call.in_b;
  const Divisor by_a(a_count), by_b(b_count);
#pragma unroll 8
  for (unsigned k = threadIdx.x; k < count; k += transpose_threads) {
    const unsigned i = by_b.quotient(k), j = k - i * b_count;
    tile[i * stride + j] = in[i * call.in_a + j * call.in_b];
  }
  __syncthreads();
  auto* const out = static_cast<Element*>(call.out) + matrix * call.out_batch + a * call.out_a + b * call.out_b;
#pragma unroll 8
  for (unsigned k = threadIdx.x; k < count; k += transpose_threads) {
    const unsigned j = by_a.quotient(k), i = k - j * a_count;
    out[i * call.out_a + j * call.out_b] = tile[i * stride + j];
  }
}

template <int size>
struct alignas(size % 16 == 0  ? 16
               : size % 8 == 0 ? 8
               : size % 4 == 0 ? 4
               : size % 2 == 0 ? 2
                               : 1) TransposedElement {
  unsigned char byte[size];
};
template <int size>
struct ElementBytes {
  unsigned char byte[size];
};
template <int size>
using ElementOf = std::conditional_t<
    size == 4, std::uint32_t,
    std::conditional_t<size == 8, std::uint64_t,
                       std::conditional_t<size == 2, std::uint16_t,
                                          std::conditional_t<size == 16, uint4, TransposedElement<size>>>>>;

// The sides of a tile of `room` elements: a square, or, where the matrix is narrower, as much more of the other side.
inline std::pair<int, int> tile_sides(std::int64_t a_count, std::int64_t b_count, int room) {
  int edge = 1;
  while (4 * edge * edge <= room) edge *= 2;
  const auto longer = [&](std::int64_t shorter) { return static_cast<int>(room / std::max<std::int64_t>(shorter, 1)); };
  if (a_count < edge) return {static_cast<int>(a_count), static_cast<int>(std::min<std::int64_t>(longer(a_count), b_count))};
  if (b_count < edge) return {static_cast<int>(std::min<std::int64_t>(longer(b_count), a_count)), static_cast<int>(b_count)};
  return {edge, edge};
}

template <class Element>
void queue_transpose(TransposeCall call, cudaStream_t stream) {
  constexpr int per_vector = 16 / static_cast<int>(sizeof(Element)), edge = 256 / static_cast<int>(sizeof(Element));
  const auto whole = [](std::int64_t n) { return n % edge == 0; };
  const auto aligned = [](const void* data, std::int64_t line, std::int64_t batch) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && line % per_vector == 0 && batch % per_vector == 0;
  };
  constexpr int room = 16384 / sizeof(Element);
  const std::int64_t size = call.a_count <= room && call.b_count <= room ? call.a_count * call.b_count : room + 1;
  const bool dense = call.in_b == 1 && call.in_a == call.b_count && call.in_batch == size && call.out_a == 1 &&
                     call.out_b == call.a_count && call.out_batch == size;
  if (dense && call.batch > 1 && size <= room / 4) {
    call.tile_a = static_cast<int>(room / size);
    const auto blocks = static_cast<unsigned>(base::ceil_div<std::int64_t>(call.batch, call.tile_a));
    transpose_small<Element><<<blocks, transpose_threads, 0, stream>>>(call);
    return execution::check_launch("transposing");
  }
  bool by_vectors = false;
  if constexpr (sizeof(Element) == 4 || sizeof(Element) == 8)
    by_vectors = call.in_b == 1 && call.out_a == 1 && whole(call.a_count) && whole(call.b_count) &&
                 aligned(call.in, call.in_a, call.batch > 1 ? call.in_batch : 0) &&
                 aligned(call.out, call.out_b, call.batch > 1 ? call.out_batch : 0);
  std::tie(call.tile_a, call.tile_b) = by_vectors ? std::pair(edge, edge) : tile_sides(call.a_count, call.b_count, room);
  call.a_tiles = base::ceil_div<std::int64_t>(call.a_count, call.tile_a);
  call.b_tiles = base::ceil_div<std::int64_t>(call.b_count, call.tile_b);
  // A grid has up to 2^31 - 1 blocks; a launch takes as many matrices as that allows.
  constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;
  const std::int64_t tiles = call.a_tiles * call.b_tiles, at_once = std::max<std::int64_t>(1, most_blocks / tiles);
  const std::int64_t batch = call.batch;
  for (std::int64_t first = 0; first < batch; first += at_once) {
    TransposeCall part = call;
    part.batch = std::min(at_once, batch - first);
    part.in = static_cast<const Element*>(call.in) + first * call.in_batch;
    part.out = static_cast<Element*>(call.out) + first * call.out_batch;
    const auto blocks = static_cast<unsigned>(tiles * part.batch);
    if constexpr (sizeof(Element) == 4 || sizeof(Element) == 8) {
      if (by_vectors) {
        transpose_squares<Element><<<blocks, transpose_threads, 0, stream>>>(part);
        execution::check_launch("transposing");
        continue;
      }
    }
    transpose_tiles<Element><<<blocks, transpose_threads, 0, stream>>>(part);
    execution::check_launch("transposing");
  }
}

// Elements whose size is a multiple of 4 but whose addresses are not of their own alignment are moved as bytes.
template <int size>
void queue_transpose_of(const TransposeCall& call, cudaStream_t stream) {
  using Element = ElementOf<size>;
  const auto addresses = reinterpret_cast<std::uintptr_t>(call.in) | reinterpret_cast<std::uintptr_t>(call.out);
  if (addresses % alignof(Element) == 0) return queue_transpose<Element>(call, stream);
  queue_transpose<ElementBytes<size>>(call, stream);
}

template <int... sizes>
void queue_transpose_by_size(std::int64_t size, const TransposeCall& call, cudaStream_t stream,
                             std::integer_sequence<int, sizes...>) {
  ((size == sizes + 1 ? queue_transpose_of<sizes + 1>(call, stream) : void()), ...);
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel

namespace papilio::primitives {

void transpose_on_cuda(const detail::ElementMatrices& in, const detail::ElementMatrices& out, std::int64_t size,
                       std::int64_t batch, const DeviceCall& on) {
  const execution::OnDevice here(on.device);
  // in(i, j) and out(j, i): a and b are i and j, or, where reading goes down the columns, j and i.
  const auto magnitude = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  primitive_kernel::TransposeCall call{.in = in.data,
                                       .out = const_cast<void*>(out.data),
                                       .a_count = in.rows,
                                       .b_count = in.columns,
                                       .batch = batch,
                                       .in_a = in.row_stride,
                                       .in_b = in.column_stride,
                                       .in_batch = in.batch_stride,
                                       .out_a = out.column_stride,
                                       .out_b = out.row_stride,
                                       .out_batch = out.batch_stride};
  if (magnitude(call.in_b) > magnitude(call.in_a)) {
    std::swap(call.a_count, call.b_count);
    std::swap(call.in_a, call.in_b);
    std::swap(call.out_a, call.out_b);
  }
  primitive_kernel::queue_transpose_by_size(size, call, static_cast<cudaStream_t>(on.stream),
                                            std::make_integer_sequence<int, 16>());
}

}  // namespace papilio::primitives
