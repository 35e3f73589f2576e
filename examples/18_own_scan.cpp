// The steps of a block of threads on a CPU. 18_own_scan.cu scans 256 maps x -> a + b x at a time with eight warps of a
// GPU; here eight scalar warps of 32 lanes perform the same steps one after the other and give the same bits. This is
// useful for testing kernels of your own; to scan on a CPU, use papilio::scan_with.
//
// Uses the kernel headers, which are unstable before 1.0.

#include <papilio/collective/scan.h>
#include <papilio/warp/scalar_warp.h>

#include "support/recurrence.h"

namespace {

namespace collective = papilio::collective;
using Warp = papilio::warp::ScalarWarp<32>;
using Map = collective::AffineMap<float>;
using Run = collective::RunEnd<Map>;

constexpr int warps = 8;
constexpr std::int64_t block = warps * Warp::width;

}  // namespace

int main() {
  const Observations o = observations();
  std::vector<float> result(count);
  const collective::Compose compose;
  const collective::JoinRuns<collective::Compose> join = {compose};
  collective::BlockTotals<Map, warps> shared;
  Run before = {{0, 1}, 0};
  for (std::int64_t first = 0; first < count; first += block) {
    Warp::Lanes<Map> scanned[warps];
    Warp::Mask head[warps];
    for (int w = 0; w < warps; ++w) {  // the first step of all warps; then they meet
      Warp::Lanes<Map> map;
      for (int l = 0; l < Warp::width; ++l) {
        const auto i = static_cast<std::size_t>(first + w * Warp::width + l);
        map.at[l] = i < count ? Map{o.shift[i], o.factor[i]} : Map{0, 1};
        head[w].at[l] = i < count && o.begins[i] != 0;
      }
      scanned[w] = collective::begin_segmented_scan<Warp, Map>(shared, w, map, head[w], compose);
    }
    Run total = before;
    for (int w = 0; w < warps; ++w) {
      const auto end = collective::end_segmented_scan<Warp, Map>(shared, w, scanned[w], head[w], compose);
      for (int l = 0; l < Warp::width; ++l) {
        const auto i = static_cast<std::size_t>(first + w * Warp::width + l);
        if (i < count) result[i] = join(before, end.value.at[l]).value(0.0f);
      }
      total = join(before, end.total.at[0]);
    }
    before = total;
  }
  print_averages(o, result);
}
