// The five samplers reach the same held-out likelihood: on a generated corpus, and nightly on a real one.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "papilio/corpus_formats.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

// Held-out nats per token of a chain: the mean over its scores from sweep `from` on.
double nats(const CorpusView& training, const TrainOptions& options, std::int64_t from,
            const ChainState* start = nullptr) {
  const TrainResult result = train(training, options, start);
  double sum = 0;
  int count = 0;
  for (const HeldOutScore& score : result.held_out) {
    if (score.sweep < from) continue;
    sum += score.completion.nats_per_token();
    ++count;
  }
  return sum / count;
}

// One sampler by several seeds.
struct Scores {
  std::string label;
  std::vector<double> of_seeds = {};

  double mean() const {
    return std::accumulate(of_seeds.begin(), of_seeds.end(), 0.0) / static_cast<double>(of_seeds.size());
  }
  double squares() const {  // about the mean
    double sum = 0;
    for (const double x : of_seeds) sum += (x - mean()) * (x - mean());
    return sum;
  }
};

// How far single chains of one sampler lie from their mean: the standard deviation, pooled.
double noise(const std::vector<Scores>& all) {
  double squares = 0;
  std::size_t freedom = 0;
  for (const Scores& scores : all) {
    squares += scores.squares();
    freedom += scores.of_seeds.size() - 1;
  }
  return std::sqrt(squares / static_cast<double>(freedom));
}

double mean(const std::vector<Scores>& all) {
  double sum = 0;
  for (const Scores& scores : all) sum += scores.mean();
  return sum / static_cast<double>(all.size());
}

struct Chain {
  Sampler sampler;
  Schedule schedule = Schedule::parallel;
};

// The schedule is sequential where the parallel one approximates.
const std::vector<Chain> exact_chains = {{Sampler::collapsed, Schedule::sequential},
                                         {Sampler::phi_collapsed, Schedule::sequential},
                                         {Sampler::theta_collapsed},
                                         {Sampler::uncollapsed}};
constexpr Chain estimator = {Sampler::mean_for_mode};

TrainOptions with(const Chain& chain, TrainOptions options) {
  options.sampler = chain.sampler;
  options.schedule = chain.schedule;
  return options;
}

// A generated corpus in two, with the topics that its training documents were drawn with. Chains begin there:
// from anywhere else some stay where two topics are one for longer than a test can wait, whatever the sampler.
class Planted {
 public:
  static constexpr int seeds = 4;
  static constexpr std::int32_t topics = 6;

  Planted() {
    const GeneratedCorpus generated =
        generate_corpus({.documents = 300, .vocabulary = 300, .topics = topics, .mean_length = 50, .seed = 4});
    const std::vector<std::int64_t>& offsets = generated.corpus.document_offsets;
    constexpr std::size_t every = 4;
    split_ = hold_out_every(generated.corpus, every);
    for (std::size_t d = 0; d + 1 < offsets.size(); ++d) {
      if ((d + 1) % every == 0) continue;
      topics_.z.insert(topics_.z.end(), generated.topics.begin() + offsets[d],
                       generated.topics.begin() + offsets[d + 1]);
    }
  }

  Scores scores(const std::string& label, TrainOptions options) const {
    options.topics = topics;
    options.sweeps = 40;
    options.threads = 1;
    options.evaluate_every = 0;
    options.held_out = split_.held_out.view();
    options.held_out_every = 5;
    Scores result = {label};
    for (options.seed = 1; options.seed <= seeds; ++options.seed) {
      result.of_seeds.push_back(nats(split_.training, options, 15, &topics_));
    }
    return result;
  }

 private:
  HeldOutSplit split_;
  ChainState topics_;
};

// Chains of one sampler differ by about 0.003 nats (a standard deviation), the samplers' means over four seeds by half
// of that. So means agree where they are within four of these of the exact samplers' common mean. Mean-for-mode, which
// is no sampler of the posterior, lies two below. The same chain with half or twice the prior lies five and more away:
// the control.
TEST(HeldOut, IsTheSameByAllSamplers) {
  const Planted planted;
  std::vector<Scores> exact;
  for (const Chain& chain : exact_chains)
    exact.push_back(planted.scores(std::string(name(chain.sampler)), with(chain, {})));
  const double within = 4 * noise(exact), common = mean(exact);
  EXPECT_LT(within, 0.016) << "chains differ by more than this test can do with";
  for (const Scores& scores : exact) EXPECT_NEAR(scores.mean(), common, within) << scores.label;
  EXPECT_NEAR(planted.scores("mean_for_mode", with(estimator, {})).mean(), common, within);
  for (const double alpha : {0.05, 0.2}) {
    const Scores wrong = planted.scores("another prior", with({Sampler::theta_collapsed}, {.alpha = alpha}));
    EXPECT_GT(std::abs(wrong.mean() - common), within) << alpha;
  }
}

std::optional<Corpus> kos() {
  const char* data = std::getenv("PAPILIO_DATA");
  if (data == nullptr) return std::nullopt;
  const auto folder = std::filesystem::path(data) / "kos";
  if (!std::filesystem::exists(folder / "docword.kos.txt.zst")) return std::nullopt;
  return read_uci_bag_of_words(folder / "docword.kos.txt.zst", folder / "vocab.kos.txt");
}

// The posts of Daily Kos, K = 20, from uniform topics. Samplers that draw theta or phi need more sweeps to come as far,
// and take less time for each. Means over three seeds, of chains whose standard deviation is s, lie within
// 4 s / sqrt(3) of one another but for one time in a thousand; four of s is what is allowed here, as chains may also
// stay in different modes. A chain stopped early is the control.
TEST(NightlyHeldOut, IsTheSameByAllSamplersOnKos) {
  const std::optional<Corpus> corpus = kos();
  if (!corpus) GTEST_SKIP() << "PAPILIO_DATA does not name a folder with kos";
  const HeldOutSplit split = hold_out_every(*corpus, 10);
  const auto scores = [&](const Chain& chain, std::int64_t sweeps) {
    TrainOptions options = with(chain, {.topics = 20, .sweeps = sweeps, .evaluate_every = 0});
    options.held_out = split.held_out.view();
    options.held_out_every = sweeps / 20;
    Scores result = {std::string(name(chain.sampler))};
    for (options.seed = 1; options.seed <= 3; ++options.seed) {
      result.of_seeds.push_back(nats(split.training, options, sweeps * 3 / 4));
    }
    return result;
  };
  std::vector<Scores> all;
  for (const Chain& chain : exact_chains) {
    all.push_back(scores(chain, chain.schedule == Schedule::sequential ? 500 : 2000));
  }
  all.push_back(scores(estimator, 500));
  const double within = 4 * noise(all), common = mean(all);
  EXPECT_LT(within, 0.05);
  for (const Scores& score : all) EXPECT_NEAR(score.mean(), common, within) << score.label;
  EXPECT_GT(std::abs(scores({Sampler::collapsed, Schedule::sequential}, 40).mean() - common), within);
}

}  // namespace
}  // namespace papilio
