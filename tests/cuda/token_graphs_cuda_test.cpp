// Draws of tokens in CUDA graphs: a decoder captures a step once and replays it with other logits and positions. What a
// replay draws is what the CPU draws, whatever was drawn before.

#include <cuda_runtime_api.h>

#include <string>

#include "cuda/problems.h"
#include "execution/cuda/check.h"
#include "execution/cuda/code_for_90.h"
#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"

namespace papilio::testing {
namespace {

using execution::check;

constexpr std::int64_t room = 40;

struct Asked {
  std::string what;
  std::int32_t top_k;
  float top_p, min_p;
  bool with_lists, with_ranks;  // kernels that draw on chip, and those for any row
  std::int64_t rows = 5;
  bool with_mask = false, with_own_filters = false;
};

std::size_t at(std::int64_t n) { return static_cast<std::size_t>(n); }

// One step: what it reads, and what it says.
struct Step {
  std::vector<float> logits, temperature;
  std::vector<std::int64_t> positions;
  std::vector<std::int32_t> top_k;
  std::vector<std::uint32_t> allowed;
  std::vector<std::int32_t> tokens, ranks, kept;
  std::vector<float> logs;
  std::vector<TokenStatus> status;

  static std::int64_t words_of(std::int64_t categories) { return (categories + 31) / 32; }

  Step(std::int64_t rows, std::int64_t categories, std::uint64_t seed)
      : tokens(at(rows), 7),
        ranks(at(rows), 7),
        kept(at(rows * room), 7),
        logs(at(rows), 7),
        status(at(rows), TokenStatus::bad_draft) {
    std::mt19937_64 bits(seed);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (const float x : random_row(bits, categories)) logits.push_back(x);
      positions.push_back(pick(bits, 100000));
      temperature.push_back(pick(bits, 4) == 0 ? 0.0f : 0.7f);
      top_k.push_back(static_cast<std::int32_t>(pick(bits, 2) == 0 ? pick(bits, 150) : pick(bits, 65)));
      for (std::int64_t word = 0; word < words_of(categories); ++word)
        allowed.push_back(static_cast<std::uint32_t>(bits()));
    }
  }
};

class TokenGraph {
 public:
  TokenGraph(const Asked& asked, std::int64_t categories)
      : asked_(asked), rows_(asked.rows), categories_(categories), there_(rows_, categories) {}

  void queue(cudaStream_t stream) { draw(there_, Device::cuda(), stream); }

  // Reads other logits, positions and masks from now on.
  void feed(const Step& step, const execution::Stream& stream) {
    there_.logits.upload(step.logits.data(), rows_ * categories_, stream.get());
    there_.positions.upload(step.positions.data(), rows_, stream.get());
    there_.temperature.upload(step.temperature.data(), rows_, stream.get());
    there_.top_k.upload(step.top_k.data(), rows_, stream.get());
    there_.allowed.upload(step.allowed.data(), there_.allowed.size(), stream.get());
  }

  void expect_drawn(Step step, const execution::Stream& stream) {
    draw_on_host(step);
    const auto same = [&](auto& there, const auto& here, const char* what) {
      std::vector<typename std::decay_t<decltype(here)>::value_type> found(here.size());
      there.download(found.data(), static_cast<std::int64_t>(found.size()), stream.get());
      stream.wait();
      EXPECT_TRUE(same_bytes(found, here, what))
          << asked_.what << ", " << categories_ << " categories" << (asked_.with_mask ? ", masked" : "");
    };
    same(there_.tokens, step.tokens, "the token");
    same(there_.logs, step.logs, "the log probability");
    same(there_.status, step.status, "the status");
    if (asked_.with_ranks) same(there_.ranks, step.ranks, "the rank");
    if (asked_.with_lists) same(there_.kept, step.kept, "the kept set");
  }

 private:
  struct There {
    There(std::int64_t rows, std::int64_t categories)
        : logits(rows * categories, "logits"),
          logs(rows, "logarithms"),
          temperature(rows, "temperatures"),
          positions(rows, "positions"),
          allowed(rows * Step::words_of(categories), "masks"),
          tokens(rows, "tokens"),
          ranks(rows, "ranks"),
          kept(rows * room, "kept"),
          top_k(rows, "top_k"),
          status(rows, "statuses") {}

    execution::DeviceArray<float> logits, logs, temperature;
    execution::DeviceArray<std::int64_t> positions;
    execution::DeviceArray<std::uint32_t> allowed;
    execution::DeviceArray<std::int32_t> tokens, ranks, kept, top_k;
    execution::DeviceArray<TokenStatus> status;
  };

  template <class From>
  TokenFilters filters(const From& from, Device device) const {
    TokenFilters filters;
    filters.temperature = 0.7f;
    filters.top_k = asked_.top_k;
    filters.top_p = asked_.top_p;
    filters.min_p = asked_.min_p;
    const std::int64_t words = Step::words_of(categories_);
    if (asked_.with_mask) filters.allowed = {from.allowed.data(), rows_, words, words, 1, device};
    if (asked_.with_own_filters) {
      filters.temperature.values = {from.temperature.data(), rows_, device};
      filters.top_k.values = {from.top_k.data(), rows_, device};
    }
    return filters;
  }

  void draw(There& to, Device device, cudaStream_t stream) {
    TokenResults results = {.tokens = {to.tokens.data(), rows_, device}};
    results.log_probabilities = {to.logs.data(), rows_, device};
    results.status = {to.status.data(), rows_, device};
    if (asked_.with_ranks) results.ranks = {to.ranks.data(), rows_, device};
    if (asked_.with_lists) results.kept_categories = {to.kept.data(), rows_, room, room, 1, device};
    TokenOptions options = {.seed = 3};
    options.positions = {to.positions.data(), rows_, device};
    options.cuda_stream = stream;
    sample_tokens(MatrixView<const float>{to.logits.data(), rows_, categories_, categories_, 1, device}, results,
                  filters(to, device), options);
  }

  void draw_on_host(Step& step) const {
    TokenResults results = {.tokens = step.tokens};
    results.log_probabilities = step.logs;
    results.status = step.status;
    results.ranks = step.ranks;
    results.kept_categories = {step.kept.data(), rows_, room};
    TokenOptions options = {.seed = 3};
    options.positions = step.positions;
    sample_tokens(MatrixView<const float>(step.logits.data(), rows_, categories_), results,
                  filters(step, Device::cpu()), options);
  }

  Asked asked_;
  std::int64_t rows_, categories_;
  There there_;
};

cudaGraph_t captured(TokenGraph& drawn, const execution::Stream& stream) {
  drawn.queue(stream.get());  // so that the kernels are loaded
  stream.wait();
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), "beginning a capture");
  drawn.queue(stream.get());
  check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
  return graph;
}

// Captures a call once and replays it with other steps.
void expect_replays(const Asked& asked, std::int64_t categories) {
  const Step steps[] = {Step(asked.rows, categories, 1), Step(asked.rows, categories, 2),
                        Step(asked.rows, categories, 3)};
  const execution::Stream stream;
  TokenGraph drawn(asked, categories);
  drawn.feed(steps[0], stream);
  cudaGraph_t graph = captured(drawn, stream);
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph, 0), "instantiating a graph");
  for (const int step : {1, 2, 0, 2}) {
    drawn.feed(steps[step], stream);
    check(cudaGraphLaunch(ready, stream.get()), "launching a graph");
    stream.wait();
    drawn.expect_drawn(steps[step], stream);
  }
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

// How many kernels a call launches.
std::size_t kernels_of(const Asked& asked, std::int64_t categories) {
  const execution::Stream stream;
  TokenGraph drawn(asked, categories);
  drawn.feed(Step(asked.rows, categories, 1), stream);
  cudaGraph_t graph = captured(drawn, stream);
  std::size_t kernels = 0;
  check(cudaGraphGetNodes(graph, nullptr, &kernels), "counting kernels");
  cudaGraphDestroy(graph);
  return kernels;
}

class CudaTokenGraphs : public CudaTest {};

TEST_F(CudaTokenGraphs, ReplaysDrawFromWhatIsThereNow) {
  const Asked calls[] = {{"the first few", 20, 0.9f, 0, true, false}, {"no filter", 0, 1, 0, false, false},
                         {"min_p", 0, 1, 0.05f, false, false},        {"top_p", 0, 0.9f, 0, true, false},
                         {"many of top_k", 2000, 1, 0, true, false},  {"any row", 0, 0.9f, 0, true, true}};
  for (const std::int64_t categories : {100, 5003, 131072})
    for (const Asked& asked : calls) expect_replays(asked, categories);
}

// So many rows are drawn from near the largest logit first, and what is left over by kernels that begin early.
TEST_F(CudaTokenGraphs, KernelsThatBeginEarly) {
  for (const std::int64_t categories : {5003, 20000})
    for (const bool with_mask : {false, true})
      expect_replays({"near the largest", 0, 0.9f, 0, true, false, 200, with_mask}, categories);
}

// Each step has other filters, so other kernels have the rows.
TEST_F(CudaTokenGraphs, OwnFiltersOfEachStep) {
  for (const std::int64_t rows : {1, 8, 60, 200})
    for (const std::int64_t categories : {5003, 20000})
      for (const bool with_mask : {false, true})
        expect_replays({"own filters", 0, 0.9f, 0, true, false, rows, with_mask, true}, categories);
}

// From few rows one kernel draws, whatever their filters are: with more, those that find no rows would take time.
TEST_F(CudaTokenGraphs, OneKernelForFewRows) {
  if (!execution::runs_code_for_90()) GTEST_SKIP() << "needs clusters of blocks (compute capability 9.0)";
  if (execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) < 227 * 1024 ||
      execution::multiprocessors() < 120)
    GTEST_SKIP() << "needs blocks of 227 KiB, and room for 20 clusters of four";
  for (const bool with_mask : {false, true})
    for (const std::int64_t rows : {1, 9, 20}) {
      EXPECT_EQ(kernels_of({"own filters", 0, 0.9f, 0, true, false, rows, with_mask, true}, 40000), 1) << rows;
      EXPECT_EQ(kernels_of({"top_p", 0, 0.9f, 0, true, false, rows, with_mask}, 40000), 1) << rows;
    }
  EXPECT_GT(kernels_of({"own filters", 0, 0.9f, 0, true, false, 60, false, true}, 40000), 1);
}

}  // namespace
}  // namespace papilio::testing
