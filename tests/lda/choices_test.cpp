// Tables of the values that options can take: complete, without doubles, and true.

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/choices.h"
#include "papilio/corpus_formats.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"
#include "papilio/sampling.h"

namespace papilio {
namespace {

template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
    return "no error";
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

// `parse` reads what the rows' names say, and the rows are all enumerators there are.
template <class Rows, class Parse>
void check_table(const Rows& rows, const Parse& parse) {
  using Enum = decltype(rows[0].value);
  std::set<std::string_view> names;
  std::string all;
  for (const auto& row : rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(name(row.value), row.name);
    EXPECT_EQ(parse(row.name), row.value);
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_EQ(row.help.find('\n'), row.help.npos) << row.name;
    all += (all.empty() ? "" : ", ") + std::string(row.name);
  }
  for (std::size_t i = 0; i < std::size(rows); ++i) EXPECT_NE(name(static_cast<Enum>(i)), "unknown") << i;
  for (std::size_t i = std::size(rows); i < 256; ++i) EXPECT_EQ(name(static_cast<Enum>(i)), "unknown") << i;
  for (const std::string_view text : {"", " ", "x", "unknown", "COLLAPSED", "slots "}) {
    const std::string message = refusal([&] { parse(text); });
    EXPECT_NE(message.find("unknown"), message.npos) << message;
    EXPECT_NE(message.find("\"" + std::string(text) + "\", expected one of " + all), message.npos) << message;
  }
}

TEST(Choices, TablesHoldEveryEnumeratorOnce) {
  check_table(samplers(), parse_sampler);
  check_table(schedules(), parse_schedule);
  check_table(draw_kinds(), parse_draws);
  check_table(starts(), parse_start);
  check_table(partial_sums(), parse_partial_sums);
  check_table(infer_methods(), parse_infer_method);
  check_table(coherence_measures(), parse_coherence_measure);
  check_table(corpus_formats(), parse_corpus_format);
  check_table(word_rules(), parse_word_rule);
}

TEST(Choices, TheDefaultComesFirst) {
  EXPECT_EQ(samplers()[0].value, TrainOptions().sampler);
  EXPECT_EQ(schedules()[0].value, TrainOptions().schedule);
  EXPECT_EQ(draw_kinds()[0].value, TrainOptions().draws);
  EXPECT_EQ(starts()[0].value, TrainOptions().start);
  EXPECT_EQ(partial_sums()[0].value, SampleOptions().method);
  EXPECT_EQ(infer_methods()[0].value, InferOptions().method);
  EXPECT_EQ(coherence_measures()[0].value, CoherenceOptions().measure);
  EXPECT_EQ(corpus_formats()[0].value, CorpusOptions().format);
  EXPECT_EQ(word_rules()[0].value, TextOptions().words);
}

TEST(Choices, AnUnknownNameIsQuotedShortAndSafe) {
  EXPECT_EQ(refusal([] { parse_schedule("serial"); }),
            "papilio::parse_schedule: unknown schedule \"serial\", expected one of parallel, sequential");
  EXPECT_EQ(refusal([] { parse_schedule(std::string_view("parallel\0\n", 10)); }),
            "papilio::parse_schedule: unknown schedule \"parallel\\x00\\x0a\", expected one of parallel, sequential");
  EXPECT_EQ(refusal([] { parse_schedule(std::string(1 << 20, 's')); }),
            "papilio::parse_schedule: unknown schedule \"" + std::string(60, 's') +
                "...\", expected one of parallel, sequential");
}

const Corpus corpus = {{0, 3, 5}, {0, 1, 0, 1, 1}, {"a", "b"}};

TEST(Choices, ANumberThatIsNoEnumeratorIsRefused) {
  const auto message = [](auto TrainOptions::*option) {
    TrainOptions options = {.topics = 2, .sweeps = 1};
    using Enum = std::remove_reference_t<decltype(options.*option)>;
    options.*option = static_cast<Enum>(77);
    return refusal([&] { train(corpus, options); });
  };
  EXPECT_EQ(message(&TrainOptions::sampler),
            "papilio::train: unknown sampler 77, expected one of " + base::names_in(samplers()));
  EXPECT_EQ(message(&TrainOptions::schedule),
            "papilio::train: unknown schedule 77, expected one of parallel, sequential");
  EXPECT_EQ(message(&TrainOptions::draws),
            "papilio::train: unknown kind of draws 77, expected one of automatic, dense, sparse, alias");
  EXPECT_EQ(message(&TrainOptions::start),
            "papilio::train: unknown start 77, expected one of automatic, uniform, progressive");
  EXPECT_EQ(message(&TrainOptions::method).substr(0, 56), "papilio::train: unknown method 77, expected one of slots");
  const Model model = train(corpus, {.topics = 2, .sweeps = 1}).model;
  EXPECT_EQ(refusal([&] { infer(model, corpus, {.method = static_cast<InferMethod>(77)}); }),
            "papilio::infer: unknown method 77, expected one of gibbs, em");
  EXPECT_EQ(refusal([&] { coherence(model, corpus, {.measure = static_cast<CoherenceMeasure>(77)}); }),
            "papilio::coherence: unknown measure 77, expected one of npmi, umass, c_v");
}

TEST(Choices, SparseDrawsAreTakenWhereTheRowSaysSo) {
  for (const SamplerChoice& sampler : samplers()) {
    for (const auto& schedule : schedules()) {
      TrainOptions options = {.topics = 32, .sweeps = 1, .sampler = sampler.value, .schedule = schedule.value};
      bool sparse = false;
      options.progress = [&](const Progress& progress) {
        sparse = progress.draws.sparse;
        return true;
      };
      train(corpus, options);
      EXPECT_EQ(sparse, sampler.sparse_by_default) << sampler.name << ", " << schedule.name;
      options.draws = Draws::sparse;
      if (sampler.sparse_draws) {
        train(corpus, options);
        EXPECT_TRUE(sparse) << sampler.name << ", " << schedule.name;
      } else {
        EXPECT_THROW(train(corpus, options), InvalidArgument) << sampler.name << ", " << schedule.name;
      }
    }
  }
}

// The sequential schedule is another chain exactly where phi is integrated out.
TEST(Choices, SchedulesDifferWherePhiIsIntegratedOut) {
  const GeneratedCorpus generated = generate_corpus({.documents = 40, .vocabulary = 30, .topics = 4, .seed = 3});
  for (const SamplerChoice& sampler : samplers()) {
    TrainOptions options = {.topics = 4, .sweeps = 3, .sampler = sampler.value};
    const Model parallel = train(generated.corpus, options).model;
    options.schedule = Schedule::sequential;
    const bool same = train(generated.corpus, options).model.n_wk == parallel.n_wk;
    EXPECT_EQ(same, sampler.phi != Parameter::integrated_out) << sampler.name;
  }
}

TEST(Choices, RaggedRowsAreTakenWhereTheRowSaysSo) {
  const std::vector<float> values = {1, 2, 3};
  const std::vector<std::int64_t> offsets = {0, 1, 3};
  std::vector<std::int32_t> drawn(2);
  for (const PartialSumsChoice& method : partial_sums()) {
    const RaggedWeights<float> weights = {values, offsets};
    const std::string message = refusal([&] { sample_categorical(weights, drawn, {.method = method.value}); });
    EXPECT_EQ(message == "no error", method.ragged_rows) << method.name << ": " << message;
  }
}

// One row, drawn with the same number at an even and at an odd position.
TEST(Choices, DrawsDependOnThePositionOnlyWhereTheRowSaysSo) {
  constexpr std::int64_t rows = 8000, categories = 1000;
  std::vector<float> weights;
  for (std::int64_t k = 0; k < categories; ++k) weights.push_back(1.0f / static_cast<float>(3 * k + 1));
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < rows; ++i) numbers.push_back(i / 2);
  const std::vector<std::int32_t> first(rows);
  for (const PartialSumsChoice& method : partial_sums()) {
    if (method.depends_on_position) continue;
    std::vector<std::int32_t> drawn(rows);
    const MatrixWeights<float> matrix = {{weights.data(), 1, categories}, first};
    sample_categorical(matrix, drawn, {.seed = 5, .row_ids = numbers, .method = method.value});
    for (std::size_t i = 0; i < drawn.size(); i += 2) ASSERT_EQ(drawn[i], drawn[i + 1]) << method.name;
  }
}

}  // namespace
}  // namespace papilio
