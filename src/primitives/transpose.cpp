#include <algorithm>
#include <cstring>
#include <limits>

#include "base/math.h"
#include "primitives/call_checks.h"

namespace papilio {
namespace {

using detail::ElementMatrices;

// A block of `in` and one of `out` fit into the first-level cache together: at most 2 * 32 * 32 * 16 bytes.
constexpr std::int64_t block = 32;

// The least elements per task for which a second thread pays.
constexpr std::int64_t least_elements = std::int64_t{1} << 15;

template <int size>
struct Element {
  unsigned char bytes[size];
};

// The strides and the position of one matrix, in bytes.
struct Bytes {
  const unsigned char* in;
  unsigned char* out;
  std::int64_t in_row, in_column;    // from in(i, j) to in(i + 1, j) and to in(i, j + 1)
  std::int64_t out_row, out_column;  // from out(j, i) to out(j + 1, i) and to out(j, i + 1)
};

template <int size>
void transpose_block(const Bytes& at, std::int64_t i_begin, std::int64_t i_end, std::int64_t j_begin,
                     std::int64_t j_end) {
  for (std::int64_t j = j_begin; j < j_end; ++j) {
    const unsigned char* from = at.in + i_begin * at.in_row + j * at.in_column;
    unsigned char* to = at.out + j * at.out_row + i_begin * at.out_column;
    for (std::int64_t i = i_begin; i < i_end; ++i, from += at.in_row, to += at.out_column) {
      std::memcpy(to, from, size);
    }
  }
}

using TransposeBlock = void (*)(const Bytes&, std::int64_t, std::int64_t, std::int64_t, std::int64_t);
constexpr TransposeBlock blocks_of_size[] = {
    transpose_block<1>,  transpose_block<2>,  transpose_block<3>,  transpose_block<4>,
    transpose_block<5>,  transpose_block<6>,  transpose_block<7>,  transpose_block<8>,
    transpose_block<9>,  transpose_block<10>, transpose_block<11>, transpose_block<12>,
    transpose_block<13>, transpose_block<14>, transpose_block<15>, transpose_block<16>};

std::int64_t magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

// The checks of execution/check_view.h, for elements whose size is known only at run time, and with
// a third dimension. Returns the range of bytes that the matrices cover, [least, most) from data.
struct Reach {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

Reach require_matrices(const char* what, const ElementMatrices& m, std::int64_t size, std::int64_t batch) {
  base::require(m.rows >= 0 && m.columns >= 0, "papilio::transpose: {} must have sizes >= 0; got {} rows x {} columns",
                what, m.rows, m.columns);
  Reach reach{0, size};
  if (m.rows == 0 || m.columns == 0 || batch == 0) return {};
  base::require(m.data != nullptr, "papilio::transpose: {} is null, but {} rows x {} columns were given", what, m.rows,
                m.columns);
  execution::detail::require_address("transpose", what, m.data, m.alignment);
  std::int64_t extent = size;
  const auto extends = [&](std::int64_t stride, std::int64_t count) {
    if (!execution::detail::add_extent(stride, count, size, extent)) return false;
    if (count > 1) (stride < 0 ? reach.least : reach.most) += stride * (count - 1) * size;
    return true;
  };
  base::require(extends(m.row_stride, m.rows) && extends(m.column_stride, m.columns) && extends(m.batch_stride, batch),
                "papilio::transpose: {} has {} rows x {} columns with strides {} and {}, {} times at a distance of {}: "
                "more than an address space holds",
                what, m.rows, m.columns, m.row_stride, m.column_stride, batch, m.batch_stride);
  return reach;
}

// Requires that no two elements of the output share memory, as far as strides show that:
// in ascending order, each stride must skip everything that the smaller ones reach.
void require_separate(const ElementMatrices& out, std::int64_t batch) {
  struct Dimension {
    std::int64_t stride, count;
  } dimensions[] = {{magnitude(out.row_stride), out.rows},
                    {magnitude(out.column_stride), out.columns},
                    {magnitude(out.batch_stride), batch}};
  std::sort(std::begin(dimensions), std::end(dimensions),
            [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  std::int64_t reach = 0;
  for (const Dimension& d : dimensions) {
    if (d.count <= 1) continue;
    base::require(
        d.stride > reach,
        "papilio::transpose: elements of out overlap: {} rows x {} columns with strides {} and {}, {} times at "
        "a distance of {}",
        out.rows, out.columns, out.row_stride, out.column_stride, batch, out.batch_stride);
    reach += d.stride * (d.count - 1);
  }
}

void check_call(const ElementMatrices& in, const ElementMatrices& out, std::int64_t size,
                const TransposeOptions& options) {
  execution::thread_count(options.threads);
  base::require(options.batch >= 0, "papilio::transpose: batch must be >= 0; got {}", options.batch);
  base::require(in.device == out.device, "papilio::transpose: in is on {}, the output on {}", in.device.name(),
                out.device.name());
  const Reach in_reach = require_matrices("in", in, size, options.batch);
  const Reach out_reach = require_matrices("out", out, size, options.batch);
  base::require(
      out.rows == in.columns && out.columns == in.rows,
      "papilio::transpose: out must have as many rows as in has columns, and the reverse; got {} x {} for {} x {}",
      out.rows, out.columns, in.rows, in.columns);
  if (in.rows == 0 || in.columns == 0 || options.batch == 0) return;
  require_separate(out, options.batch);
  const auto address = [](const ElementMatrices& m, std::int64_t offset) {
    return reinterpret_cast<std::uintptr_t>(m.data) + static_cast<std::uintptr_t>(offset);
  };
  base::require(address(out, out_reach.most) <= address(in, in_reach.least) ||
                    address(in, in_reach.most) <= address(out, out_reach.least),
                "papilio::transpose: out overlaps in, expected memory of its own");
}

}  // namespace

void detail::transpose_elements(const ElementMatrices& in, const ElementMatrices& out, std::int64_t size,
                                const TransposeOptions& options) {
  check_call(in, out, size, options);
  if (in.rows == 0 || in.columns == 0 || options.batch == 0) return;
  if (!in.device.is_cpu()) {
    return primitives::transpose_on_cuda(in, out, size, options.batch,
                                         {in.device, options.cuda_stream, nullptr, nullptr});
  }
  const TransposeBlock transpose_one = blocks_of_size[size - 1];
  const std::int64_t block_rows = base::ceil_div(in.rows, block), block_columns = base::ceil_div(in.columns, block);
  const std::int64_t blocks = block_rows * block_columns;
  const std::int64_t elements = std::min(in.rows, block) * std::min(in.columns, block);
  const std::int64_t grain = base::ceil_div(least_elements, elements);
  execution::parallel_for(blocks * options.batch, grain, options.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const std::int64_t matrix = b / blocks, i = b % blocks / block_columns * block, j = b % block_columns * block;
      const Bytes at{static_cast<const unsigned char*>(in.data) + matrix * in.batch_stride * size,
                     static_cast<unsigned char*>(const_cast<void*>(out.data)) + matrix * out.batch_stride * size,
                     in.row_stride * size,
                     in.column_stride * size,
                     out.row_stride * size,
                     out.column_stride * size};
      transpose_one(at, i, std::min(i + block, in.rows), j, std::min(j + block, in.columns));
    }
  });
}

}  // namespace papilio
