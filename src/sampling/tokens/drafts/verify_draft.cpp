#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "base/choices.h"
#include "execution/cpu/parallel_for.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/tokens.h"
#include "random/elementary.h"
#include "sampling/tokens/check_tokens.h"
#include "sampling/tokens/drafts/draft_call_cuda.h"
#include "sampling/tokens/drafts/draft_law.h"
#include "sampling/tokens/token_law.h"
#include "sampling/tokens/token_row_draw.h"

namespace papilio {
namespace sampling {
namespace {

constexpr const char* function = "verify_draft";
namespace law = sampling_kernel;

// The probabilities with which draft tokens were drawn.
class DraftLaw {
 public:
  explicit DraftLaw(const Draft& draft) : draft_(draft) {}

  bool given() const { return draft_.probabilities.rows > 0 || draft_.kept_categories.rows > 0; }

  // Calls visit(category, probability) for the categories of draft token n that have one, in ascending order. Returns
  // false if this is not a distribution: a category or a probability is out of range, or categories do not ascend.
  template <class Visit>
  bool each(std::int64_t n, std::int64_t categories, const Visit& visit) const {
    if (draft_.probabilities.rows > 0) {
      const auto& q = draft_.probabilities;
      for (std::int64_t k = 0; k < categories; ++k) {
        const float p = q.data[n * q.row_stride + k];
        if (!(p >= 0 && p <= 1)) return false;
        if (p > 0) visit(k, static_cast<double>(p));
      }
      return true;
    }
    const auto& ids = draft_.kept_categories;
    const auto& logs = draft_.kept_log_probabilities;
    std::int64_t last = -1;
    for (std::int64_t j = 0; j < ids.columns; ++j) {
      const std::int64_t k = ids.data[n * ids.row_stride + j];
      if (k == -1) break;
      const float log = logs.data[n * logs.row_stride + j];
      if (k <= last || k >= categories || !(log <= 0)) return false;
      last = k;
      visit(k, random::exponential(static_cast<double>(log)));
    }
    return true;
  }

 private:
  const Draft& draft_;
};

// One text: its rows are processed one after another, on one thread.
template <class T>
class TextVerifier {
 public:
  TextVerifier(const MatrixView<const T>& logits, const Draft& draft, const TokenFilters& filters,
               const TokenOptions& options)
      : logits_(logits), draft_(draft), filters_(filters), options_(options), law_(draft), row_(logits.columns) {}

  TokenStatus verify(std::int64_t text, std::int32_t& accepted, std::int32_t& next) {
    const std::int64_t begin = draft_.offsets.data[text], end = draft_.offsets.data[text + 1];
    text_ = text;
    first_row_ = begin + text;
    for (std::int64_t n = begin; n < end; ++n)
      if (draft_.tokens.data[n] < 0 || draft_.tokens.data[n] >= logits_.columns) return TokenStatus::bad_draft;
    if (!law_.given()) return follow(begin, end, accepted, next);
    return draft_.rule == DraftRule::token ? by_token(begin, end, accepted, next)
                                           : by_block(begin, end, accepted, next);
  }

 private:
  TokenStatus read(std::int64_t r) {
    TokenInput input;
    return input_of_row(logits_, filters_, first_row_ + r, input) ? row_.read(input) : TokenStatus::bad_bias;
  }

  TokenNumbers numbers(std::int64_t r) const {
    const std::uint64_t first = options_.positions.empty()
                                    ? options_.first_position + static_cast<std::uint64_t>(first_row_)
                                    : static_cast<std::uint64_t>(options_.positions.data[text_]);
    return law::token_numbers(seed_of_row(options_, text_), options_.stream, first + static_cast<std::uint64_t>(r));
  }

  std::int32_t draw(std::int64_t r) {
    return static_cast<std::int32_t>(row_.find(law::token_target(numbers(r).draw, row_.total())));
  }

  // Accepts the tokens that would be drawn without a draft.
  TokenStatus follow(std::int64_t begin, std::int64_t end, std::int32_t& accepted, std::int32_t& next) {
    for (std::int64_t r = 0;; ++r) {
      if (const TokenStatus status = read(r); status != TokenStatus::ok) return status;
      next = draw(r);
      accepted = static_cast<std::int32_t>(r);
      if (begin + r == end || next != draft_.tokens.data[begin + r]) return TokenStatus::ok;
    }
  }

  TokenStatus by_token(std::int64_t begin, std::int64_t end, std::int32_t& accepted, std::int32_t& next) {
    for (std::int64_t r = 0;; ++r) {
      if (const TokenStatus status = read(r); status != TokenStatus::ok) return status;
      accepted = static_cast<std::int32_t>(r);
      if (begin + r == end) {
        next = draw(r);
        return TokenStatus::ok;
      }
      const std::int64_t token = draft_.tokens.data[begin + r];
      DraftPair pair;
      if (!compare(begin + r, token, law::whole_share, pair)) return TokenStatus::bad_draft;
      if (law::accepts(numbers(r).test, pair.draft, pair.target)) continue;
      next = draw_rest(r, begin + r, law::whole_share);
      return TokenStatus::ok;
    }
  }

  TokenStatus by_block(std::int64_t begin, std::int64_t end, std::int32_t& accepted, std::int32_t& next) {
    // The longest prefix of the draft that passes its test, and the share of the target with which it is compared.
    std::int64_t last = 0;
    std::uint64_t share = law::whole_share, last_share = law::whole_share;
    for (std::int64_t r = 0; begin + r < end; ++r) {
      if (const TokenStatus status = read(r); status != TokenStatus::ok) return status;
      const std::int64_t token = draft_.tokens.data[begin + r];
      DraftPair pair;
      if (!compare(begin + r, token, share, pair)) return TokenStatus::bad_draft;
      // The test of the prefix that ends before this token needs the rest of this row.
      if (r > 0 && law::block_accepts(numbers(r - 1).test, pair.rest, row_.total(), share)) {
        last = r;
        last_share = share;
      }
      share = law::next_share(share, pair.target, pair.draft);
    }
    const std::int64_t count = end - begin;
    if (count > 0 && law::share_accepts(numbers(count - 1).test, share)) last = count;
    if (const TokenStatus status = read(last); status != TokenStatus::ok) return status;
    accepted = static_cast<std::int32_t>(last);
    next = last == count ? draw(last) : draw_rest(last, begin + last, last_share);
    return TokenStatus::ok;
  }

  // A token's weight in the row's distribution and, in the same units, in the draft's; and the sum of what a share of
  // the row's distribution has beyond the draft's.
  struct DraftPair {
    std::uint64_t target = 0, draft = 0, rest = 0;
  };
  bool compare(std::int64_t n, std::int64_t token, std::uint64_t share, DraftPair& pair) {
    leave_rest(share);
    const bool good = take_draft(n, [&](std::int64_t category, std::uint64_t q) {
      if (category == token) pair.draft = q;
    });
    pair.target = row_.weight(token);
    for (const KeptToken& kept : rest_) pair.rest += kept.weight;
    return good;
  }

  // Sets the rest to the share of each weight of the row.
  void leave_rest(std::uint64_t share) {
    const auto kept = row_.kept();
    rest_.assign(kept.begin(), kept.end());
    for (KeptToken& token : rest_) token.weight = law::share_of(token.weight, share);
  }

  // Subtracts the draft's probabilities from the rest.
  template <class Seen>
  bool take_draft(std::int64_t n, const Seen& seen) {
    auto kept = rest_.begin();
    return law_.each(n, logits_.columns, [&](std::int64_t category, double probability) {
      const std::uint64_t q = law::floor_share(std::min(probability, 1.0), row_.total());
      seen(category, q);
      while (kept != rest_.end() && kept->category() < category) ++kept;
      if (kept != rest_.end() && kept->category() == category) kept->weight -= std::min(kept->weight, q);
    });
  }

  // Draws from what a share of the row's distribution has beyond the draft's; if that is nothing, from the row itself.
  std::int32_t draw_rest(std::int64_t r, std::int64_t n, std::uint64_t share) {
    leave_rest(share);
    take_draft(n, [](std::int64_t, std::uint64_t) {});
    std::uint64_t total = 0;
    for (const KeptToken& token : rest_) total += token.weight;
    if (total == 0) return draw(r);
    std::uint64_t target = law::token_target(numbers(r).draw, total);
    auto token = rest_.begin();
    for (; target >= token->weight; ++token) target -= token->weight;
    return static_cast<std::int32_t>(token->category());
  }

  const MatrixView<const T>& logits_;
  const Draft& draft_;
  const TokenFilters& filters_;
  const TokenOptions& options_;
  DraftLaw law_;
  TokenRowDraw row_;
  std::vector<KeptToken> rest_;
  std::int64_t text_ = 0, first_row_ = 0;
};

// On a device, offsets are not checked beforehand: if they are invalid, every text gets the status bad_draft.
void check_offsets(const Draft& draft) {
  std::int64_t last = 0;
  for (std::int64_t i = 0; i < draft.offsets.size; ++i) {
    const std::int64_t offset = draft.offsets.data[i];
    base::require(i == 0 ? offset == 0 : offset >= last,
                  "papilio::{}: offsets must start with 0 and not decrease; offsets[{}] is {}", function, i, offset);
    last = offset;
  }
  base::require(last == draft.tokens.size, "papilio::{}: offsets end with {}, but the draft has {} tokens", function,
                last, draft.tokens.size);
}

void check_draft(const TokenChecks& check, const Draft& draft, std::int64_t rows, std::int64_t categories) {
  const std::int64_t texts = draft.offsets.size - 1;
  base::require(texts >= 0, "papilio::{}: offsets must have one entry per text and one more; got none", function);
  check.entries("offsets", draft.offsets, texts + 1, "text, and one more");
  check.entries("tokens of the draft", draft.tokens, draft.tokens.size);
  const std::int64_t last = draft.tokens.size;
  if (draft.offsets.device.is_cpu()) check_offsets(draft);
  base::require(rows == last + texts,
                "papilio::{}: there must be one row of logits per draft token and one more per text, {}; got {}",
                function, last + texts, rows);
  check.matrix("probabilities of the draft", draft.probabilities, last);
  base::require(draft.probabilities.rows == 0 || draft.probabilities.columns == categories,
                "papilio::{}: the draft's probabilities must have one column per category, {}; got {}", function,
                categories, draft.probabilities.columns);
  check.matrix("kept_categories of the draft", draft.kept_categories, last);
  check.matrix("kept_log_probabilities of the draft", draft.kept_log_probabilities, last);
  base::require(draft.kept_categories.rows == draft.kept_log_probabilities.rows &&
                    draft.kept_categories.columns == draft.kept_log_probabilities.columns,
                "papilio::{}: the draft's kept_categories and kept_log_probabilities must have one shape; got {} x {} "
                "and {} x {}",
                function, draft.kept_categories.rows, draft.kept_categories.columns, draft.kept_log_probabilities.rows,
                draft.kept_log_probabilities.columns);
  base::require(draft.probabilities.rows == 0 || draft.kept_categories.rows == 0,
                "papilio::{}: a draft has probabilities or kept sets, not both", function);
  base::require_known(draft_rules(), draft.rule, function, "rule");
}

template <class T>
void check_call(const MatrixView<const T>& logits, const Draft& draft, const DraftResults& results,
                const TokenFilters& filters, const TokenOptions& options) {
  const TokenChecks check(function, logits.device, logits.rows, logits.columns);
  check.logits(logits);
  check_draft(check, draft, logits.rows, logits.columns);
  check.filters(filters);
  const std::int64_t texts = draft.offsets.size - 1;
  check.needed("accepted", results.accepted, texts, "text");
  check.needed("next_tokens", results.next_tokens, texts, "text");
  check.entries("status", results.status, texts, "text");
  check.entries("positions", options.positions, texts, "text");
  check.entries("seeds", options.seeds, texts, "text");
  using Checks = TokenChecks;
  const Checks::Extent written[] = {Checks::extent("accepted", results.accepted),
                                    Checks::extent("next_tokens", results.next_tokens),
                                    Checks::extent("status", results.status)};
  std::vector<Checks::Extent> read = Checks::extents(filters, options);
  for (const Checks::Extent& array :
       {Checks::extent("the matrix of logits", logits), Checks::extent("tokens of the draft", draft.tokens),
        Checks::extent("offsets", draft.offsets), Checks::extent("probabilities of the draft", draft.probabilities),
        Checks::extent("kept_categories of the draft", draft.kept_categories),
        Checks::extent("kept_log_probabilities of the draft", draft.kept_log_probabilities)})
    read.push_back(array);
  check.apart(written, read);
}

template <class T>
void run_on_cpu(const MatrixView<const T>& logits, const Draft& draft, const DraftResults& results,
                const TokenFilters& filters, const TokenOptions& options) {
  const std::int64_t texts = draft.offsets.size - 1;
  std::atomic<std::int64_t> first_bad{texts};
  std::vector<TokenStatus> told(static_cast<std::size_t>(texts));
  execution::parallel_for(texts, 1, options.threads, [&](std::int64_t begin, std::int64_t end) {
    TextVerifier<T> verifier(logits, draft, filters, options);
    for (std::int64_t i = begin; i < end; ++i) {
      std::int32_t accepted = -1, next = -1;
      const TokenStatus status = verifier.verify(i, accepted, next);
      const bool good = status == TokenStatus::ok;
      results.accepted.data[i] = good ? accepted : -1;
      results.next_tokens.data[i] = good ? next : -1;
      told[static_cast<std::size_t>(i)] = status;
      if (!results.status.empty()) results.status.data[i] = status;
    }
  });
  if (!results.status.empty()) return;
  for (std::int64_t i = 0; i < texts; ++i) {
    const auto* row = base::find_row(token_statuses(), told[static_cast<std::size_t>(i)]);
    base::require(row->value == TokenStatus::ok, "papilio::{}: text {} cannot be verified: {}", function, i, row->help);
  }
}

template <class T>
void run(const MatrixView<const T>& logits, const Draft& draft, const DraftResults& results,
         const TokenFilters& filters, const TokenOptions& options) {
  check_call(logits, draft, results, filters, options);
  execution::thread_count(options.threads);
  if (logits.device.is_cpu()) return run_on_cpu(logits, draft, results, filters, options);
  if (logits.rows == 0) return;
  require_workspace(function, options, draft_workspace_on_cuda(logits.rows, logits.columns, logits.device),
                    logits.device);
  verify_draft_on_cuda(device_logits(logits), draft, results, filters, options);
}

}  // namespace
}  // namespace sampling

void verify_draft(MatrixView<const float> logits, const Draft& draft, const DraftResults& results,
                  const TokenFilters& filters, const TokenOptions& options) {
  sampling::run(logits, draft, results, filters, options);
}
void verify_draft(MatrixView<const Half> logits, const Draft& draft, const DraftResults& results,
                  const TokenFilters& filters, const TokenOptions& options) {
  sampling::run(logits, draft, results, filters, options);
}
void verify_draft(MatrixView<const BFloat16> logits, const Draft& draft, const DraftResults& results,
                  const TokenFilters& filters, const TokenOptions& options) {
  sampling::run(logits, draft, results, filters, options);
}

std::int64_t draft_workspace_bytes(std::int64_t rows, std::int64_t categories, Device device) {
  base::require(rows >= 0 && categories >= 0,
                "papilio::draft_workspace_bytes: sizes must be >= 0; got {} rows x {} categories", rows, categories);
  return device.is_cpu() ? 0 : sampling::draft_workspace_on_cuda(rows, categories, device);
}

}  // namespace papilio
