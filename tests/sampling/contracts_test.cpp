// What draws refuse: arrays that cannot be arrays, outputs that share memory, numbers that are no enumerators; and what
// stays of a table that was moved from.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "papilio/gamma.h"
#include "papilio/half.h"
#include "papilio/sampling.h"
#include "papilio/weighted_choice.h"
#include "support/devices.h"

namespace papilio {
namespace {

using testing::huge;
using testing::lowest;
using testing::misaligned;
using testing::no_enumerator;
using testing::refused;

using Int32s = std::vector<std::int32_t>;
using Int64s = std::vector<std::int64_t>;
using Drawn = VectorView<std::int32_t>;

class SamplingContract : public ::testing::Test {
 protected:
  // Draws from weights of any kind into drawn_, or elsewhere.
  template <class Weights>
  auto draw(Weights weights, SampleOptions options = {}) {
    return [=, this] { sample_categorical(weights, Drawn(drawn_), options); };
  }
  template <class Weights>
  auto draw_into(Drawn drawn, Weights weights, SampleOptions options = {}) {
    return [=] { sample_categorical(weights, drawn, options); };
  }
  MatrixWeights<float> weights() const { return {{w_.data(), 3, 4}}; }

  std::vector<float> w_ = std::vector<float>(16, 1.0f);
  std::vector<double> doubles_ = std::vector<double>(16, 1.0);
  Int32s drawn_ = Int32s(3), picked_ = {0, 1, 2, 0};
  const Int32s first_ = {0, 0, 0}, beyond_ = {3, 0, 0}, before_ = {0, 0, -1};
  Int64s wide_ = Int64s(4), ids_ = {5, 6, 7, 8}, offsets_ = {0, 2, 3, 4};
  std::vector<DrawStatus> status_ = std::vector<DrawStatus>(3);
};

TEST_F(SamplingContract, MatrixWeights) {
  using M = MatrixWeights<float>;
  const float* const w = w_.data();
  const std::string matrix = "sample_categorical: the matrix of weights ";
  EXPECT_NO_THROW(draw(weights())());
  EXPECT_TRUE(refused(matrix + "is null, but 3 rows x 4 columns", draw(M{{nullptr, 3, 4}})));
  EXPECT_TRUE(refused(matrix + "must have sizes >= 0; got -3 rows x 4", draw(M{{w, -3, 4}})));
  EXPECT_TRUE(refused(matrix + "must have sizes >= 0; got 3 rows x -4", draw(M{{w, 3, -4}})));
  EXPECT_TRUE(refused(matrix + "is at address", draw(M{{misaligned(w), 3, 4}})));
  EXPECT_TRUE(refused("more than an address space holds", draw(M{{w, 3, huge / 2}})));
  EXPECT_TRUE(refused("more than an address space holds", draw(M{{w, huge, 4}})));
  EXPECT_TRUE(refused("more than an address space holds", draw(M{{w, 3, 4, lowest, 1}})));
  EXPECT_TRUE(refused("more than an address space holds", draw(M{{w, 3, 4, 4, lowest}})));
  EXPECT_TRUE(refused("rows is null, but 3 entries", draw(M{{w, 3, 4}, {nullptr, 3}})));
  EXPECT_TRUE(refused("rows has -3 entries", draw(M{{w, 3, 4}, {picked_.data(), -3}})));
  EXPECT_TRUE(refused("rows is at address", draw(M{{w, 3, 4}, {misaligned(picked_.data()), 3}})));
  const Int32s beyond = {0, 1, 3}, before = {0, 1, -1};
  EXPECT_TRUE(refused("rows[2] is 3, expected 0 <= row < 3", draw(M{{w, 3, 4}, beyond})));
  EXPECT_TRUE(refused("rows[2] is -1, expected 0 <= row < 3", draw(M{{w, 3, 4}, before})));
  EXPECT_TRUE(refused("rows[0] is 0, expected 0 <= row < 0", draw(M{{w, 0, 4}, beyond})));
  EXPECT_TRUE(refused("row 0 has no categories", draw(M{{w, 3, 0}})));
  EXPECT_TRUE(refused("row 0 has no categories", draw(M{{nullptr, 3, 0, 5, 1}})));
  EXPECT_NO_THROW(draw(M{{w, 1, 4}, first_})());
  EXPECT_NO_THROW(draw(M{{w + 8, 3, 4, -4, 1}})());  // from the last row up
  EXPECT_NO_THROW(draw(M{{w, 3, 4, 0, 0}})());       // one number for all
  EXPECT_NO_THROW(sample_categorical(M{{nullptr, 0, 4}}, Drawn()));
  EXPECT_NO_THROW(sample_categorical(M{}, Drawn()));
}

TEST_F(SamplingContract, SampleOptions) {
  const std::string f = "sample_categorical: ";
  const auto method = no_enumerator<PartialSums>();
  EXPECT_TRUE(refused(f + "unknown method 99, expected one of slots, prefix", draw(weights(), {.method = method})));
  EXPECT_TRUE(refused(f + "threads must be >= 0; got -1", draw(weights(), {.threads = -1})));
  EXPECT_TRUE(refused("threads must be 0 (all) or a number up to 4096", draw(weights(), {.threads = 5000})));
  EXPECT_TRUE(refused(f + "row_ids is null", draw(weights(), {.row_ids = {nullptr, 3}})));
  EXPECT_TRUE(refused(f + "row_ids has -3 entries", draw(weights(), {.row_ids = {ids_.data(), -3}})));
  EXPECT_TRUE(refused(f + "row_ids must have one entry per row; got 4", draw(weights(), {.row_ids = ids_})));
  EXPECT_TRUE(refused(f + "seeds is null", draw(weights(), {.seeds = {nullptr, 3}})));
  EXPECT_TRUE(refused(f + "seeds must have one entry per row; got 4", draw(weights(), {.seeds = ids_})));
  EXPECT_TRUE(refused(f + "seeds is at address", draw(weights(), {.seeds = {misaligned(ids_.data()), 3}})));
  EXPECT_TRUE(refused(f + "status is null", draw(weights(), {.status = {nullptr, 3}})));
  EXPECT_TRUE(
      refused(f + "status must have one entry per row; got 2", draw(weights(), {.status = {status_.data(), 2}})));
  EXPECT_TRUE(refused("row_ids is on cuda:0, expected cpu",
                      draw(weights(), {.row_ids = testing::vector_on_cuda<const std::int64_t>()})));
  EXPECT_NO_THROW(draw(weights(), {.first_row_id = ~std::uint64_t{0}, .status = status_})());
  EXPECT_NO_THROW(draw(weights(), {.workspace = {nullptr, huge}})());  // used on a device only
}

TEST_F(SamplingContract, DrawnAndStatusHaveMemoryOfTheirOwn) {
  const std::string f = "sample_categorical: ";
  auto* const as_drawn = std::bit_cast<std::int32_t*>(ids_.data());
  EXPECT_TRUE(refused(f + "drawn is null, but 3 entries", draw_into({nullptr, 3}, weights())));
  EXPECT_TRUE(refused(f + "drawn has -3 entries", draw_into({drawn_.data(), -3}, weights())));
  EXPECT_TRUE(refused(f + "drawn is at address", draw_into({misaligned(drawn_.data()), 3}, weights())));
  EXPECT_TRUE(refused(f + "drawn must have one entry per row; got 2 for 3", draw_into({drawn_.data(), 2}, weights())));
  EXPECT_TRUE(refused(f + "drawn is on cuda:0", draw_into({drawn_.data(), 3, testing::cuda_device()}, weights())));
  EXPECT_TRUE(
      refused(f + "drawn overlaps row_ids", draw_into({as_drawn, 3}, weights(), {.row_ids = {ids_.data(), 3}})));
  EXPECT_TRUE(refused(f + "drawn overlaps seeds", draw_into({as_drawn, 3}, weights(), {.seeds = {ids_.data(), 3}})));
  EXPECT_TRUE(
      refused(f + "drawn overlaps rows",
              draw_into({picked_.data() + 1, 3}, MatrixWeights<float>{{w_.data(), 3, 4}, {picked_.data(), 3}})));
  EXPECT_TRUE(refused(f + "drawn overlaps the matrix of weights",
                      draw_into({std::bit_cast<std::int32_t*>(w_.data()), 3}, weights())));
  EXPECT_TRUE(refused(f + "drawn overlaps status",
                      draw(weights(), {.status = {std::bit_cast<DrawStatus*>(drawn_.data()), 3}})));
  EXPECT_TRUE(refused(f + "status overlaps the matrix of weights",
                      draw(weights(), {.status = {std::bit_cast<DrawStatus*>(w_.data()), 3}})));
  // Results beside the weights of each row, in one array of records.
  const Drawn beside(std::bit_cast<std::int32_t*>(w_.data() + 12), 3);
  EXPECT_NO_THROW(draw_into(beside, MatrixWeights<float>{{w_.data(), 3, 4}})());
}

TEST_F(SamplingContract, RaggedWeights) {
  using R = RaggedWeights<double>;
  const VectorView<const double> values(doubles_.data(), 4);
  EXPECT_NO_THROW(draw(R{values, offsets_})());
  EXPECT_TRUE(refused("values is null", draw(R{{nullptr, 4}, offsets_})));
  EXPECT_TRUE(refused("values has -4 entries", draw(R{{doubles_.data(), -4}, offsets_})));
  EXPECT_TRUE(refused("more than an address space holds", draw(R{{doubles_.data(), huge}, offsets_})));
  EXPECT_TRUE(refused("offsets is null", draw(R{values, {nullptr, 4}})));
  EXPECT_TRUE(refused("offsets has -4 entries", draw(R{values, {offsets_.data(), -4}})));
  EXPECT_TRUE(refused("offsets must have one entry more than there are rows", draw(R{values, {}})));
  const Int64s falling = {0, 3, 2, 4}, beyond = {0, 2, 3, 5}, negative = {-1, 2, 3, 4}, empty_row = {0, 2, 2, 4};
  EXPECT_TRUE(refused("row 1 has the offsets 3 and 2", draw(R{values, falling})));
  EXPECT_TRUE(refused("row 2 has the offsets 3 and 5, expected 0 <= first <= second <= 4", draw(R{values, beyond})));
  EXPECT_TRUE(refused("row 0 has the offsets -1 and 2", draw(R{values, negative})));
  EXPECT_TRUE(refused("row 1 has no categories", draw(R{values, empty_row})));
  EXPECT_TRUE(refused("rows[0] is 3, expected 0 <= row < 3", draw(R{values, offsets_, beyond_})));
  EXPECT_TRUE(refused("takes rows of one length, not ragged ones",
                      draw(R{values, offsets_}, {.method = PartialSums::butterfly_swap_remnant_first})));
  EXPECT_NO_THROW(sample_categorical(R{{}, {offsets_.data(), 1}}, Drawn()));
}

TEST_F(SamplingContract, ProductWeights) {
  using P = ProductWeights<float>;
  const MatrixView<const float> m(w_.data(), 3, 4);
  EXPECT_NO_THROW(draw(P{m, {}, m, {}})());
  EXPECT_TRUE(refused("left is null", draw(P{{nullptr, 3, 4}, {}, m, {}})));
  EXPECT_TRUE(refused("right must have sizes >= 0", draw(P{m, {}, {w_.data(), -3, 4}, {}})));
  EXPECT_TRUE(refused("right is at address", draw(P{m, {}, {misaligned(w_.data()), 3, 4}, {}})));
  EXPECT_TRUE(refused("the same number of columns; got 4 and 3", draw(P{m, {}, {w_.data(), 3, 3}, {}})));
  EXPECT_TRUE(refused("the same number of rows; got 3 and 2", draw(P{m, {}, {w_.data(), 2, 4}, {}})));
  EXPECT_TRUE(refused("left_rows is null", draw(P{m, {nullptr, 3}, m, {}})));
  EXPECT_TRUE(refused("right_rows has -1 entries", draw(P{m, {}, m, {picked_.data(), -1}})));
  EXPECT_TRUE(refused("left_rows[0] is 3", draw(P{m, beyond_, m, {}})));
  EXPECT_TRUE(refused("right_rows[2] is -1", draw(P{m, {}, m, before_})));
  EXPECT_TRUE(refused("products need adjacent columns; got column strides 2 and 1",
                      draw(P{{w_.data(), 3, 2, 4, 2}, {}, {w_.data(), 3, 2}, {}})));
  EXPECT_TRUE(refused("row 0 has no categories", draw(P{{nullptr, 3, 0, 4}, {}, {nullptr, 3, 0, 4}, {}})));
}

TEST_F(SamplingContract, LogitWeights) {
  using L = LogitWeights<float>;
  const MatrixView<const float> m(w_.data(), 3, 4);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(draw(L{m})());
  for (const double temperature : {0.0, -1.0, nan, HUGE_VAL, 1e-300}) {
    EXPECT_TRUE(refused("the temperature must be between 2^-100 and 2^100", draw(L{m, {}, temperature})));
  }
  EXPECT_TRUE(refused("is null, but 3 rows", draw(L{{nullptr, 3, 4}})));
  EXPECT_TRUE(refused("rows[0] is 3", draw(L{m, beyond_})));
  EXPECT_TRUE(refused("row 0 has no categories", draw(L{{nullptr, 3, 0, 4}})));
  const LogitWeights<double> of_doubles = {{doubles_.data(), 3, 4}, {}, nan};
  EXPECT_TRUE(refused("the temperature must be", draw(of_doubles)));
}

TEST_F(SamplingContract, SampleWorkspaceBytes) {
  const auto method = no_enumerator<PartialSums>();
  EXPECT_EQ(sample_workspace_bytes(weights()), 0);
  EXPECT_TRUE(refused("unknown method 99", [&] { sample_workspace_bytes(weights(), method); }));
  EXPECT_TRUE(refused("is null", [] { sample_workspace_bytes(MatrixWeights<float>{{nullptr, 3, 4}}); }));
  EXPECT_TRUE(refused("offsets", [] { sample_workspace_bytes(RaggedWeights<float>{}); }));
  EXPECT_TRUE(refused("temperature", [] { sample_workspace_bytes(LogitWeights<float>{{}, {}, -1}); }));
  EXPECT_EQ(sample_workspace_bytes(ProductWeights<float>{}), 0);
}

TEST_F(SamplingContract, PartialSumsAndDrawStatus) {
  EXPECT_EQ(name(no_enumerator<PartialSums>()), "unknown");
  EXPECT_EQ(name(no_enumerator<DrawStatus>()), "unknown");
  for (const PartialSumsChoice& row : partial_sums()) EXPECT_EQ(parse_partial_sums(row.name), row.value);
  EXPECT_TRUE(refused("unknown method \"\"", [] { parse_partial_sums({}); }));
  EXPECT_TRUE(refused("unknown method \"slots\\x00\"", [] { parse_partial_sums(std::string_view("slots\0", 6)); }));
}

// A table of either kind, from weights of either type.
template <class Table>
void check_table(std::string_view table) {
  const std::string f(table);
  std::vector<float> floats = {1, 0, 3, 0.5f};
  std::vector<double> doubles = {1, 0, 3, 0.5};
  Int32s drawn(10), again(10);
  const auto make = [&](VectorView<const double> weights) { return [=] { Table made(weights); }; };
  EXPECT_TRUE(refused(f + ": weights is null, but 4 entries", make({nullptr, 4})));
  EXPECT_TRUE(refused(f + ": weights has -1 entries", make({doubles.data(), -1})));
  EXPECT_TRUE(refused(f + ": weights has", make({doubles.data(), huge})));
  EXPECT_TRUE(refused(f + ": weights is at address", make({misaligned(doubles.data()), 2})));
  EXPECT_TRUE(
      refused(f + ": weights must be at most 2147483647 categories", make({doubles.data(), std::int64_t{1} << 31})));
  EXPECT_TRUE(refused(f + ": there are no categories", make({})));
  for (const double bad : {-1.0, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> weights = {1, bad};
    EXPECT_TRUE(refused("weights must be finite and >= 0; category 1", make(weights)));
  }
  const std::vector<double> zeros = {0, 0};
  EXPECT_TRUE(refused("no category has a positive weight", make(zeros)));

  Table sound(VectorView<const float>{floats});
  const auto sample = [&](Drawn to, RepeatedDrawOptions options = {}) { return [=] { sound.sample(to, options); }; };
  EXPECT_EQ(sound.categories(), 4);
  EXPECT_TRUE(refused(f + "::sample: drawn is null", sample({nullptr, 4})));
  EXPECT_TRUE(refused(f + "::sample: drawn has -4 entries", sample({drawn.data(), -4})));
  EXPECT_TRUE(refused(f + "::sample: drawn is at address", sample({misaligned(drawn.data()), 4})));
  EXPECT_TRUE(refused("threads must be 0 (all) or a number up to 4096; got -1", sample(drawn, {.threads = -1})));
  EXPECT_NO_THROW(sample({})());
  sound.sample(drawn, {.first_draw = ~std::uint64_t{0} - 3});

  EXPECT_EQ(sound.device(), Device::cpu());
  sound.on(Device::cpu()).sample(again, {.first_draw = ~std::uint64_t{0} - 3});
  EXPECT_EQ(again, drawn);
  const auto far = testing::vector_on_cuda<std::int32_t>();
  EXPECT_TRUE(refused(f + "::sample: drawn is on cuda:0, the table is on cpu", sample(far)));

  Table moved_to = std::move(sound);
  sound.sample(again, {.first_draw = ~std::uint64_t{0} - 3});  // NOLINT(bugprone-use-after-move): it still draws
  EXPECT_EQ(again, drawn);
  EXPECT_EQ(sound.categories(), 4);
  Table assigned(VectorView<const double>{doubles});
  assigned = std::move(moved_to);
  moved_to.sample(again);
  EXPECT_EQ(moved_to.categories(), 4);
}

TEST(TableContract, AliasTable) { check_table<AliasTable>("AliasTable"); }

TEST(TableContract, CumulativeTable) {
  check_table<CumulativeTable>("CumulativeTable");
  const std::vector<double> weights = {0, 2, 0, 2, 0};
  const CumulativeTable table{VectorView<const double>(weights)};
  EXPECT_EQ(table.find(0), 1);
  EXPECT_EQ(table.find(0.5), 3);
  EXPECT_EQ(table.find(std::nextafter(1.0, 0.0)), 3);
  for (const double u : {-0.1, 1.0, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(refused("expected 0 <= u < 1", [&] { table.find(u); }));
  }
}

TEST(TableContract, Choice) {
  const std::vector<float> floats = {1, 0, 3, 0.5f};
  std::vector<double> doubles = {1, 0, 3, 0.5};
  Int32s drawn(10);
  Int64s wide(10);
  const std::string f = "choice: ";
  const auto call = [&](VectorView<const double> weights, Drawn to, RepeatedDrawOptions options = {}) {
    return [=] { choice(weights, to, options); };
  };
  const auto equal = [&](std::int64_t categories, Drawn to) { return [=] { choice(categories, to); }; };
  EXPECT_TRUE(refused(f + "weights is null, but 4 entries", call({nullptr, 4}, drawn)));
  EXPECT_TRUE(refused(f + "weights has -1 entries", call({doubles.data(), -1}, drawn)));
  EXPECT_TRUE(refused(f + "weights has", call({doubles.data(), huge}, drawn)));
  EXPECT_TRUE(refused(f + "weights is at address", call({misaligned(doubles.data()), 2}, drawn)));
  EXPECT_TRUE(
      refused(f + "weights must be at most 2147483647 categories", call({doubles.data(), std::int64_t{1} << 31}, {})));
  EXPECT_TRUE(refused(f + "there are no categories", call({}, drawn)));
  for (const double bad : {-1.0, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> weights = {1, bad};
    EXPECT_TRUE(refused("weights must be finite and >= 0; category 1", call(VectorView<const double>(weights), drawn)));
  }
  const std::vector<double> zeros = {0, 0};
  EXPECT_TRUE(refused("no category has a positive weight", call(VectorView<const double>(zeros), drawn)));
  const VectorView<const double> sound(doubles);
  EXPECT_TRUE(refused(f + "drawn is null", call(sound, {nullptr, 4})));
  EXPECT_TRUE(refused(f + "drawn has -4 entries", call(sound, {drawn.data(), -4})));
  EXPECT_TRUE(refused(f + "drawn is at address", call(sound, {misaligned(drawn.data()), 4})));
  EXPECT_TRUE(refused(f + "drawn overlaps weights", call(sound, {reinterpret_cast<std::int32_t*>(doubles.data()), 4})));
  EXPECT_TRUE(refused("threads must be 0 (all) or a number up to 4096; got -1", call(sound, drawn, {.threads = -1})));
  EXPECT_TRUE(refused(f + "categories is 0, expected 1 to 2147483647", equal(0, drawn)));
  EXPECT_TRUE(refused(f + "categories is 2147483648", equal(std::int64_t{1} << 31, drawn)));
  EXPECT_TRUE(refused(f + "drawn is null", equal(4, {nullptr, 4})));
  EXPECT_NO_THROW(call(sound, {})());
  choice(sound, VectorView<std::int64_t>(wide), {.first_draw = ~std::uint64_t{0} - 3});
  choice(VectorView<const float>(floats), drawn, {.first_draw = ~std::uint64_t{0} - 3});
  EXPECT_TRUE(std::equal(drawn.begin(), drawn.end(), wide.begin()));
  choice(VectorView<const float>(floats), VectorView<std::int64_t>(wide));
  choice(4, VectorView<std::int64_t>(wide));
  EXPECT_TRUE(std::all_of(wide.begin(), wide.end(), [](std::int64_t k) { return k >= 0 && k < 4; }));
}

TEST(GammaContract, SampleGamma) {
  std::vector<float> shapes(12, 2.0f), drawn(12);
  const Int64s ids = {1, 2, 3};
  const MatrixView<const float> of(shapes.data(), 3, 4);
  const MatrixView<float> to(drawn.data(), 3, 4);
  const auto call = [&](MatrixView<const float> from, MatrixView<float> into, GammaOptions options = {}) {
    return [=] { sample_gamma(from, into, options); };
  };
  const std::string f = "sample_gamma: ";
  EXPECT_NO_THROW(call(of, to)());
  EXPECT_TRUE(refused(f + "shapes is null", call({nullptr, 3, 4}, to)));
  EXPECT_TRUE(refused(f + "drawn is null", call(of, {nullptr, 3, 4})));
  EXPECT_TRUE(refused(f + "shapes are -3 x 4", call({shapes.data(), -3, 4}, to)));
  EXPECT_TRUE(refused(f + "shapes are 3 x -4", call({shapes.data(), 3, -4}, to)));
  EXPECT_TRUE(refused(f + "shapes are 3 x 2147483648", call({shapes.data(), 3, std::int64_t{1} << 31, 0, 0}, to)));
  EXPECT_TRUE(refused(f + "shapes has", call({shapes.data(), huge, 4, 4}, {drawn.data(), huge, 4})));
  EXPECT_TRUE(refused(f + "drawn has", call({shapes.data(), huge, 4, 0}, {drawn.data(), huge, 4})));
  EXPECT_TRUE(refused(f + "drawn has", call(of, {drawn.data(), 3, 4, lowest})));
  EXPECT_TRUE(refused(f + "drawn must be as large as shapes; got 2 x 4 for 3 x 4", call(of, {drawn.data(), 2, 4})));
  EXPECT_TRUE(refused(f + "drawn is at address", call(of, {misaligned(drawn.data()), 2, 4})));
  EXPECT_TRUE(
      refused(f + "rows of drawn overlap: 3 rows x 4 columns with strides 3", call(of, {drawn.data(), 3, 4, 3})));
  EXPECT_TRUE(refused(f + "rows of drawn overlap", call(of, {drawn.data(), 3, 4, 0})));
  EXPECT_TRUE(
      refused(f + "the columns of drawn must be adjacent; got column stride 2", call(of, {drawn.data(), 3, 4, 8, 2})));
  EXPECT_TRUE(refused(f + "drawn overlaps shapes", [&] {
    sample_gamma({drawn.data() + 1, 2, 4}, {drawn.data(), 2, 4});
  }));
  EXPECT_TRUE(refused(f + "row_ids is null", call(of, to, {.row_ids = {nullptr, 3}})));
  EXPECT_TRUE(refused(f + "row_ids has -3 entries", call(of, to, {.row_ids = {ids.data(), -3}})));
  EXPECT_TRUE(refused(f + "row_ids must have one entry per row; got 2", call(of, to, {.row_ids = {ids.data(), 2}})));
  EXPECT_TRUE(refused(f + "threads must be >= 0; got -1", call(of, to, {.threads = -1})));
  EXPECT_TRUE(refused(f + "drawn is on cuda:0", call(of, {drawn.data(), 3, 4, 4, 1, testing::cuda_device()})));
  for (const float bad : {0.0f, -1.0f, 1e-40f, HUGE_VALF, std::nanf("")}) {
    shapes[5] = bad;
    EXPECT_TRUE(refused("row 1, column 1", call(of, to)));
  }
  shapes[5] = 2;
  sample_gamma(of, to);
  sample_gamma({shapes.data(), 3, 4}, {shapes.data(), 3, 4});  // in place
  EXPECT_EQ(shapes, drawn);
  EXPECT_NO_THROW(call({}, {})());
}

// Every bit pattern has a meaning, and the way back.
TEST(HalfContract, HalfAndBFloat16) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto stored = static_cast<std::uint16_t>(bits);
    const float half = to_float(Half{stored}), bfloat = to_float(BFloat16{stored});
    if (!std::isnan(half)) {
      EXPECT_EQ(to_half(half).bits, stored);
    } else {
      EXPECT_TRUE(std::isnan(to_float(to_half(half))));
    }
    if (!std::isnan(bfloat)) {
      EXPECT_EQ(to_bfloat16(bfloat).bits, stored);
    } else {
      EXPECT_TRUE(std::isnan(to_float(to_bfloat16(bfloat))));
    }
  }
}

TEST(HalfContract, Float8E4M3FNAndFloat8E5M2) {
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    const auto stored = static_cast<std::uint8_t>(bits);
    const float e4m3 = to_float(Float8E4M3FN{stored}), e5m2 = to_float(Float8E5M2{stored});
    EXPECT_EQ(std::isnan(e4m3), bits % 128 == 127);
    EXPECT_EQ(std::isnan(e5m2), bits % 128 > 124);
    EXPECT_EQ(to_float8_e4m3fn(e4m3).bits, stored);
    if (!std::isnan(e5m2)) {
      EXPECT_EQ(to_float8_e5m2(e5m2).bits, stored);
    } else {
      EXPECT_TRUE(std::isnan(to_float(to_float8_e5m2(e5m2))));
    }
  }
}

}  // namespace
}  // namespace papilio
