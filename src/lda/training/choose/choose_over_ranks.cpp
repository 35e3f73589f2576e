#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "execution/cpu/interruption.h"
#include "execution/ranks/collectives.h"
#include "execution/ranks/work_of_rank.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/model/agreed.h"
#include "lda/io/model/choose_file.h"
#include "lda/model/choose_runs.h"
#include "lda/training/choose/chooser.h"
#include "papilio/choose.h"
#include "papilio/communicator.h"

namespace papilio {
namespace {

// The numbers of a run, as ranks send them to one another.
struct RunNumbers {
  std::int64_t topics;
  std::uint64_t seed;
  double measures[4];
  std::int64_t top_words;  // the number of words that follow
};

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

std::vector<std::byte> bytes_of(std::span<const ChooseRun> runs) {
  std::vector<std::byte> bytes;
  for (const ChooseRun& run : runs) {
    const RunNumbers numbers = {
        run.topics, run.seed, {run.perplexity, run.coherence, run.diversity, run.seconds}, std::ssize(run.top_words)};
    append(bytes, std::as_bytes(std::span(&numbers, 1)));
    append(bytes, std::as_bytes(std::span(run.top_words)));
  }
  return bytes;
}

std::vector<ChooseRun> runs_of(std::span<const std::byte> bytes) {
  std::vector<ChooseRun> runs;
  while (!bytes.empty()) {
    RunNumbers numbers = {};
    std::memcpy(&numbers, bytes.data(), sizeof numbers);
    bytes = bytes.subspan(sizeof numbers);
    std::vector<std::int32_t> words(static_cast<std::size_t>(numbers.top_words));
    if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::int32_t));
    bytes = bytes.subspan(words.size() * sizeof(std::int32_t));
    runs.push_back({.topics = static_cast<std::int32_t>(numbers.topics),
                    .seed = numbers.seed,
                    .perplexity = numbers.measures[0],
                    .coherence = numbers.measures[1],
                    .diversity = numbers.measures[2],
                    .seconds = numbers.measures[3],
                    .top_words = std::move(words)});
  }
  return runs;
}

std::vector<ChooseRun> runs_of_first(const std::vector<ChooseRun>& runs, Communicator& ranks) {
  std::vector<std::byte> bytes = bytes_of(runs);
  auto size = static_cast<std::int64_t>(bytes.size());
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  bytes.resize(static_cast<std::size_t>(size));
  ranks.broadcast(bytes, 0);
  return runs_of(bytes);
}

void require_same_choice(const CorpusView& corpus, const ChooseOptions& options, Communicator& ranks) {
  std::vector<std::int32_t> topics = options.topics;
  std::sort(topics.begin(), topics.end());
  std::vector<std::int32_t> seed_words;
  for (const SeedWord& word : options.training.seed_words) {
    seed_words.insert(seed_words.end(), {word.topic, word.word, word.weight});
  }
  std::string lines = fmt::format("options.topics {}\noptions.seeds {}\noptions.seed {}\noptions.seed_words {}\n",
                                  fmt::join(topics, ","), options.seeds, options.training.seed,
                                  lda::xxh3_128(std::as_bytes(std::span(seed_words))));
  for (const auto& [key, value] : lda::choose_identity(corpus, options)) lines += fmt::format("{} {}\n", key, value);
  lda::require_same_lines(lines, ranks, "choose_topics");
}

// The largest first, so that the models of a round, one per rank, take about the same time.
std::vector<lda::WantedModel> in_rounds(std::vector<lda::WantedModel> wanted) {
  std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.topics > b.topics; });
  return wanted;
}

class Rounds {
 public:
  Rounds(const lda::Chooser& chooser, const ChooseOptions& options, Communicator& ranks)
      : chooser_(chooser), options_(options), ranks_(ranks) {}

  // The runs of all ranks, in the order of the models; nothing if a rank has stopped. Rank r trains model first + r, if
  // there is one.
  std::optional<std::vector<ChooseRun>> round(const std::vector<lda::WantedModel>& wanted, std::size_t first) {
    const std::size_t model = first + static_cast<std::size_t>(ranks_.rank());
    std::vector<ChooseRun> own;
    if (model < wanted.size()) {
      const auto goes_on = [this](const ChooseProgress& progress) {
        return all_go_on(!options_.progress || options_.progress(progress));
      };
      std::optional<ChooseRun> run =
          chooser_.run(wanted[model], static_cast<int>(model) + 1, static_cast<int>(wanted.size()), goes_on);
      if (!run) return std::nullopt;
      own.push_back(std::move(*run));
    } else if (!accompany()) {
      return std::nullopt;
    }
    std::vector<ChooseRun> all;
    for (const std::vector<std::byte>& bytes : execution::gather_everywhere(ranks_, bytes_of(own))) {
      for (ChooseRun& run : runs_of(bytes)) all.push_back(std::move(run));
    }
    return all;
  }

 private:
  // Ranks meet after every sweep. So a rank waits for another's sweep rather than for its whole model, and all stop
  // after the same sweep.
  bool all_go_on(bool goes_on) {
    const std::atomic<bool>* const stop = execution::stop_flag();
    std::int64_t stopping = goes_on && (stop == nullptr || !*stop) ? 0 : 1;
    ranks_.add_up(std::span(&stopping, 1));
    return stopping == 0;
  }

  // For a rank without a model: meets the others after every sweep. As in `train`, a stop after the last has no effect.
  bool accompany() {
    for (std::int64_t sweep = 1; sweep <= options_.training.sweeps; ++sweep) {
      if (!all_go_on(true) && sweep < options_.training.sweeps) {
        execution::stop_point();
        return false;
      }
    }
    return true;
  }

  const lda::Chooser& chooser_;
  const ChooseOptions& options_;
  Communicator& ranks_;
};

void require_models_of_one_rank(const ChooseOptions& options) {
  base::require(options.training.ranks == nullptr,
                "papilio::choose_topics: training has ranks, expected none: each model is trained by one rank");
}

ChooseResult choose_over_ranks(const CorpusView& corpus, const ChooseOptions& options,
                               const std::vector<ChooseRun>& runs, Communicator& ranks) {
  lda::require_choose_options(options, "choose_topics");
  require_models_of_one_rank(options);
  corpus.verify(options.training.threads);
  lda::require_runs(runs, corpus.vocabulary_size(), options.top_words, "choose_topics");
  require_same_choice(corpus, options, ranks);
  std::vector<ChooseRun> known = runs_of_first(runs, ranks);
  const lda::Chooser chooser(corpus, options);
  const std::vector<lda::WantedModel> wanted = in_rounds(lda::wanted_beside(known, options));
  Rounds rounds(chooser, options, ranks);
  for (std::size_t first = 0; first < wanted.size(); first += static_cast<std::size_t>(ranks.ranks())) {
    std::optional<std::vector<ChooseRun>> found = rounds.round(wanted, first);
    if (!found) return chooser.result(std::move(known), true);
    for (ChooseRun& run : *found) {
      if (options.done) options.done(run);
      known.push_back(std::move(run));
    }
  }
  return chooser.result(std::move(known), false);
}

}  // namespace

ChooseResult choose_topics(const CorpusView& corpus, const ChooseOptions& options, const std::vector<ChooseRun>& runs,
                           Communicator& ranks) {
  return execution::work_of_rank(ranks, [&] { return choose_over_ranks(corpus, options, runs, ranks); });
}

}  // namespace papilio
