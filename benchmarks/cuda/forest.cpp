#include <algorithm>
#include <chrono>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "cases.h"
#include "device.h"
#include "papilio/dynamic.h"
#include "papilio/sampling.h"
#include "weights.h"

namespace {

struct Shape {
  std::int64_t rows, categories;
};

// A single large tree, and forests of middle and of small trees.
const std::vector<Shape> shapes = {{1, 1'000'000}, {1000, 1000}, {100'000, 100}, {1 << 20, 64}};

// Draws that read whole rows are measured up to this many bytes a call.
constexpr double most_bytes_read = 32e9;

template <class T>
std::vector<T> random_places(std::int64_t count, std::int64_t below, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> places(static_cast<std::size_t>(count));
  for (T& place : places) place = static_cast<T>(generator() % static_cast<std::uint64_t>(below));
  return places;
}

std::vector<double> random_weights(std::int64_t count) {
  std::mt19937_64 generator(3);
  std::vector<double> weights(static_cast<std::size_t>(count));
  for (double& weight : weights) weight = static_cast<double>(generator() % 1000) / 16;
  return weights;
}

// A batch of updates of random places, and one of draws from random rows.
class Batch {
 public:
  Batch(const papilio::DynamicForest& forest, std::int64_t count)
      : rows_(random_places<std::int64_t>(count, forest.rows(), 1)),
        categories_(random_places<std::int64_t>(count, forest.categories(), 2)),
        weights_(random_weights(count)),
        rows_there_(rows_),
        picked_(std::vector<std::int32_t>(rows_.begin(), rows_.end())),
        categories_there_(categories_),
        weights_there_(weights_),
        status_(count),
        drawn_(count),
        workspace_(forest.update_workspace_bytes(count)) {}

  void update(papilio::DynamicForest& forest) {
    forest.set(rows_there_.view(), categories_there_.view(), weights_there_.view(),
               {.status = status_.view(), .cuda_stream = stream(), .workspace = workspace_.view()});
  }
  void draw(const papilio::DynamicForest& forest) {
    forest.sample(rows_there_.view(), drawn_.view(), {.seed = 1, .cuda_stream = stream()});
  }

  // What one does without trees: reads each row that is drawn from.
  void draw_by_reading(const double* matrix, Shape shape) {
    const papilio::MatrixWeights<double> weights = {
        {matrix, shape.rows, shape.categories, shape.categories, 1, device()}, picked_.view()};
    if (row_workspace_.size() == 0) row_workspace_ = DeviceVector<std::byte>(papilio::sample_workspace_bytes(weights));
    papilio::sample_categorical(weights, drawn_.view(),
                                {.seed = 1, .cuda_stream = stream(), .workspace = row_workspace_.view()});
  }

  // Throws unless the draws after the updates are those of the CPU.
  void verify(papilio::DynamicForest& forest, papilio::DynamicForest& here) {
    update(forest);
    draw(forest);
    here.set(rows_, categories_, weights_);
    std::vector<std::int32_t> expected(rows_.size());
    here.sample(rows_, expected, {.seed = 1});
    if (drawn_.to_host(0, drawn_.size()) != expected) throw std::runtime_error("draws differ from the CPU's");
  }

 private:
  std::vector<std::int64_t> rows_, categories_;
  std::vector<double> weights_;
  DeviceVector<std::int64_t> rows_there_;
  DeviceVector<std::int32_t> picked_;
  DeviceVector<std::int64_t> categories_there_;
  DeviceVector<double> weights_there_;
  DeviceVector<papilio::DrawStatus> status_;
  DeviceVector<std::int32_t> drawn_;
  DeviceVector<std::byte> workspace_, row_workspace_;
};

void add(Report& report, Shape shape, std::int64_t count, const char* what, const Timing& timing) {
  report.add(Record("forest")
                 .set("rows", shape.rows)
                 .set("categories", shape.categories)
                 .set("batch", count)
                 .set("what", what)
                 .set("ms", timing.median_ms)
                 .set("ms_best", timing.best_ms)
                 .set("launches", timing.launches)
                 .set("per_second", static_cast<double>(count) / timing.median_ms * 1e3));
}

// By the host's clock: the call waits.
Timing time_making(const papilio::MatrixView<const double>& weights) {
  std::vector<double> ms;
  for (int i = 0; i < 7; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const papilio::DynamicForest forest(weights, stream());
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(ms.begin(), ms.end());
  return {.median_ms = ms[ms.size() / 2], .best_ms = ms.front(), .launches = static_cast<int>(ms.size())};
}

void measure_shape(Report& report, Shape shape, bool quick) {
  DeviceVector<double> matrix(shape.rows * shape.categories);
  fill_weights(matrix.data(), shape.rows, shape.categories, 1);
  const papilio::MatrixView<const double> there(matrix.data(), shape.rows, shape.categories, shape.categories, 1,
                                                device());
  papilio::DynamicForest forest(there, stream());
  const std::vector<double> weights = matrix.to_host(0, matrix.size());
  papilio::DynamicForest here(papilio::MatrixView<const double>(weights.data(), shape.rows, shape.categories));
  add(report, shape, matrix.size(), "making a forest", time_making(there));
  for (const std::int64_t count :
       quick ? std::vector<std::int64_t>{100'000} : std::vector<std::int64_t>{1000, 100'000, 1'000'000}) {
    Batch batch(forest, count);
    batch.verify(forest, here);
    add(report, shape, count, "updates", time_launches([&](int) { batch.update(forest); }));
    add(report, shape, count, "draws", time_launches([&](int) { batch.draw(forest); }));
    if (static_cast<double>(count * shape.categories) * sizeof(double) > most_bytes_read) continue;
    add(report, shape, count, "draws that read the row",
        time_launches([&](int) { batch.draw_by_reading(matrix.data(), shape); }));
  }
}

}  // namespace

void measure_forest(Report& report, bool quick) {
  for (const Shape& shape : shapes) {
    const std::string name = std::to_string(shape.rows) + " x " + std::to_string(shape.categories);
    if (report.stop("forest, " + name)) return;
    try {
      measure_shape(report, shape, quick);
    } catch (const std::exception& e) {
      report.fail(Record("forest").set("rows", shape.rows).set("categories", shape.categories), e.what());
    }
    report.save();
  }
}
