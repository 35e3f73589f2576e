// Trains a topic model on a corpus drawn from a known model. Prints the likelihood
// during training and the words of the topics.

#include <papilio/corpus.h>
#include <papilio/lda.h>
#include <papilio/model.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

// The share of tokens whose generated topic is the most common one among the tokens of their trained topic.
double share_found(const papilio::GeneratedCorpus& generated, const std::vector<std::int32_t>& z) {
  constexpr std::size_t K = 8;
  std::array<std::array<std::int64_t, K>, K> together = {};
  for (std::size_t i = 0; i < z.size(); ++i)
    ++together[static_cast<std::size_t>(z[i])][static_cast<std::size_t>(generated.topics[i])];
  std::int64_t found = 0;
  for (const auto& with : together) found += *std::max_element(with.begin(), with.end());
  return static_cast<double>(found) / static_cast<double>(z.size());
}

}  // namespace

int main() {
  // 500 documents of about 60 words, of 8 topics over 1,000 made-up words. For a corpus of your own, call
  // papilio::read_corpus("corpus.txt") of papilio/corpus_formats.h.
  const papilio::GeneratedCorpus generated = papilio::generate_corpus({.documents = 500,
                                                                       .vocabulary = 1000,
                                                                       .topics = 8,
                                                                       .mean_length = 60,
                                                                       .zipf_exponent = 0.7,
                                                                       .overlap = 0.02,
                                                                       .seed = 1});
  const papilio::Corpus& corpus = generated.corpus;
  std::printf("%lld documents, %lld tokens, %lld words\n", static_cast<long long>(corpus.documents()),
              static_cast<long long>(corpus.tokens()), static_cast<long long>(corpus.vocabulary_size()));

  // The model depends on the corpus and these options, never on the number of threads.
  papilio::TrainOptions options = {.topics = 8, .sweeps = 100, .alpha = 0.1, .beta = 0.01, .seed = 2};
  options.evaluate_every = 25;
  options.progress = [](const papilio::Progress& progress) {
    if (progress.evaluated)
      std::printf("sweep %3lld: log p(w, z) per token %.3f\n", static_cast<long long>(progress.sweep),
                  progress.log_joint_per_token);
    return true;  // go on
  };
  const papilio::TrainResult result = papilio::train(corpus, options);

  const papilio::Model& model = result.model;
  for (std::int32_t k = 0; k < model.topics; ++k) {
    const double share =
        static_cast<double>(model.n_k[static_cast<std::size_t>(k)]) / static_cast<double>(corpus.tokens());
    std::printf("topic %d (%4.1f %%):", k, 100 * share);
    for (const papilio::TopWord& top : papilio::top_words(model, k, 6))
      std::printf(" %s", model.vocabulary[static_cast<std::size_t>(top.word)].c_str());
    std::printf("\n");
  }
  std::printf("tokens whose topic was found: %.1f %%\n", 100 * share_found(generated, result.topics.z));
}
