#include <algorithm>
#include <cstddef>

#include "execution/ranks/collectives.h"
#include "lda/model/count_histogram.h"

namespace papilio::lda {
namespace {

constexpr std::size_t numbers_at_once = std::size_t{1} << 20;

struct CountOfHistogram {
  std::int64_t histogram;
  std::int64_t n;
};

}  // namespace

void CountHistogram::add_up(std::span<CountHistogram> histograms, Communicator& ranks) {
  std::size_t width = 1;
  for (const CountHistogram& histogram : histograms) width = std::max(width, histogram.small_.size());
  for (const std::int64_t other : execution::gather_numbers(ranks, static_cast<std::int64_t>(width))) {
    width = std::max(width, static_cast<std::size_t>(other));
  }
  const std::size_t rows = std::max<std::size_t>(1, numbers_at_once / width);
  std::vector<std::int64_t> table;
  for (std::size_t first = 0; first < histograms.size(); first += rows) {
    const auto part = histograms.subspan(first, std::min(rows, histograms.size() - first));
    table.assign(part.size() * width, 0);
    for (std::size_t i = 0; i < part.size(); ++i) {
      std::copy(part[i].small_.begin(), part[i].small_.end(), table.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    ranks.add_up(table);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const auto row = table.begin() + static_cast<std::ptrdiff_t>(i * width);
      auto end = row + static_cast<std::ptrdiff_t>(width);
      while (end != row && end[-1] == 0) --end;  // as long as if all counts had been added here
      part[i].small_.assign(row, end);
    }
  }
  std::vector<CountOfHistogram> large;
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    for (const std::int64_t n : histograms[i].large_) large.push_back({static_cast<std::int64_t>(i), n});
    histograms[i].large_.clear();
  }
  for (const std::vector<std::byte>& bytes : execution::gather_everywhere(ranks, std::as_bytes(std::span(large)))) {
    const auto* counts = reinterpret_cast<const CountOfHistogram*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / sizeof(CountOfHistogram); ++i) {
      histograms[static_cast<std::size_t>(counts[i].histogram)].large_.push_back(counts[i].n);
    }
  }
}

}  // namespace papilio::lda
