#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "papilio/array_view.h"
#include "papilio/choice.h"
#include "papilio/half.h"

// Tokens of language models: draws from rows of logits after a decoder's filters. docs/tokens.md has the rules.

namespace papilio {

// One value for all rows, or one per row.
template <class T>
struct PerRow {
  T value = T{};
  VectorView<const T> values = {};  // if given, row i has values[i]

  PerRow() = default;
  PerRow(T every_row) : value(every_row) {}
  PerRow(VectorView<const T> each_row) : values(each_row) {}
};

// The outcome of a row. Anything but `ok` gives token -1.
enum class TokenStatus : std::uint8_t {
  ok,
  nothing_allowed,  // every logit is masked or -infinity
  not_a_number,     // an allowed logit is NaN
  infinite,         // an allowed logit is +infinity
  bad_filter,       // a temperature, top_k, top_p or min_p is out of its range
  bad_bias,         // an offset or a category of the bias is out of range
  bad_draft,        // an offset, a token or a probability of the draft is out of range (verify_draft)
};

// Every status.
std::span<const Choice<TokenStatus>> token_statuses() noexcept;

// "ok", "nothing_allowed", ...; "unknown" for a number that is not an enumerator.
std::string_view name(TokenStatus status) noexcept;

// What a row's logits go through before the draw, in this order: bias, mask, temperature, top_k, top_p, min_p.
//
// Categories are ordered by their logit, bias added, the largest first; equal ones by their number, the lowest first.
// Each filter keeps categories from the front of this order, so the largest logit is always kept.
struct TokenFilters {
  PerRow<float> temperature = 1.0f;  // 0: the largest logit; else from 2^-100 to 2^100
  PerRow<std::int32_t> top_k = 0;    // keeps the first k; 0: all
  PerRow<float> top_p = 1.0f;        // 0 to 1: the fewest whose share of what top_k left is at least top_p; 1: all
  PerRow<float> min_p = 0.0f;        // 0 to 1: those with at least this fraction of the largest probability; 0: all

  // True: each filter applies to all categories, and a category stays if every filter keeps it. False: each filter
  // applies to what the one before left. Only top_p differs between the two.
  bool joint = false;

  // Rows x ceil(categories / 32) words, adjacent in a row: category j is allowed where bit j % 32 of word j / 32 is
  // set. Empty: all are. A row stride of 0 gives every row the same mask.
  MatrixView<const std::uint32_t> allowed = {};

  // Added to logits: row i adds bias_values[n] to the logit of category bias_categories[n] for
  // bias_offsets[i] <= n < bias_offsets[i + 1]. Categories ascend within a row, without repeats. Empty: nothing.
  VectorView<const std::int64_t> bias_offsets = {};  // one more than there are rows
  VectorView<const std::int32_t> bias_categories = {};
  VectorView<const float> bias_values = {};
};

// What a call reports about each row; only `tokens` is required. Entries of rows that are not `ok` receive -1, or NaN
// if they are floats (-infinity in `kept_log_probabilities`). What the filters left does not include categories whose
// weight is 0 (see sample_tokens), which cannot be drawn.
struct TokenResults {
  VectorView<std::int32_t> tokens;                // the category drawn
  VectorView<float> log_probabilities = {};       // its log probability under the distribution it was drawn from
  VectorView<float> raw_log_probabilities = {};   // under the logits as given: no bias, mask, temperature, filter
  VectorView<std::int32_t> ranks = {};            // how many categories come before it in the order; 0: the largest
  VectorView<std::int32_t> kept_counts = {};      // categories that the filters left
  VectorView<float> kept_masses = {};             // their share of all that is allowed, before the filters
  VectorView<TokenStatus> status = {};            // if empty, the first row that is not `ok` throws (on a CPU)
  MatrixView<std::int32_t> kept_categories = {};  // rows x room: what was kept, ascending, as far as it fits; then -1
  MatrixView<float> kept_log_probabilities = {};  // the same shape: under the distribution drawn from; then -infinity
};

struct TokenOptions {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;

  // Row i is draw number positions[i], or first_position + i if no positions are given: the place of the token in its
  // text. A draw is a function of seed, stream, position and the row's own logits and filters, and of nothing else.
  std::uint64_t first_position = 0;
  VectorView<const std::int64_t> positions = {};

  // If given, row i has the seed seeds[i] (its 64 bits): a seed per request.
  VectorView<const std::int64_t> seeds = {};

  int threads = 0;  // CPU threads, which share the rows; 0: all; never changes a result

  // For arrays on a CUDA device: the stream (a cudaStream_t; null is the default stream) that the call is queued on,
  // and memory for it to work in, of `token_workspace_bytes` or, for drafts, `draft_workspace_bytes`, aligned to 256
  // bytes.
  void* cuda_stream = nullptr;
  VectorView<std::byte> workspace = {};
};

// Draws one category from each row of logits, after the filters.
//
//   logits   rows x categories (1 to 2^31 - 1), float, Half or BFloat16, any strides. -infinity is never drawn.
//   results  arrays of one entry per row. None may share memory with another array of the call.
//
// Weights are whole numbers. With m the largest allowed logit, category j has the weight
//   w_j = floor(2^s exp((logit_j - m) / temperature)),   s = 62 - ceil(log2 categories),
// where exp is the library's own, with a relative error of at most 2^-24. So sums of weights are exact in any order.
// top_p keeps the fewest categories from the front of the order whose sum is at least ceil(top_p * total), min_p those
// with w_j >= max(1, ceil(min_p 2^s)). The draw is the category whose interval, by ascending number, contains
// floor(u total); u is a multiple of 2^-64 made from seed, stream and position. So a category is drawn with probability
// w_j / total to within 2^-64; one that is masked, filtered out or below 2^-s of the largest cannot be drawn.
//
// Same logits, filters, seed, stream and position: the same token and the same bits of every other result, on every
// device and instruction set, for any number of threads, any batch and any place in it, and any number of shards.
//
// Time O(categories) per row: one read of the logits with top_k, a few more without. Memory on a CPU up to 40 bytes per
// category and thread. Throws InvalidArgument for shapes that do not fit, null, misaligned or overlapping arrays, and
// (without `status`, on a CPU) the first row that is not `ok`; results are then unspecified.
//
// Arrays on a CUDA device (all of them on the same one): the call is queued on `cuda_stream`, allocates nothing, waits
// for nothing and may be captured into a CUDA graph. Throws DeviceError where a launch fails.
//
//   std::vector<float> logits = {1, 3, 2,   0, 0, 5};
//   std::vector<std::int32_t> tokens(2);
//   papilio::sample_tokens(papilio::MatrixView<const float>(logits.data(), 2, 3), {.tokens = tokens},
//                          {.temperature = 0.8f, .top_k = 2, .top_p = 0.9f}, {.seed = 7, .first_position = 41});
//
// Source: Holtzman, Buys, Du, Forbes and Choi, ICLR 2020 (top-p); Fan, Lewis and Dauphin, ACL 2018 (top-k).
void sample_tokens(MatrixView<const float> logits, const TokenResults& results, const TokenFilters& filters = {},
                   const TokenOptions& options = {});
void sample_tokens(MatrixView<const Half> logits, const TokenResults& results, const TokenFilters& filters = {},
                   const TokenOptions& options = {});
void sample_tokens(MatrixView<const BFloat16> logits, const TokenResults& results, const TokenFilters& filters = {},
                   const TokenOptions& options = {});

// The bytes of `TokenOptions::workspace` that a call of this size needs on that device; 0 on a CPU.
std::int64_t token_workspace_bytes(std::int64_t rows, std::int64_t categories, Device device);

// How a draft is tested against the target's distribution.
enum class DraftRule : std::uint8_t {
  token,  // token by token
  block,  // the draft as a whole: accepts at least as many tokens on average
};

// Every rule, the default first.
std::span<const Choice<DraftRule>> draft_rules() noexcept;
std::string_view name(DraftRule rule) noexcept;

// The rule of that name. Throws InvalidArgument with the known names.
DraftRule parse_draft_rule(std::string_view name);

// Tokens that a faster model proposes, one text after the other, and the distribution that each was drawn from: either
// `probabilities`, or kept sets as sample_tokens gives them, or neither for tokens that were not drawn (found in the
// prompt, say).
struct Draft {
  VectorView<const std::int32_t> tokens;
  VectorView<const std::int64_t> offsets;      // text i has the tokens offsets[i] ... offsets[i + 1] - 1; starts with 0
  MatrixView<const float> probabilities = {};  // draft tokens x categories, >= 0, rows that sum to 1
  MatrixView<const std::int32_t> kept_categories = {};  // draft tokens x room, ascending, then -1
  MatrixView<const float> kept_log_probabilities = {};  // the same shape
  DraftRule rule = DraftRule::token;
};

// One entry per text.
struct DraftResults {
  VectorView<std::int32_t> accepted;     // how many draft tokens are accepted, from the first on; -1 where not `ok`
  VectorView<std::int32_t> next_tokens;  // the token that follows them; -1 where not `ok`
  VectorView<TokenStatus> status = {};   // as in TokenResults: of the first of the text's rows that is not `ok`
};

// Speculative decoding: finds how many tokens of each text's draft to accept, and draws the token after them. The text
// then has the target's distribution, whatever that of the draft.
//
//   logits   the target's, one row per draft token and one more per text: the rows of text i are offsets[i] + i ...
//            offsets[i + 1] + i, the last one for the token that follows the whole draft
//   filters  one value per row of logits, where a value per row is given
//   options  seeds and positions one per text; row r of a text has the position of its first plus r. Without positions,
//            the first row of a text has position first_position plus the number of that row among all
//
// A draft without probabilities is accepted up to the first token that differs from the draw of sample_tokens with the
// same seeds and positions, and the next token is such a draw: the text is the same as without a draft. With
// probabilities q, in units of the target's total, token x is accepted if floor(u q(x)) < w_x; otherwise the next token
// is drawn from max(w - q, 0). A token that the filters remove is never accepted.
//
// The text's distribution is the target's, except for the amount by which q fails to sum to 1, and 2^-24 of each
// probability. It is the same on every machine. Time and memory as for sample_tokens without top_k.
// Throws InvalidArgument for shapes and arrays that do not fit, and without `status`, on a CPU, for the first text that
// is not `ok`.
//
// Arrays on a CUDA device, all of them on the same one: as for sample_tokens. Every row is read, whether the draft gets
// that far or not. Offsets must start with 0, not decrease, and end with the draft. Others throw on a CPU; on a device
// every text then has the status bad_draft.
//
//   papilio::verify_draft(papilio::MatrixView<const float>(logits.data(), 4, 32000),
//                         {.tokens = draft, .offsets = offsets, .probabilities = q},
//                         {.accepted = accepted, .next_tokens = next}, {.temperature = 0.8f}, {.seed = 7});
//
// Source: Leviathan, Kalman and Matias, ICML 2023, and Chen et al., arXiv 2302.01318 (token); Sun et al., Block
// Verification Accelerates Speculative Decoding, ICLR 2025, algorithm 2 (block).
void verify_draft(MatrixView<const float> logits, const Draft& draft, const DraftResults& results,
                  const TokenFilters& filters = {}, const TokenOptions& options = {});
void verify_draft(MatrixView<const Half> logits, const Draft& draft, const DraftResults& results,
                  const TokenFilters& filters = {}, const TokenOptions& options = {});
void verify_draft(MatrixView<const BFloat16> logits, const Draft& draft, const DraftResults& results,
                  const TokenFilters& filters = {}, const TokenOptions& options = {});

// The bytes of `TokenOptions::workspace` that verify_draft needs for this many rows and categories of logits on that
// device; 0 on a CPU.
std::int64_t draft_workspace_bytes(std::int64_t rows, std::int64_t categories, Device device);

// --- A vocabulary in shards

// Which part of the vocabulary a process holds. Shards follow each other by ascending categories.
struct TokenShard {
  std::int64_t first_category = 0;
  std::int64_t categories = 0;  // of the whole vocabulary
};

// What one shard reports about one row in one round: plain data of a fixed size, for the caller's own all-gather.
struct TokenShardRecord {
  std::uint64_t sums[256];    // of weights, by a digit of the order; the first: of all that is kept, in the last round
  std::uint32_t counts[256];  // of categories
  std::uint32_t largest;      // the largest logit, as a whole number of the same order
  TokenStatus status;
};

// What is known of one row, the same on every shard: plain data, zeros at the start.
struct TokenShardState {
  enum class Stage : std::uint32_t { start, top_k, top_p, sums, done };
  Stage stage;
  TokenStatus status;
  std::uint32_t largest;    // as in TokenShardRecord
  std::uint32_t bits;       // how many leading bits of a threshold are found
  std::uint64_t prefix;     // these bits
  std::uint64_t wanted;     // what is still to be found below them: categories, or a sum of weights
  std::uint64_t above;      // the sum of what lies above them
  std::uint64_t least_key;  // the last category that is kept, as its place in the order
  std::uint64_t total;      // of what is kept
  std::uint64_t target;     // where in the part of the shard `owner` the draw falls
  std::uint32_t owner;
};

// The draws of sample_tokens if each process holds a part of every row: the same tokens, for any number of shards.
// Every process starts with states of zeros and the same filters and options, and runs
//
//   do {
//     papilio::summarize_shard(logits, shard, states, records, filters);
//     all_gather(records, all);  // the caller's own: one row of records per shard, in the order of the shards
//   } while (papilio::combine_shards(all, shard, states, filters, options) > 0);
//   papilio::finish_shard(logits, shard, this_shard, states, {.tokens = tokens}, filters);
//
// The process that holds a row's token gets it, the others -1: a maximum over the shards gives it to all of them. A row
// needs 2 rounds without filters; with top_k or top_p most rows need 5 to 7, and none more than 18. The records of a
// round take 3 KiB per row.
//
//   logits   rows x the shard's categories, of which there may be none
//   filters  those of the whole vocabulary, but `allowed` and the bias are the shard's own: their categories count from
//            its first one. `joint` is not supported
//   options  seeds, positions, threads, and for a device its stream and workspace, as for sample_tokens. combine_shards
//            uses the first two, the others the rest; the workspace is that of the shard's own columns
//
// If a row is not `ok` on one shard, it is `ok` on none: its token is -1, and its state has the status. Besides
// `tokens`, finish_shard can give `log_probabilities` and `status`; the other results are not supported.
//
// Throws InvalidArgument for shapes and arrays that do not fit, and on a CPU for states that combine_shards did not
// write and, in finish_shard, for a row that needs another round. summarize_shard and finish_shard read the shard's
// logits once or twice.
//
// Arrays on a CUDA device, all of them on the same one: summarize_shard and finish_shard are queued on the stream;
// combine_shards waits for the stream to count the rows that are left. Records have the same bytes as on a CPU, so
// CPUs and devices may share a row. A row whose state combine_shards did not write has the status nothing_allowed;
// finish_shard gives a row that needs another round the token -1, and its status so far.
void summarize_shard(MatrixView<const float> logits, const TokenShard& shard, VectorView<const TokenShardState> states,
                     VectorView<TokenShardRecord> records, const TokenFilters& filters = {},
                     const TokenOptions& options = {});
void summarize_shard(MatrixView<const Half> logits, const TokenShard& shard, VectorView<const TokenShardState> states,
                     VectorView<TokenShardRecord> records, const TokenFilters& filters = {},
                     const TokenOptions& options = {});
void summarize_shard(MatrixView<const BFloat16> logits, const TokenShard& shard,
                     VectorView<const TokenShardState> states, VectorView<TokenShardRecord> records,
                     const TokenFilters& filters = {}, const TokenOptions& options = {});

// Joins the records of all shards, shards x rows. Returns how many rows need another round.
std::int64_t combine_shards(MatrixView<const TokenShardRecord> records, const TokenShard& shard,
                            VectorView<TokenShardState> states, const TokenFilters& filters = {},
                            const TokenOptions& options = {});

// `number` is the place of this shard among all, from 0.
void finish_shard(MatrixView<const float> logits, const TokenShard& shard, std::int64_t number,
                  VectorView<const TokenShardState> states, const TokenResults& results,
                  const TokenFilters& filters = {}, const TokenOptions& options = {});
void finish_shard(MatrixView<const Half> logits, const TokenShard& shard, std::int64_t number,
                  VectorView<const TokenShardState> states, const TokenResults& results,
                  const TokenFilters& filters = {}, const TokenOptions& options = {});
void finish_shard(MatrixView<const BFloat16> logits, const TokenShard& shard, std::int64_t number,
                  VectorView<const TokenShardState> states, const TokenResults& results,
                  const TokenFilters& filters = {}, const TokenOptions& options = {});

}  // namespace papilio
