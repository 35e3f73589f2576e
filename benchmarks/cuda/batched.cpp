#include <algorithm>
#include <stdexcept>
#include <vector>

#include "cases.h"
#include "ceilings.h"
#include "device.h"
#include "papilio/half.h"
#include "papilio/sampling.h"
#include "weights.h"

namespace {

struct Shape {
  std::int64_t rows, categories;
};
const std::vector<Shape> shapes = {{1 << 20, 32}, {1 << 20, 128}, {262144, 1024}, {65536, 4096},
                                   {512, 131072}, {1, 131072},    {16, 131072},   {64, 131072}};

// A caller that draws again and again finds its rows in memory, not in the cache:
// launches take turns on enough matrices that none is still there.
constexpr std::int64_t rotated_bytes = std::int64_t{1} << 30;

template <class T>
class Rows {
 public:
  explicit Rows(Shape shape)
      : shape_(shape),
        copies_(std::max<std::int64_t>(2, rotated_bytes / bytes())),
        weights_(copies_ * entries()),
        drawn_(shape.rows),
        workspace_(papilio::sample_workspace_bytes(weights(0))) {
    fill_weights(weights_.data(), copies_ * shape.rows, shape.categories, 1);
  }

  std::int64_t entries() const { return shape_.rows * shape_.categories; }
  std::int64_t bytes() const { return entries() * static_cast<std::int64_t>(sizeof(T)); }
  const T* matrix(int turn) const { return weights_.data() + turn % copies_ * entries(); }

  void draw(int turn, bool check_negative) {
    papilio::SampleOptions options = {.seed = 1, .check_negative = check_negative, .cuda_stream = stream()};
    options.workspace = workspace_.view();
    papilio::sample_categorical(weights(turn), drawn_.view(), options);
  }

  // Throws unless all draws have a positive weight and a picked few are those of the CPU.
  void verify(bool check_negative) {
    draw(0, check_negative);
    const std::int64_t bad = bad_dense_draws(matrix(0), shape_.rows, shape_.categories, drawn_.data());
    if (bad != 0) throw std::runtime_error(std::to_string(bad) + " draws out of range or of weight 0");
    const std::int64_t picks = std::min<std::int64_t>(64, shape_.rows);
    std::vector<T> weights;
    std::vector<std::int64_t> ids;
    std::vector<std::int32_t> found;
    for (std::int64_t i = 0; i < picks; ++i) {
      ids.push_back((i * 2654435761) % shape_.rows);
      const auto row = weights_.to_host(ids.back() * shape_.categories, shape_.categories);
      weights.insert(weights.end(), row.begin(), row.end());
      found.push_back(drawn_.to_host(ids.back(), 1)[0]);
    }
    std::vector<std::int32_t> expected(found.size());
    papilio::sample_categorical(papilio::MatrixWeights<T>{{weights.data(), picks, shape_.categories}}, expected,
                                {.seed = 1, .row_ids = ids});
    if (found != expected) throw std::runtime_error("draws differ from the CPU's");
  }

 private:
  papilio::MatrixWeights<T> weights(int turn) const {
    return {{matrix(turn), shape_.rows, shape_.categories, shape_.categories, 1, device()}};
  }

  Shape shape_;
  std::int64_t copies_;
  DeviceVector<T> weights_;
  DeviceVector<std::int32_t> drawn_;
  DeviceVector<std::byte> workspace_;
};

Record row_record(Shape shape, const char* type, const char* method) {
  Record record("batched");
  record.set("rows", shape.rows).set("categories", shape.categories).set("type", type).set("method", method);
  return record;
}

void add_times(Record& record, const Timing& timing, std::int64_t bytes) {
  record.set("ms", timing.median_ms)
      .set("ms_best", timing.best_ms)
      .set("launches", timing.launches)
      .set("bytes", bytes)
      .set("bytes_per_second", static_cast<double>(bytes) / timing.median_ms * 1e3);
}

template <class T>
void measure_shape(Report& report, Shape shape, const char* type, double read_roof) {
  Rows<T> rows(shape);
  DeviceVector<std::uint32_t> sink(1);
  Record read = row_record(shape, type, "read only");
  const FastestRead fastest =
      fastest_read([&](int turn) { return static_cast<const void*>(rows.matrix(turn)); }, rows.bytes(), sink.data());
  add_times(read, fastest.timing, rows.bytes());
  report.add(read.set("way", fastest.way));
  if (!fastest.wrong.empty()) report.fail(row_record(shape, type, "read only"), "wrong words: " + fastest.wrong);
  for (const bool check_negative : {true, false}) {
    Record record = row_record(shape, type, "papilio").set("check_negative", check_negative);
    try {
      rows.verify(check_negative);
      const Timing timing = time_launches([&](int turn) { rows.draw(turn, check_negative); });
      add_times(record, timing, rows.bytes() + 4 * shape.rows);
      if (read_roof > 0)
        record.set("of_read_roof", static_cast<double>(rows.bytes()) / timing.median_ms * 1e3 / read_roof);
      report.add(record);
    } catch (const std::exception& e) {
      report.fail(record, e.what());
    }
  }
}

}  // namespace

double measure_ceilings(Report& report, bool quick) {
  const std::int64_t bytes = std::int64_t{quick ? 1 : 4} << 30;
  DeviceVector<float> from(bytes / 4), to(bytes / 4);
  DeviceVector<std::uint32_t> sink(1);
  fill_weights(from.data(), bytes / 4096, 1024, 1);
  const auto ceiling = [](const char* name, std::int64_t moved, const Timing& timing) {
    Record record("ceiling");
    record.set("name", name);
    add_times(record, timing, moved);
    return record;
  };
  report.add(ceiling("copy", 2 * bytes, time_launches([&](int) { queue_copy(to.data(), from.data(), bytes); })));
  const FastestRead read = fastest_read([&](int) { return from.data(); }, bytes, sink.data());
  report.add(ceiling("read", bytes, read.timing).set("way", read.way));
  if (!read.wrong.empty()) report.fail(Record("ceiling").set("name", "read"), "wrong words: " + read.wrong);
  for (const std::int64_t row_bytes : {4096, 1024, 512})
    for (const std::int64_t megabytes : {16, 48, 64, 96, 153, 256, 611}) {
      const std::int64_t rows = megabytes * 1'000'000 / row_bytes, count = std::int64_t{8} << 30 >> 12;
      Record record =
          ceiling("random rows", count * row_bytes,
                  time_launches([&](int) { queue_random_rows(from.data(), row_bytes, rows, count, sink.data()); }));
      report.add(record.set("row_bytes", row_bytes).set("footprint_bytes", rows * row_bytes));
    }
  report.save();
  return static_cast<double>(bytes) / read.timing.median_ms * 1e3;
}

void measure_batched(Report& report, double read_roof, bool quick) {
  for (const Shape shape : shapes) {
    const std::string name = "batched " + std::to_string(shape.rows) + " x " + std::to_string(shape.categories);
    if (report.stop(name)) return;
    try {
      measure_shape<float>(report, shape, "float", read_roof);
      if (!quick) {
        measure_shape<papilio::BFloat16>(report, shape, "bfloat16", read_roof);
        measure_shape<papilio::Float8E4M3FN>(report, shape, "float8_e4m3fn", read_roof);
        measure_shape<papilio::Float8E5M2>(report, shape, "float8_e5m2", read_roof);
        measure_shape<double>(report, shape, "double", read_roof);
      }
    } catch (const std::exception& e) {
      report.fail(Record(name), e.what());
    }
    report.save();
  }
}
