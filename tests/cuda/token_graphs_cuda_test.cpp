// Draws of tokens in CUDA graphs: a decoder captures a step once and replays it with other logits and positions. What a
// replay draws is what the CPU draws, whatever was drawn before.

#include <cuda_runtime_api.h>

#include <string>

#include "cuda/problems.h"
#include "execution/cuda/check.h"
#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"

namespace papilio::testing {
namespace {

using execution::check;

constexpr std::int64_t rows = 5, room = 40;

struct Asked {
  std::string what;
  std::int32_t top_k;
  float top_p, min_p;
  bool with_lists, with_ranks;  // kernels that draw on chip, and those for any row
};

// One step: what it reads, and what it says.
struct Step {
  std::vector<float> logits;
  std::vector<std::int64_t> positions;
  std::vector<std::int32_t> tokens, ranks, kept;
  std::vector<float> logs;
  std::vector<TokenStatus> status;

  Step(std::int64_t categories, std::uint64_t seed)
      : tokens(rows, 7), ranks(rows, 7), kept(rows * room, 7), logs(rows, 7), status(rows, TokenStatus::bad_draft) {
    std::mt19937_64 bits(seed);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (const float x : random_row(bits, categories)) logits.push_back(x);
      positions.push_back(pick(bits, 100000));
    }
  }
};

class TokenGraph {
 public:
  TokenGraph(const Asked& asked, std::int64_t categories) : asked_(asked), categories_(categories) {}

  void queue(cudaStream_t stream) { draw(there_, Device::cuda(), stream); }

  // Reads other logits and positions from now on.
  void feed(const Step& step, const execution::Stream& stream) {
    there_.logits.upload(step.logits.data(), rows * categories_, stream.get());
    there_.positions.upload(step.positions.data(), rows, stream.get());
  }

  void expect_drawn(Step step, const execution::Stream& stream) {
    draw_on_host(step);
    const auto same = [&](auto& there, const auto& here, const char* what) {
      std::vector<typename std::decay_t<decltype(here)>::value_type> found(here.size());
      there.download(found.data(), static_cast<std::int64_t>(found.size()), stream.get());
      stream.wait();
      EXPECT_TRUE(same_bytes(found, here, what)) << asked_.what << ", " << categories_ << " categories";
    };
    same(there_.tokens, step.tokens, "the token");
    same(there_.logs, step.logs, "the log probability");
    same(there_.status, step.status, "the status");
    if (asked_.with_ranks) same(there_.ranks, step.ranks, "the rank");
    if (asked_.with_lists) same(there_.kept, step.kept, "the kept set");
  }

  TokenFilters filters() const {
    TokenFilters filters;
    filters.temperature = 0.7f;
    filters.top_k = asked_.top_k;
    filters.top_p = asked_.top_p;
    filters.min_p = asked_.min_p;
    return filters;
  }

 private:
  struct There {
    explicit There(std::int64_t categories) : logits(rows * categories, "logits") {}

    execution::DeviceArray<float> logits, logs{rows, "logarithms"};
    execution::DeviceArray<std::int64_t> positions{rows, "positions"};
    execution::DeviceArray<std::int32_t> tokens{rows, "tokens"}, ranks{rows, "ranks"}, kept{rows * room, "kept"};
    execution::DeviceArray<TokenStatus> status{rows, "statuses"};
  };

  void draw(There& to, Device device, cudaStream_t stream) {
    TokenResults results = {.tokens = {to.tokens.data(), rows, device}};
    results.log_probabilities = {to.logs.data(), rows, device};
    results.status = {to.status.data(), rows, device};
    if (asked_.with_ranks) results.ranks = {to.ranks.data(), rows, device};
    if (asked_.with_lists) results.kept_categories = {to.kept.data(), rows, room, room, 1, device};
    TokenOptions options = {.seed = 3};
    options.positions = {to.positions.data(), rows, device};
    options.cuda_stream = stream;
    sample_tokens(MatrixView<const float>{to.logits.data(), rows, categories_, categories_, 1, device}, results,
                  filters(), options);
  }

  void draw_on_host(Step& step) const {
    TokenResults results = {.tokens = step.tokens};
    results.log_probabilities = step.logs;
    results.status = step.status;
    results.ranks = step.ranks;
    results.kept_categories = {step.kept.data(), rows, room};
    TokenOptions options = {.seed = 3};
    options.positions = step.positions;
    sample_tokens(MatrixView<const float>(step.logits.data(), rows, categories_), results, filters(), options);
  }

  Asked asked_;
  std::int64_t categories_;
  There there_{categories_};
};

class CudaTokenGraphs : public CudaTest {};

TEST_F(CudaTokenGraphs, ReplaysDrawFromWhatIsThereNow) {
  const Asked calls[] = {{"the first few", 20, 0.9f, 0, true, false}, {"no filter", 0, 1, 0, false, false},
                         {"min_p", 0, 1, 0.05f, false, false},        {"top_p", 0, 0.9f, 0, true, false},
                         {"many of top_k", 2000, 1, 0, true, false},  {"any row", 0, 0.9f, 0, true, true}};
  for (const std::int64_t categories : {100, 5003, 131072})
    for (const Asked& asked : calls) {
      const Step steps[] = {Step(categories, 1), Step(categories, 2), Step(categories, 3)};
      const execution::Stream stream;
      TokenGraph drawn(asked, categories);
      drawn.feed(steps[0], stream);
      drawn.queue(stream.get());  // so that the kernels are loaded
      stream.wait();
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t ready = nullptr;
      check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), "beginning a capture");
      drawn.queue(stream.get());
      check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
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
}

}  // namespace
}  // namespace papilio::testing
