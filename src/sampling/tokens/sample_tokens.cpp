#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "execution/cpu/parallel_for.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/tokens.h"
#include "sampling/tokens/check_tokens.h"
#include "sampling/tokens/token_law.h"
#include "sampling/tokens/token_row_draw.h"
#include "sampling/tokens/tokens_cuda.h"

namespace papilio {
namespace sampling {
namespace {

constexpr const char* function = "sample_tokens";
constexpr std::int64_t logits_per_task = std::int64_t{1} << 16;

template <class T>
void check_call(const MatrixView<const T>& logits, const TokenResults& results, const TokenFilters& filters,
                const TokenOptions& options) {
  const TokenChecks check(function, logits.device, logits.rows, logits.columns);
  check.logits(logits);
  check.filters(filters);
  check.needed("tokens", results.tokens, logits.rows);
  check.entries("log_probabilities", results.log_probabilities, logits.rows);
  check.entries("raw_log_probabilities", results.raw_log_probabilities, logits.rows);
  check.entries("ranks", results.ranks, logits.rows);
  check.entries("kept_counts", results.kept_counts, logits.rows);
  check.entries("kept_masses", results.kept_masses, logits.rows);
  check.entries("status", results.status, logits.rows);
  check.matrix("kept_categories", results.kept_categories, logits.rows);
  check.matrix("kept_log_probabilities", results.kept_log_probabilities, logits.rows);
  execution::require_separate_rows(function, "kept_categories", results.kept_categories);
  execution::require_separate_rows(function, "kept_log_probabilities", results.kept_log_probabilities);
  base::require(results.kept_log_probabilities.columns == 0 ||
                    results.kept_log_probabilities.columns == results.kept_categories.columns,
                "papilio::{}: kept_log_probabilities must have the shape of kept_categories; got {} columns for {}",
                function, results.kept_log_probabilities.columns, results.kept_categories.columns);
  check.entries("positions", options.positions, logits.rows);
  check.entries("seeds", options.seeds, logits.rows);
  using Checks = TokenChecks;
  const Checks::Extent written[] = {Checks::extent("tokens", results.tokens),
                                    Checks::extent("log_probabilities", results.log_probabilities),
                                    Checks::extent("raw_log_probabilities", results.raw_log_probabilities),
                                    Checks::extent("ranks", results.ranks),
                                    Checks::extent("kept_counts", results.kept_counts),
                                    Checks::extent("kept_masses", results.kept_masses),
                                    Checks::extent("status", results.status),
                                    Checks::extent("kept_categories", results.kept_categories),
                                    Checks::extent("kept_log_probabilities", results.kept_log_probabilities)};
  std::vector<Checks::Extent> read = Checks::extents(filters, options);
  read.push_back(Checks::extent("the matrix of logits", logits));
  check.apart(written, read);
}

// Writes the requested results of row i.
class RowResults {
 public:
  RowResults(const TokenResults& results, std::int64_t row) : results_(results), row_(row) {}

  template <class T, class Value>
  void put(const VectorView<T>& view, const Value& value) const {
    if (!view.empty()) view.data[row_] = static_cast<T>(value());
  }

  void none(TokenStatus status) const {
    const auto minus_one = [] { return -1; };
    const auto nan = [] { return std::numeric_limits<float>::quiet_NaN(); };
    put(results_.tokens, minus_one);
    put(results_.log_probabilities, nan);
    put(results_.raw_log_probabilities, nan);
    put(results_.ranks, minus_one);
    put(results_.kept_counts, minus_one);
    put(results_.kept_masses, nan);
    put(results_.status, [&] { return status; });
    put_kept({}, [](std::int64_t) { return 0.0f; });
  }

  void drawn(TokenRowDraw& draw, const TokenInput& input, std::uint64_t number) const {
    const std::int64_t token = draw.find(sampling_kernel::token_target(number, draw.total()));
    put(results_.tokens, [&] { return token; });
    put(results_.log_probabilities, [&] { return draw.log_probability(token); });
    put(results_.ranks, [&] { return draw.rank(token); });
    put(results_.kept_masses, [&] { return draw.kept_mass(); });
    put(results_.kept_counts, [&] { return draw.kept().size(); });
    if (results_.kept_categories.columns > 0)
      put_kept(draw.kept(), [&](std::int64_t category) { return draw.log_probability(category); });
    put(results_.status, [] { return TokenStatus::ok; });
    put(results_.raw_log_probabilities, [&] { return draw.raw_log_probability(input, token); });
  }

 private:
  template <class LogOf>
  void put_kept(std::span<const KeptToken> kept, const LogOf& log_of) const {
    const auto& categories = results_.kept_categories;
    const auto& logs = results_.kept_log_probabilities;
    for (std::int64_t n = 0; n < categories.columns; ++n) {
      const bool there = n < std::ssize(kept);
      const std::int64_t category = there ? kept[static_cast<std::size_t>(n)].category() : -1;
      categories.data[row_ * categories.row_stride + n] = static_cast<std::int32_t>(category);
      if (logs.columns == 0) continue;
      logs.data[row_ * logs.row_stride + n] = there ? log_of(category) : -std::numeric_limits<float>::infinity();
    }
  }

  const TokenResults& results_;
  std::int64_t row_;
};

template <class T>
[[noreturn]] void throw_bad_row(const MatrixView<const T>& logits, std::int64_t row, TokenStatus status,
                                const TokenFilter& f) {
  if (status == TokenStatus::bad_filter)
    throw InvalidArgument(
        fmt::format("papilio::{}: temperature must be 0 or in [2^-100, 2^100], top_k >= 0, top_p and min_p in [0, 1]; "
                    "row {} has temperature {}, top_k {}, top_p {}, min_p {}",
                    function, row, f.temperature, f.top_k, f.top_p, f.min_p));
  if (status == TokenStatus::bad_bias)
    throw InvalidArgument(fmt::format(
        "papilio::{}: the bias of a row must have offsets in range and ascending categories below {}; row {} has not",
        function, logits.columns, row));
  if (status == TokenStatus::nothing_allowed)
    throw InvalidArgument(
        fmt::format("papilio::{}: row {} has no allowed logit above -infinity, so there is nothing to draw ({} "
                    "categories)",
                    function, row, logits.columns));
  throw InvalidArgument(
      fmt::format("papilio::{}: allowed logits must not be NaN or +infinity; row {} has {} ({} rows x {} categories)",
                  function, row, status == TokenStatus::infinite ? "+infinity" : "NaN", logits.rows, logits.columns));
}

template <class T>
void run_on_cpu(const MatrixView<const T>& logits, const TokenResults& results, const TokenFilters& filters,
                const TokenOptions& options) {
  std::atomic<std::int64_t> first_bad{logits.rows};
  const std::int64_t grain = std::max<std::int64_t>(1, logits_per_task / std::max<std::int64_t>(logits.columns, 256));
  const auto status_of = [&](TokenRowDraw& draw, std::int64_t i, TokenInput& input) {
    return input_of_row(logits, filters, i, input) ? draw.read(input) : TokenStatus::bad_bias;
  };
  execution::parallel_for(logits.rows, grain, options.threads, [&](std::int64_t begin, std::int64_t end) {
    TokenRowDraw draw(logits.columns);
    for (std::int64_t i = begin; i < end; ++i) {
      TokenInput input;
      const TokenStatus status = status_of(draw, i, input);
      const RowResults row(results, i);
      if (status == TokenStatus::ok) {
        row.drawn(
            draw, input,
            sampling_kernel::token_numbers(seed_of_row(options, i), options.stream, position_of_row(options, i)).draw);
        continue;
      }
      row.none(status);
      std::int64_t seen = first_bad.load();
      while (i < seen && !first_bad.compare_exchange_weak(seen, i)) {
      }
    }
  });
  if (!results.status.empty() || first_bad == logits.rows) return;
  TokenRowDraw draw(logits.columns);
  TokenInput input;
  const TokenStatus status = status_of(draw, first_bad, input);
  throw_bad_row(logits, first_bad, status, filter_of_row(filters, first_bad));
}

template <class T>
void run(const MatrixView<const T>& logits, const TokenResults& results, const TokenFilters& filters,
         const TokenOptions& options) {
  check_call(logits, results, filters, options);
  execution::thread_count(options.threads);
  if (logits.rows == 0) return;
  if (logits.device.is_cpu()) return run_on_cpu(logits, results, filters, options);
  require_workspace(function, options, tokens_workspace_on_cuda(logits.rows, logits.columns, logits.device),
                    logits.device);
  sample_tokens_on_cuda(device_logits(logits), results, filters, options);
}

}  // namespace
}  // namespace sampling

void sample_tokens(MatrixView<const float> logits, const TokenResults& results, const TokenFilters& filters,
                   const TokenOptions& options) {
  sampling::run(logits, results, filters, options);
}
void sample_tokens(MatrixView<const Half> logits, const TokenResults& results, const TokenFilters& filters,
                   const TokenOptions& options) {
  sampling::run(logits, results, filters, options);
}
void sample_tokens(MatrixView<const BFloat16> logits, const TokenResults& results, const TokenFilters& filters,
                   const TokenOptions& options) {
  sampling::run(logits, results, filters, options);
}

std::int64_t token_workspace_bytes(std::int64_t rows, std::int64_t categories, Device device) {
  base::require(rows >= 0 && categories >= 0,
                "papilio::token_workspace_bytes: sizes must be >= 0; got {} rows x {} categories", rows, categories);
  return device.is_cpu() ? 0 : sampling::tokens_workspace_on_cuda(rows, categories, device);
}

}  // namespace papilio
