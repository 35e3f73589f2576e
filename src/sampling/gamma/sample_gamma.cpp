#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "papilio/gamma.h"
#include "sampling/gamma/sample_gamma_cuda.h"
#include "sampling/rows/kernels.h"

namespace papilio {
namespace {

using base::require;

constexpr std::int64_t draws_per_task = std::int64_t{1} << 14;

void check_call(const MatrixView<const float>& shapes, const MatrixView<float>& drawn, const GammaOptions& options) {
  constexpr std::int64_t most_columns = std::numeric_limits<std::int32_t>::max();
  require(shapes.rows >= 0 && 0 <= shapes.columns && shapes.columns <= most_columns,
          "papilio::sample_gamma: shapes are {} x {}, expected 0 or more rows and 0 to 2^31 - 1 columns", shapes.rows,
          shapes.columns);
  execution::require_matrix("sample_gamma", "shapes", shapes);
  execution::require_matrix("sample_gamma", "drawn", drawn);
  execution::require_vector("sample_gamma", "row_ids", options.row_ids);
  require(drawn.rows == shapes.rows && drawn.columns == shapes.columns,
          "papilio::sample_gamma: drawn must be as large as shapes; got {} x {} for {} x {}", drawn.rows, drawn.columns,
          shapes.rows, shapes.columns);
  require(drawn.column_stride == 1 || drawn.columns <= 1,
          "papilio::sample_gamma: the columns of drawn must be adjacent; got column stride {}", drawn.column_stride);
  execution::require_separate_rows("sample_gamma", "drawn", drawn);
  require(drawn.device == shapes.device, "papilio::sample_gamma: drawn is on {}, shapes are on {}", drawn.device.name(),
          shapes.device.name());
  require(options.row_ids.empty() || options.row_ids.size == shapes.rows,
          "papilio::sample_gamma: row_ids must have one entry per row; got {} for {} rows", options.row_ids.size,
          shapes.rows);
  require(options.row_ids.empty() || options.row_ids.device == shapes.device,
          "papilio::sample_gamma: row_ids are on {}, shapes on {}", options.row_ids.device.name(),
          shapes.device.name());
  require(options.threads >= 0, "papilio::sample_gamma: threads must be >= 0; got {}", options.threads);
}

template <class T>
bool is_gapless(const MatrixView<T>& m) {
  return m.column_stride == 1 && m.row_stride == m.columns;
}

// Drawing in place is fine: a shape is read before its draw is written. Overlapping only a part of the array is not.
void check_apart(const MatrixView<const float>& shapes, const MatrixView<float>& drawn, const GammaOptions& options) {
  if (!is_gapless(drawn)) return;
  const VectorView<float> written(drawn.data, drawn.rows * drawn.columns, drawn.device);
  execution::require_apart("sample_gamma", "drawn", written, "row_ids", options.row_ids);
  if (!is_gapless(shapes) || shapes.data == drawn.data) return;
  execution::require_apart("sample_gamma", "drawn", written, "shapes",
                           VectorView<const float>(shapes.data, shapes.rows * shapes.columns, shapes.device));
}

bool is_shape(float shape) { return std::isnormal(shape) && shape > 0; }

// The shapes of a row, contiguous.
const float* shapes_of(const MatrixView<const float>& shapes, std::int64_t row, std::vector<float>& copy) {
  const float* first = shapes.data + row * shapes.row_stride;
  if (shapes.column_stride == 1) return first;
  copy.resize(static_cast<std::size_t>(shapes.columns));
  for (std::int64_t k = 0; k < shapes.columns; ++k) copy[static_cast<std::size_t>(k)] = first[k * shapes.column_stride];
  return copy.data();
}

[[noreturn]] void throw_bad_shape(const MatrixView<const float>& shapes, std::int64_t row) {
  std::vector<float> copy;
  const float* const first = shapes_of(shapes, row, copy);
  const float* const bad = std::find_if_not(first, first + shapes.columns, is_shape);
  throw InvalidArgument(
      fmt::format("papilio::sample_gamma: shapes must be positive normal numbers; row {}, column {} is {} ({} x {})",
                  row, bad - first, *bad, shapes.rows, shapes.columns));
}

void draw_on_cpu(const MatrixView<const float>& shapes, const MatrixView<float>& drawn, const GammaOptions& options) {
  const sampling::Kernels& kernels = sampling::kernels_in_use();
  const std::int64_t grain = std::max<std::int64_t>(1, draws_per_task / shapes.columns);
  std::atomic<std::int64_t> first_bad{shapes.rows};
  execution::parallel_for(shapes.rows, grain, options.threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> copy;
    for (std::int64_t i = begin; i < end; ++i) {
      const float* const shape = shapes_of(shapes, i, copy);
      if (!std::all_of(shape, shape + shapes.columns, is_shape)) {
        std::int64_t seen = first_bad.load();
        while (i < seen && !first_bad.compare_exchange_weak(seen, i)) {
        }
        return;
      }
      kernels.draw_gamma({.counts = nullptr,
                          .shape = shape,
                          .inverse = nullptr,
                          .count = shapes.columns,
                          .seed = options.seed,
                          .stream = options.stream,
                          .row = options.row_ids.empty() ? options.first_row_id + static_cast<std::uint64_t>(i)
                                                         : static_cast<std::uint64_t>(options.row_ids.data[i]),
                          .drawn = drawn.data + i * drawn.row_stride});
    }
  });
  if (first_bad < shapes.rows) throw_bad_shape(shapes, first_bad);
}

}  // namespace

void sample_gamma(MatrixView<const float> shapes, MatrixView<float> drawn, const GammaOptions& options) {
  check_call(shapes, drawn, options);
  check_apart(shapes, drawn, options);
  if (shapes.rows == 0 || shapes.columns == 0) return;
  if (shapes.device.is_cpu()) return draw_on_cpu(shapes, drawn, options);
  sampling::draw_gammas_on_cuda({.shapes = shapes.data,
                                 .shapes_row_stride = shapes.row_stride,
                                 .shapes_column_stride = shapes.column_stride,
                                 .drawn = drawn.data,
                                 .drawn_stride = drawn.row_stride,
                                 .rows = shapes.rows,
                                 .columns = static_cast<std::int32_t>(shapes.columns),
                                 .seed = options.seed,
                                 .stream = options.stream,
                                 .first_row_id = options.first_row_id,
                                 .row_ids = options.row_ids.data},
                                shapes.device, options.cuda_stream);
}

}  // namespace papilio
