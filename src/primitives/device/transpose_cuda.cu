#include <algorithm>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "primitives/device/transpose_kernels_cuda.cuh"
#include "primitives/device_calls.h"

// Transposition: which kernel is used for which shape.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

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
    std::conditional_t<
        size == 8, std::uint64_t,
        std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 16, uint4, TransposedElement<size>>>>>;

// The sides of a tile of `room` elements: a square or, if the matrix is narrower, longer in the other direction.
inline std::pair<int, int> tile_sides(std::int64_t a_count, std::int64_t b_count, int room) {
  int edge = 1;
  while (4 * edge * edge <= room) edge *= 2;
  const auto longer = [&](std::int64_t shorter) { return static_cast<int>(room / std::max<std::int64_t>(shorter, 1)); };
  if (a_count < edge)
    return {static_cast<int>(a_count), static_cast<int>(std::min<std::int64_t>(longer(a_count), b_count))};
  if (b_count < edge)
    return {static_cast<int>(std::min<std::int64_t>(longer(b_count), a_count)), static_cast<int>(b_count)};
  return {edge, edge};
}

bool is_aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

// Queues the transposition of small matrices without gaps. Returns false for other matrices.
template <class Element>
bool queue_small(TransposeCall call, cudaStream_t stream) {
  constexpr int room = 16384 / sizeof(Element), per_vector = 16 / static_cast<int>(sizeof(Element));
  const std::int64_t size = call.a_count <= room && call.b_count <= room ? call.a_count * call.b_count : room + 1;
  const bool dense = call.in_b == 1 && call.in_a == call.b_count && call.in_batch == size && call.out_a == 1 &&
                     call.out_b == call.a_count && call.out_batch == size;
  if (!dense || call.batch <= 1 || size > room / 4) return false;
  call.tile_a = static_cast<int>(room / size);
  bool by_vectors = false;
  if constexpr (has_vectors<Element>) {
    by_vectors = call.tile_a >= per_vector && is_aligned(call.in) && is_aligned(call.out);
    if (by_vectors) call.tile_a -= call.tile_a % per_vector;
  }
  const auto blocks = static_cast<unsigned>(base::ceil_div<std::int64_t>(call.batch, call.tile_a));
  if constexpr (has_vectors<Element>) {
    if (by_vectors) transpose_small<Element, true><<<blocks, transpose_threads, 0, stream>>>(call);
  }
  if (!by_vectors) transpose_small<Element, false><<<blocks, transpose_threads, 0, stream>>>(call);
  execution::check_launch("transposing");
  return true;
}

// Chooses the kernel of a call whose matrices are not small, and its tiles.
using TransposeKernel = void (*)(TransposeCall);
template <class Element>
TransposeKernel choose_kernel(TransposeCall& call) {
  constexpr int per_vector = 16 / static_cast<int>(sizeof(Element)), edge = 256 / static_cast<int>(sizeof(Element));
  constexpr int room = 16384 / sizeof(Element);
  const bool lines = call.in_b == 1 && call.out_a == 1;
  // Whether all lines with these strides (in elements) begin at multiples of 16 bytes.
  const auto aligned = [&](auto... strides) {
    return is_aligned(call.in) && is_aligned(call.out) && ((strides % per_vector == 0) && ...) &&
           (call.batch == 1 || (call.in_batch % per_vector == 0 && call.out_batch % per_vector == 0));
  };
  if constexpr (has_vectors<Element>) {
    const std::int64_t narrow = std::min(call.a_count, call.b_count), wide = std::max(call.a_count, call.b_count);
    const bool to_flat = lines && narrow == call.a_count && call.out_b == call.a_count && aligned(call.in_a);
    const bool from_flat = lines && narrow == call.b_count && call.in_a == call.b_count && aligned(call.out_b);
    if (narrow <= most_narrow && wide >= 1024 && (to_flat || from_flat)) {
      call.tile_a = static_cast<int>(room / narrow / 16 * 16);
      call.a_tiles = base::ceil_div<std::int64_t>(wide, call.tile_a);
      call.b_tiles = 1;
      return to_flat ? transpose_narrow<Element, true> : transpose_narrow<Element, false>;
    }
  }
  if constexpr (sizeof(Element) == 4 || sizeof(Element) == 8) {
    if (lines && call.a_count >= edge / 2 && call.b_count >= edge / 2) {
      constexpr int sector = 32 / static_cast<int>(sizeof(Element));
      const bool by_vectors = aligned(call.in_a, call.out_b, call.a_count, call.b_count) && call.out_b % sector == 0;
      call.a_tiles = base::ceil_div<std::int64_t>(call.a_count + (by_vectors ? 0 : sector - 1), edge);
      call.b_tiles = base::ceil_div<std::int64_t>(call.b_count, edge);
      return by_vectors ? transpose_squares<Element> : transpose_lines<Element>;
    }
  }
  std::tie(call.tile_a, call.tile_b) = tile_sides(call.a_count, call.b_count, room);
  call.a_tiles = base::ceil_div<std::int64_t>(call.a_count, call.tile_a);
  call.b_tiles = base::ceil_div<std::int64_t>(call.b_count, call.tile_b);
  return transpose_tiles<Element>;
}

template <class Element>
void queue_transpose(TransposeCall call, cudaStream_t stream) {
  if (queue_small<Element>(call, stream)) return;
  const TransposeKernel kernel = choose_kernel<Element>(call);
  // A grid has up to 2^31 - 1 blocks; a launch takes as many matrices as that allows.
  constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;
  const std::int64_t tiles = call.a_tiles * call.b_tiles, at_once = std::max<std::int64_t>(1, most_blocks / tiles);
  const std::int64_t batch = call.batch;
  for (std::int64_t first = 0; first < batch; first += at_once) {
    TransposeCall part = call;
    part.batch = std::min(at_once, batch - first);
    part.in = static_cast<const Element*>(call.in) + first * call.in_batch;
    part.out = static_cast<Element*>(call.out) + first * call.out_batch;
    kernel<<<static_cast<unsigned>(tiles * part.batch), transpose_threads, 0, stream>>>(part);
    execution::check_launch("transposing");
  }
}

// Elements whose size is a multiple of 4, but whose addresses lack their own alignment, are moved as bytes.
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
  // in(i, j) goes to out(j, i). a and b are i and j or, if reading is contiguous down the columns, j and i.
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
