#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "papilio/choice.h"
#include "papilio/corpus.h"
#include "papilio/model.h"

// What a trained model makes of documents that it has not seen, and how good its topics are.

namespace papilio {

// The words of a corpus in a model's numbers.
struct WordMap {
  std::vector<std::int32_t> model_words;  // of each word of the corpus: the model's number for it, or -1
  std::int64_t unknown_words = 0;         // words of the corpus's vocabulary without one
  std::int64_t unknown_tokens = 0;        // and how often they occur
};

// Matches words by their spelling. A word of the model's vocabulary that training never counted is
// unknown: the model has learned nothing about it. Throws InvalidArgument where corpus or model do not verify.
WordMap map_words(const Model& model, const CorpusView& corpus);

// How a new document's topics are found.
enum class InferMethod : std::uint8_t {
  gibbs,  // the posterior mean of theta, from samples of the tokens' topics
  em,     // a fixed point, without random numbers
};

// Every method, the default first; the name of one ("unknown" for a number that is no enumerator); and the
// method of a name, which throws InvalidArgument with the known names.
std::span<const Choice<InferMethod>> infer_methods() noexcept;
std::string_view name(InferMethod method) noexcept;
InferMethod parse_infer_method(std::string_view name);

struct InferOptions {
  InferMethod method = InferMethod::gibbs;
  int sweeps = 100;        // gibbs: in all
  int burn_in = 20;        // gibbs: of these, the first that are not counted; < sweeps
  int em_steps = 50;       // em
  std::uint64_t seed = 0;  // gibbs
  int threads = 0;         // 0: all; never changes the result
};

// theta of documents.
struct DocumentTopics {
  std::int64_t documents = 0;     // D
  std::int32_t topics = 0;        // K
  std::vector<float> theta;       // D x K, row-major; a row sums to 1, to rounding
  std::int64_t known_tokens = 0;  // tokens that theta follows from
  std::int64_t unknown_words = 0;
  std::int64_t unknown_tokens = 0;

  const float* row(std::int64_t document) const { return theta.data() + document * topics; }
};

// Folds documents into a model that stays as it is: phi_wk = (n_wk + beta) / (n_k + V beta).
//
// gibbs  theta integrated out, a document's tokens in turn: P(z = k) ~ (n'_dk + alpha_k) phi_wk, n' without the
//        token itself. theta_dk is the mean of (n_dk + alpha_k) / (n_d + sum alpha) over the sweeps after burn_in.
// em     theta_k <- alpha_k + sum over tokens of theta_k phi_wk / sum_j theta_j phi_wj, normalised, em_steps times
//        from uniform.
//
// A row depends on the model, the options and the words of its document (not their order), and on
// nothing else: not on the other documents, its number, or the threads. Unknown words have no
// part. A document without known words gets the prior's mean.
//
// Time, gibbs: a token and sweep costs the number of topics its document has, and a distinct word of a
// document K more; em: em_steps * K for each distinct word. Memory beside theta: 16 K bytes a distinct word of the
// document at hand, a thread. Throws InvalidArgument for options out of range and what does not verify.
DocumentTopics infer(const Model& model, const CorpusView& corpus, const InferOptions& options = {});

struct CompletionOptions {
  int em_steps = 50;
  std::uint64_t seed = 0;  // of the shuffle
  bool shuffle = true;     // false: tokens in the order they have
  int threads = 0;         // 0: all; never changes the result
};

struct Completion {
  std::int64_t documents = 0;    // scored: those of two known tokens or more
  std::int64_t left_out = 0;     // the others
  std::int64_t tokens_seen = 0;  // that theta follows from
  std::int64_t tokens = 0;       // scored
  std::int64_t unknown_tokens = 0;
  double log_likelihood = 0;  // of the tokens scored, in nats
  double nats_per_token() const { return -log_likelihood / static_cast<double>(tokens); }
  double perplexity() const;  // exp(nats_per_token())
};

// Held-out likelihood by document completion. Each document's known tokens are shuffled; theta is folded in by
// `em` on tokens 0, 2, 4, ... and tokens 1, 3, 5, ... are scored by ln sum_k theta_k phi_wk.
//
// The shuffle depends on the seed and the document's words alone. Words that training never saw
// are left out of both halves, so compare models of the same training corpus. The likelihood uses the C
// library's logarithm: its last digits may differ between machines.
//
// Source: Wallach, Murray, Salakhutdinov and Mimno, ICML 2009, section 5 (document completion).
Completion complete_documents(const Model& model, const CorpusView& corpus, const CompletionOptions& options = {});

struct LeftToRightOptions {
  int particles = 20;
  std::uint64_t seed = 0;
  int threads = 0;  // 0: all; never changes the result
};

struct LeftToRight {
  std::vector<double> log_likelihoods;  // D, ln p(words of the document), in nats; 0 without known words
  std::int64_t tokens = 0;              // scored
  std::int64_t unknown_tokens = 0;
  double log_likelihood = 0;  // their sum
  double nats_per_token() const { return -log_likelihood / static_cast<double>(tokens); }
  double perplexity() const;  // exp(nats_per_token())
};

// Held-out likelihood ln p(w | phi, alpha) of whole documents, theta integrated out, by the left-to-right
// algorithm: each particle holds topics of the tokens so far, redraws them before every
// token, and gives the token's probability given them.
//
// Particles are drawn anew by these probabilities after each token (systematic resampling). With that exp of an
// estimate has the exact probability as its mean, for any number of particles; without, as the
// algorithm was printed, only for one.
//
// Time O(n^2 * particles * topics of the document) for n tokens: for small sets. The tokens' order is
// a shuffle that depends, like all draws, on the seed and the document's words alone.
//
// Source: Wallach, Murray, Salakhutdinov and Mimno, ICML 2009, algorithm 3; Buntine, ACML 2009.
LeftToRight left_to_right(const Model& model, const CorpusView& corpus, const LeftToRightOptions& options = {});

// Measures of how well a topic's most probable words go together, from how often they do so in a corpus.
enum class CoherenceMeasure : std::uint8_t {
  umass,  // mean over pairs of ln((D(w, v) + 1) / D(v)), v the more probable word, D: documents that hold the words
  npmi,   // mean over pairs of ln((P(w, v) + e) / (P(w) P(v))) / -ln(P(w, v) + e), P: share of windows
  c_v,    // mean over words of the cosine between a word's vector of NPMIs with all words, and the sum of these vectors
};

// Every measure, its name, and the measure of a name, as for InferMethod.
std::span<const Choice<CoherenceMeasure>> coherence_measures() noexcept;
std::string_view name(CoherenceMeasure measure) noexcept;
CoherenceMeasure parse_coherence_measure(std::string_view name);

struct CoherenceOptions {
  CoherenceMeasure measure = CoherenceMeasure::npmi;
  int top_words = 10;
  int window = 0;   // tokens a window; 0: what is usual, 10 for npmi and 110 for c_v; umass: has none
  int threads = 0;  // 0: all; never changes the result
};

struct Coherence {
  double mean = 0;             // over the topics that have one; NaN where none has
  std::vector<double> topics;  // K; NaN for a topic of which fewer than two words are in the corpus
  int top_words = 0;
  int window = 0;                  // 0: whole documents
  std::int64_t windows = 0;        // or documents, without the empty ones
  std::int64_t missing_words = 0;  // top words, each topic's counted, that the corpus does not hold
};

// Coherence of a model's topics. umass is meant for the training corpus; npmi and c_v for a reference corpus whose
// words are in the order of the text (a bag of words has none).
//
// A topic's words are its `top_words` most probable among those counted in it at all; those that the corpus
// does not hold are left out. Windows move on by one token; a document shorter than a window is one. e = 1e-12.
// Time O(tokens), and what pairs of top words in a document cost. Throws InvalidArgument.
//
// Source: Mimno, Wallach, Talley, Leenders and McCallum, EMNLP 2011 (umass); Roeder, Both and Hinneburg, WSDM 2015.
Coherence coherence(const Model& model, const CorpusView& corpus, const CoherenceOptions& options = {});

// The share of distinct words among the `top_words` most probable of each topic: 1 where no two topics share one.
//
// Source: Dieng, Ruiz and Blei, TACL 8, 2020.
double diversity(const Model& model, int top_words = 25);

// A corpus in two.
struct HeldOutSplit {
  Corpus training;
  Corpus held_out;
};

// Holds out the documents numbered every - 1, 2 every - 1, ... from 0. Both parts keep the whole
// vocabulary and their documents' names. Throws InvalidArgument where every < 2 or the corpus does not verify.
HeldOutSplit hold_out_every(const CorpusView& corpus, std::int64_t every);

}  // namespace papilio
