// The kernel that draws from the first few categories of floats on devices with little shared memory, launched on any
// device: it takes exactly its rows, and says of them what the CPU says.

#include "cuda/token_calls.h"
#include "sampling/tokens/first/search_first_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::testing {
namespace {

using namespace sampling_kernel;
using sampling::DevicePerRow;
using sampling::TokenCall;

using CudaSearchFirst = CudaTest;

constexpr std::int32_t most = 1024;

// Filters per row, logits and results as `on` has them.
TokenCall call_of(TokenRows<float>& rows, Said& said, DeviceArrays& on) {
  TokenCall call = {};
  call.logits = on(rows.logits).data;
  call.rows = rows.rows;
  call.categories = call.row_stride = rows.categories;
  call.column_stride = 1;
  call.temperature = {0, on(rows.temperature).data};
  call.top_k = {0, on(rows.top_k).data};
  call.top_p = {0, on(rows.top_p).data};
  call.min_p = {0, on(rows.min_p).data};
  call.joint = rows.joint;
  if (!rows.allowed.empty()) call.allowed = on(rows.allowed).data;
  call.allowed_stride = (rows.categories + 31) / 32;
  const TokenOptions options = options_of_tests();
  call.seed = options.seed;
  call.stream = options.stream;
  call.seeds = on(rows.seeds).data;
  call.positions = on(rows.positions).data;
  call.tokens = on(said.tokens).data;
  call.log_probabilities = on(said.logs).data;
  call.ranks = on(said.ranks).data;
  call.kept_counts = on(said.counts).data;
  if (rows.masses) call.kept_masses = on(said.masses).data;
  call.status = on(said.status).data;
  call.kept_categories = on(said.kept).data;
  call.kept_logs = on(said.kept_logs).data;
  call.room = call.kept_stride = call.kept_logs_stride = rows.room;
  call.few = most;
  return call;
}

// What a call says if only some rows are drawn from.
template <class T>
void keep_rows(std::vector<T>& said, const std::vector<T>& unsaid, const std::vector<bool>& drawn) {
  const std::size_t each = said.size() / drawn.size();
  for (std::size_t i = 0; i < said.size(); ++i)
    if (!drawn[i / each]) said[i] = unsaid[i];
}

void expect_drawn(TokenRows<float> rows) {
  Said host = said_by_host(rows), device(rows);
  const Said unsaid = device;
  std::vector<bool> drawn;
  {
    DeviceArrays on(0);
    const TokenCall call = call_of(rows, device, on);
    for (std::size_t row = 0; row < rows.top_k.size(); ++row)
      drawn.push_back(way_of(call, {rows.temperature[row], rows.top_k[row], rows.top_p[row], rows.min_p[row]}) ==
                      TokenWay::few);
    const sampling::TokenShape shape = sampling::slice_shape(rows.rows, rows.categories, sizeof(SliceMemory));
    ASSERT_FALSE(shape.staged) << "rows that fit on chip";
    sampling::launch_on_rows(search_first_tokens<float>, sampling::shaped(call, shape), rows.rows, shape, slice_threads,
                             nullptr, "this test");
    on.fetch();
  }
  ASSERT_NE(std::count(drawn.begin(), drawn.end(), true), 0);
  keep_rows(host.tokens, unsaid.tokens, drawn);
  keep_rows(host.logs, unsaid.logs, drawn);
  keep_rows(host.ranks, unsaid.ranks, drawn);
  keep_rows(host.counts, unsaid.counts, drawn);
  keep_rows(host.status, unsaid.status, drawn);
  keep_rows(host.kept, unsaid.kept, drawn);
  keep_rows(host.kept_logs, unsaid.kept_logs, drawn);
  if (rows.masses) keep_rows(host.masses, unsaid.masses, drawn);
  host.raw = unsaid.raw;
  EXPECT_TRUE(same_said(device, host)) << rows.categories << " categories";
}

TEST_F(CudaSearchFirst, DrawsWhatTheCpuDraws) {
  for (const std::int64_t categories : {1, 2, 33, 1000, 20000})
    for (const bool masses : {false, true})
      for (const bool masked : {false, true}) {
        auto rows = random_rows<float>(120, categories, static_cast<std::uint64_t>(categories));
        rows.masses = masses;
        rows.temperature[0] = 0;  // one at least
        std::mt19937_64 bits(7);
        if (masked)
          for (std::int64_t word = 0; word < 120 * ((categories + 31) / 32); ++word)
            rows.allowed.push_back(static_cast<std::uint32_t>(bits()));
        expect_drawn(rows);
      }
}

}  // namespace
}  // namespace papilio::testing
