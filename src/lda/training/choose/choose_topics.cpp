#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "execution/cpu/interruption.h"
#include "lda/model/choose_runs.h"
#include "lda/training/choose/chooser.h"
#include "papilio/choose.h"

namespace papilio {

ChooseResult choose_topics(const CorpusView& corpus, const ChooseOptions& options, std::vector<ChooseRun> runs) {
  lda::require_choose_options(options, "choose_topics");
  corpus.verify(options.training.threads);
  lda::require_runs(runs, corpus.vocabulary_size(), options.top_words, "choose_topics");
  const lda::Chooser chooser(corpus, options);
  const std::vector<lda::WantedModel> wanted = lda::wanted_beside(runs, options);
  const auto goes_on = [&](const ChooseProgress& progress) {
    const std::atomic<bool>* const stop = execution::stop_flag();
    const bool continues = !options.progress || options.progress(progress);
    return continues && (stop == nullptr || !*stop);
  };
  bool stopped = false;
  for (std::size_t i = 0; i < wanted.size() && !stopped; ++i) {
    std::optional<ChooseRun> run =
        chooser.run(wanted[i], static_cast<int>(i) + 1, static_cast<int>(wanted.size()), goes_on);
    stopped = !run;
    if (!run) break;
    if (options.done) options.done(*run);
    runs.push_back(std::move(*run));
  }
  return chooser.result(std::move(runs), stopped);
}

}  // namespace papilio
