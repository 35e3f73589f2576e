// Holds documents out of training, then infers their topics, measures how well the model predicts their words, and
// scores the coherence and diversity of its topics.

#include <papilio/corpus.h>
#include <papilio/evaluation.h>
#include <papilio/lda.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

int main() {
  // 600 documents of about 60 words, of 8 topics over 1,000 made-up words; every tenth is held out.
  const papilio::GeneratedCorpus generated = papilio::generate_corpus({.documents = 600,
                                                                       .vocabulary = 1000,
                                                                       .topics = 8,
                                                                       .mean_length = 60,
                                                                       .zipf_exponent = 0.7,
                                                                       .overlap = 0.02,
                                                                       .seed = 1});
  const papilio::HeldOutSplit split = papilio::hold_out_every(generated.corpus, 10);
  std::printf("%lld documents to train on, %lld held out\n", static_cast<long long>(split.training.documents()),
              static_cast<long long>(split.held_out.documents()));

  // Too few topics, as many as there are, and too many.
  for (const int topics : {2, 8, 32}) {
    const papilio::Model model =
        papilio::train(split.training, {.topics = topics, .sweeps = 100, .alpha = 0.1, .beta = 0.01, .seed = 2}).model;
    const papilio::Completion completion = papilio::complete_documents(model, split.held_out, {.seed = 3});
    const papilio::Coherence umass =
        papilio::coherence(model, split.training, {.measure = papilio::CoherenceMeasure::umass});
    std::printf("%2d topics: held-out perplexity %5.1f, UMass coherence %.2f, diversity %.2f\n", topics,
                completion.perplexity(), umass.mean, papilio::diversity(model));
    if (topics != 8) continue;

    // A document's topics depend only on the model, the seed and its own words.
    const papilio::DocumentTopics inferred = papilio::infer(model, split.held_out, {.seed = 4});
    for (std::int64_t d = 0; d < 3; ++d) {
      const float* theta = inferred.row(d);
      const auto k = std::max_element(theta, theta + inferred.topics) - theta;
      std::printf("   document %lld: topic %lld makes up %.0f %%\n", static_cast<long long>(10 * d + 9),
                  static_cast<long long>(k), 100 * static_cast<double>(theta[k]));
    }
  }
}
