// Drafts verified on the device against the CPU, bit by bit: accepted counts, next tokens and statuses.

#include <cmath>
#include <limits>
#include <random>

#include "cuda/problems.h"
#include "papilio/tokens.h"
#include "sampling/tokens/random_rows.h"

namespace papilio::testing {
namespace {

enum class LawOfDraft { none, dense, sparse };

// Texts with their drafts: the target's logits, and tokens drawn from logits beside them.
template <class S>
struct Drafts {
  std::int64_t categories = 0, room = 0;
  std::vector<std::int64_t> offsets = {0}, seeds = {}, positions = {};
  std::vector<S> logits = {};  // one row per draft token and one more per text
  std::vector<float> temperature = {}, top_p = {}, min_p = {};
  std::vector<std::int32_t> top_k = {}, tokens = {}, kept = {};
  std::vector<float> probabilities = {}, kept_logs = {};
  std::vector<std::uint32_t> allowed = {};
  bool joint = false;

  std::int64_t texts() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t drafted() const { return static_cast<std::int64_t>(tokens.size()); }
  std::int64_t rows() const { return drafted() + texts(); }
};

// What the draft's model says: the target's logits and a little else, whatever they are.
template <class S>
void draw_draft_token(std::mt19937_64& bits, Drafts<S>& made, const std::vector<float>& target) {
  std::normal_distribution<float> noise;
  std::vector<float> logits = target;
  for (float& x : logits) x = std::max(-50.0f, std::min(x, 50.0f)) + 0.3f * noise(bits);
  std::vector<std::int32_t> token(1), ids(static_cast<std::size_t>(made.room), -1);
  std::vector<float> logs(ids.size());
  sample_tokens(MatrixView<const float>(logits.data(), 1, made.categories),
                {.tokens = token,
                 .kept_categories = {ids.data(), 1, made.room},
                 .kept_log_probabilities = {logs.data(), 1, made.room}},
                {.top_k = static_cast<std::int32_t>(made.room)}, {.seed = bits()});
  made.tokens.push_back(token[0]);
  std::vector<float> dense(static_cast<std::size_t>(made.categories));
  for (std::size_t j = 0; j < ids.size() && ids[j] >= 0; ++j)
    dense[static_cast<std::size_t>(ids[j])] = std::exp(logs[j]);
  made.probabilities.insert(made.probabilities.end(), dense.begin(), dense.end());
  made.kept.insert(made.kept.end(), ids.begin(), ids.end());
  made.kept_logs.insert(made.kept_logs.end(), logs.begin(), logs.end());
}

template <class S>
Drafts<S> random_drafts(std::int64_t texts, std::int64_t categories, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Drafts<S> made;
  made.categories = categories;
  made.room = std::min<std::int64_t>(categories, 40);
  const std::int64_t lengths[] = {0, 1, 2, 5, 9};
  for (std::int64_t i = 0; i < texts; ++i) {
    const std::int64_t length = lengths[pick(bits, 5)];
    // Most texts are without extremes: their drafts are accepted now and then.
    const bool tame = pick(bits, 3) != 0;
    for (std::int64_t r = 0; r <= length; ++r) {
      std::vector<float> row = random_row(bits, categories);
      std::normal_distribution<float> normal;
      if (tame)
        for (float& x : row) x = 2 * normal(bits);
      for (const float x : row) made.logits.push_back(stored<S>(x));
      const OracleFilter f = tame ? OracleFilter{1, pick(bits, 2) * 30, pick(bits, 2) == 0 ? 1.0f : 0.95f}
                                  : random_filter(bits, categories);
      made.temperature.push_back(f.temperature);
      made.top_k.push_back(static_cast<std::int32_t>(f.top_k));
      made.top_p.push_back(f.top_p);
      made.min_p.push_back(f.min_p);
      if (r < length) draw_draft_token(bits, made, row);
    }
    made.offsets.push_back(made.drafted());
    made.seeds.push_back(static_cast<std::int64_t>(bits()));
    made.positions.push_back(pick(bits, 100000));
  }
  return made;
}

struct Verdicts {
  std::vector<std::int32_t> accepted, next;
  std::vector<TokenStatus> status;
};

// `on` makes the view of a vector there.
template <class S, class On>
void verify(Drafts<S>& of, LawOfDraft law, DraftRule rule, Verdicts& said, On&& on, Device device,
            const TokenOptions& base) {
  TokenFilters filters = {.joint = of.joint};
  filters.temperature.values = on(of.temperature);
  filters.top_k.values = on(of.top_k);
  filters.top_p.values = on(of.top_p);
  filters.min_p.values = on(of.min_p);
  const std::int64_t words = (of.categories + 31) / 32;
  if (!of.allowed.empty()) filters.allowed = {on(of.allowed).data, of.rows(), words, words, 1, device};
  TokenOptions options = base;
  options.seeds = on(of.seeds);
  options.positions = on(of.positions);
  Draft draft = {.tokens = on(of.tokens), .offsets = on(of.offsets), .rule = rule};
  if (law == LawOfDraft::dense && of.drafted() > 0)
    draft.probabilities = {on(of.probabilities).data, of.drafted(), of.categories, of.categories, 1, device};
  if (law == LawOfDraft::sparse && of.drafted() > 0) {
    draft.kept_categories = {on(of.kept).data, of.drafted(), of.room, of.room, 1, device};
    draft.kept_log_probabilities = {on(of.kept_logs).data, of.drafted(), of.room, of.room, 1, device};
  }
  verify_draft(MatrixView<const S>{on(of.logits).data, of.rows(), of.categories, of.categories, 1, device}, draft,
               {.accepted = on(said.accepted), .next_tokens = on(said.next), .status = on(said.status)}, filters,
               options);
}

Verdicts unwritten(std::int64_t texts) {
  const auto count = static_cast<std::size_t>(texts);
  return {std::vector<std::int32_t>(count, 7), std::vector<std::int32_t>(count, 7),
          std::vector<TokenStatus>(count, TokenStatus::infinite)};
}

template <class S>
Verdicts verdicts_on_cuda(Drafts<S>& of, LawOfDraft law, DraftRule rule, const TokenOptions& options,
                          std::int64_t offset) {
  Verdicts said = unwritten(of.texts());
  const execution::Stream stream;
  execution::DeviceArray<std::byte> workspace(draft_workspace_bytes(of.rows(), of.categories, Device::cuda()),
                                              "a workspace");
  TokenOptions there = options;
  there.cuda_stream = stream.get();
  there.workspace = {workspace.data(), workspace.size(), Device::cuda()};
  DeviceArrays on(offset);
  verify(of, law, rule, said, on, Device::cuda(), there);
  stream.wait();
  on.fetch();
  return said;
}

// The device says what the CPU says.
template <class S>
::testing::AssertionResult same_verdicts(Drafts<S>& of, LawOfDraft law, DraftRule rule, std::int64_t offset = 0,
                                         Verdicts* said = nullptr) {
  const TokenOptions options = {.seed = 5, .stream = 2, .first_position = 17};
  Verdicts host = unwritten(of.texts());
  verify(
      of, law, rule, host,
      [](auto& v) { return VectorView(v.data(), static_cast<std::int64_t>(v.size()), Device::cpu()); }, Device::cpu(),
      options);
  const Verdicts device = verdicts_on_cuda(of, law, rule, options, offset);
  if (said != nullptr) *said = host;
  if (const auto same = same_bytes(device.status, host.status, "the status"); !same) return same;
  if (const auto same = same_bytes(device.accepted, host.accepted, "the accepted count"); !same) return same;
  return same_bytes(device.next, host.next, "the next token");
}

constexpr LawOfDraft laws[] = {LawOfDraft::none, LawOfDraft::dense, LawOfDraft::sparse};

template <class S>
class CudaDrafts : public CudaTest {};
using DraftTypes = ::testing::Types<float, Half, BFloat16>;
TYPED_TEST_SUITE(CudaDrafts, DraftTypes);

TYPED_TEST(CudaDrafts, SmokeOfEverySize) {
  std::int64_t accepted = 0, refused = 0, bad = 0;
  for (const std::int64_t categories : {1, 2, 5, 33, 500, 2049, 9001})
    for (const LawOfDraft law : laws)
      for (const DraftRule rule : {DraftRule::token, DraftRule::block}) {
        auto drafts = random_drafts<TypeParam>(70, categories, static_cast<std::uint64_t>(categories));
        drafts.joint = categories % 2 == 0;
        Verdicts said;
        ASSERT_TRUE(same_verdicts(drafts, law, rule, categories % 3, &said))
            << categories << " categories, law " << static_cast<int>(law) << ", " << name(rule);
        for (std::size_t i = 0; i < said.accepted.size(); ++i) {
          const auto length = drafts.offsets[i + 1] - drafts.offsets[i];
          bad += said.status[i] != TokenStatus::ok ? 1 : 0;
          accepted += std::max(said.accepted[i], 0);
          refused += said.accepted[i] >= 0 && said.accepted[i] < length ? 1 : 0;
        }
      }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
  EXPECT_EQ(bad, 0);
}

TYPED_TEST(CudaDrafts, MaskedAndLong) {
  for (const std::int64_t categories : {65, 32000, 131072}) {
    auto drafts = random_drafts<TypeParam>(categories > 1000 ? 5 : 40, categories, 3);
    std::mt19937_64 bits(4);
    for (std::int64_t n = 0; n < drafts.rows() * ((categories + 31) / 32); ++n)
      drafts.allowed.push_back(static_cast<std::uint32_t>(bits() | bits()) | 1u);
    for (const LawOfDraft law : laws)
      for (const DraftRule rule : {DraftRule::token, DraftRule::block})
        ASSERT_TRUE(same_verdicts(drafts, law, rule)) << categories;
  }
}

// Each fault in a text of its own, at the first row or at a later one.
TYPED_TEST(CudaDrafts, FaultsHaveTheStatusOfTheCpu) {
  constexpr std::int64_t categories = 300;
  for (const LawOfDraft law : laws)
    for (const DraftRule rule : {DraftRule::token, DraftRule::block}) {
      auto drafts = random_drafts<TypeParam>(60, categories, 11);
      std::mt19937_64 bits(6);
      for (std::int64_t i = 0; i < drafts.texts(); ++i) {
        const std::int64_t begin = drafts.offsets[static_cast<std::size_t>(i)];
        const std::int64_t length = drafts.offsets[static_cast<std::size_t>(i) + 1] - begin;
        const auto row = static_cast<std::size_t>(begin + i + pick(bits, length + 1));
        const auto token = static_cast<std::size_t>(begin + pick(bits, std::max<std::int64_t>(length, 1)));
        switch (i % 10) {
          case 0:
            drafts.temperature[row] = -1;
            break;
          case 1:
            drafts.logits[row * categories + 7] = not_a_number<TypeParam>();
            break;
          case 2:
            drafts.logits[row * categories] = stored<TypeParam>(std::numeric_limits<double>::infinity());
            break;
          case 3:
            if (length > 0) drafts.tokens[token] = -1;
            break;
          case 4:
            if (length > 0) drafts.tokens[token] = categories;
            break;
          case 5:
            if (length > 0) drafts.probabilities[token * categories + 299] = 1.5f;
            break;
          case 6:
            if (length > 0) drafts.probabilities[token * categories] = std::nanf("");
            break;
          case 7:
            if (length > 0) std::swap(drafts.kept[token * 40], drafts.kept[token * 40 + 1]);
            break;
          case 8:
            if (length > 0) drafts.kept_logs[token * 40 + 2] = 0.5f;
            break;
          default:
            if (length > 0) drafts.kept[token * 40 + 1] = -1;
            break;
        }
      }
      Verdicts said;
      ASSERT_TRUE(same_verdicts(drafts, law, rule, 1, &said));
      EXPECT_GT(std::count(said.status.begin(), said.status.end(), TokenStatus::bad_draft), 3);
      EXPECT_GT(std::count(said.status.begin(), said.status.end(), TokenStatus::bad_filter), 0);
    }
}

// The CPU throws for these.
TYPED_TEST(CudaDrafts, OffsetsThatAreNoneGiveEveryTextAStatus) {
  const auto good = random_drafts<TypeParam>(12, 50, 2);
  for (const int fault : {0, 1, 2, 3, 4}) {
    auto drafts = good;
    if (fault == 0) drafts.offsets[0] = 1;
    if (fault == 1) drafts.offsets[5] = -1'000'000'000'000;
    if (fault == 2) drafts.offsets[5] = std::numeric_limits<std::int64_t>::max();
    if (fault == 3) drafts.offsets.back() += 1;
    if (fault == 4) drafts.offsets[3] = std::numeric_limits<std::int64_t>::min();
    for (const LawOfDraft law : laws) {
      const Verdicts said = verdicts_on_cuda(drafts, law, DraftRule::block, {}, 0);
      EXPECT_EQ(said.status, std::vector<TokenStatus>(12, TokenStatus::bad_draft)) << fault;
      EXPECT_EQ(said.accepted, std::vector<std::int32_t>(12, -1));
      EXPECT_EQ(said.next, std::vector<std::int32_t>(12, -1));
    }
  }
}

}  // namespace
}  // namespace papilio::testing
