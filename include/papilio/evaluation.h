#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "papilio/choice.h"
#include "papilio/corpus.h"
#include "papilio/device.h"
#include "papilio/left_out.h"
#include "papilio/model.h"

// Inference for new documents with a trained model, and measures of a model's quality.

namespace papilio {

class Communicator;  // papilio/communicator.h

// Maps the words of a corpus to those of a model.
struct WordMap {
  std::vector<std::int32_t> model_words;  // for each word of the corpus, its number in the model, or -1
  std::int64_t unknown_words = 0;         // words of the corpus that the model does not know
  std::int64_t unknown_tokens = 0;        // their occurrences
};

// Matches words by spelling. A word that is in the model's vocabulary but was never counted in training is unknown: the
// model has learned nothing about it. Throws InvalidArgument where the corpus or the model does not verify.
WordMap map_words(const Model& model, const CorpusView& corpus);

// The words of a corpus that the model does not know, for a ReadReport's `left_out`. Throws as map_words does.
LeftOutWords unknown_words(const Model& model, const CorpusView& corpus);

// The same, given how often each word of the vocabulary occurs. Throws InvalidArgument where the sizes differ, for a
// count below 0, where they add up to 2^63 or more, and as above.
LeftOutWords unknown_words(const Model& model, std::span<const std::string> vocabulary,
                           std::span<const std::int64_t> counts);

// How the topics of a new document are inferred.
enum class InferMethod : std::uint8_t {
  gibbs,  // the posterior mean of theta, from samples of the tokens' topics
  em,     // a fixed point of theta, without random numbers
};

// Every method, the default first; the name of one ("unknown" for a number that is not an enumerator); and the
// method of a name, which throws InvalidArgument with the known names.
std::span<const Choice<InferMethod>> infer_methods() noexcept;
std::string_view name(InferMethod method) noexcept;
InferMethod parse_infer_method(std::string_view name);

struct InferOptions {
  InferMethod method = InferMethod::gibbs;
  int sweeps = 100;               // gibbs: number of sweeps, including burn_in
  int burn_in = 20;               // gibbs: number of first sweeps that are not counted; less than sweeps
  int em_steps = 50;              // em: number of steps, at least 1
  std::uint64_t seed = 0;         // gibbs
  int threads = 0;                // CPU threads; 0: all; never changes the result
  Device device = Device::cpu();  // where to infer; never changes the result
  const CorpusIdentity* corpus_identity = nullptr;  // over ranks: papilio/distributed.h; null: each reads all documents
};

// theta of documents.
struct DocumentTopics {
  std::int64_t documents = 0;                 // D
  std::int32_t topics = 0;                    // K
  std::vector<float> theta;                   // D x K, row-major; a row sums to 1, to rounding
  std::vector<std::int64_t> document_tokens;  // D, tokens that each row was inferred from
  std::int64_t known_tokens = 0;              // their sum
  std::int64_t unknown_words = 0;
  std::int64_t unknown_tokens = 0;

  // theta of a document, K numbers. Throws InvalidArgument unless 0 <= document < D.
  const float* row(std::int64_t document) const;
};

// Infers theta of documents for a fixed model, phi_wk = (n_wk + beta) / (n_k + V beta).
//
// gibbs  theta is integrated out, and the tokens of a document are drawn in turn: P(z = k) ~ (n'_dk + alpha_k) phi_wk,
//        where n' leaves out the token itself. theta_dk is the mean of (n_dk + alpha_k) / (n_d + sum alpha) over the
//        sweeps after burn_in.
// em     theta_k <- alpha_k + sum over tokens of theta_k phi_wk / sum_j theta_j phi_wj, normalised; em_steps times,
//        starting from uniform.
//
// Determinism: a row depends only on the model, the options and the words of its document, not on their order, on other
// documents, on its number, or on threads. Unknown words are ignored. A document without known words gets the mean of
// the prior. A model with the numbers of columns for words, and a corpus with words but none of these: InvalidArgument.
//
// Time of gibbs: O(topics of the document) per token and sweep, and O(K) per distinct word of a document. Time of em:
// O(K) per distinct word of a document, O(em_steps) per topic of each such word, and O(K) per step. Memory besides
// theta, per thread and distinct word of a document: 16 K bytes for gibbs; for em at most 54 bytes per topic of the
// word, with the number of topics rounded up to a multiple of eight.
// On a GPU the rows of phi of the documents' words take 8 K bytes of its memory per word, twice that for gibbs; if they
// do not fit at once, the documents are processed in parts.
// Throws InvalidArgument for options out of range, and if the model or the corpus does not verify; DeviceError if the
// device has no room for the words of one document.
//
//   const papilio::DocumentTopics topics = papilio::infer(model, corpus, {.seed = 7});
//   topics.row(3)[0];  // the proportion of topic 0 in document 3
DocumentTopics infer(const Model& model, const CorpusView& corpus, const InferOptions& options = {});

struct CompletionOptions {
  int em_steps = 50;
  std::uint64_t seed = 0;                           // of the shuffle
  bool shuffle = true;                              // false: tokens in the order of the document
  int threads = 0;                                  // CPU threads; 0: all; never changes the result
  Device device = Device::cpu();                    // where to infer theta and score; never changes the result
  const CorpusIdentity* corpus_identity = nullptr;  // over ranks: papilio/distributed.h; null: each reads all documents
};

struct Completion {
  std::int64_t documents = 0;    // documents scored, those with at least two known tokens
  std::int64_t left_out = 0;     // the other documents
  std::int64_t tokens_seen = 0;  // tokens that theta was inferred from
  std::int64_t tokens = 0;       // tokens scored
  std::int64_t unknown_tokens = 0;
  double log_likelihood = 0;  // of the tokens scored, in nats
  double nats_per_token() const { return -log_likelihood / static_cast<double>(tokens); }
  double perplexity() const;  // exp(nats_per_token())
};

// Computes the held-out likelihood by document completion. The known tokens of each document are shuffled. theta is
// inferred by `em` from tokens 0, 2, 4, ..., and tokens 1, 3, 5, ... are scored by ln sum_k theta_k phi_wk.
//
// The shuffle depends only on the seed and the words of the document. Words that training never saw are left out of
// both halves, so compare models of the same training corpus only. The likelihood uses the logarithm of the C library:
// its last digits may differ between machines. On a GPU theta and the probabilities are computed there, and the host
// takes the logarithms: the same bits as on the CPU of that machine. Throws as `infer` does.
//
// Source: Wallach, Murray, Salakhutdinov and Mimno, ICML 2009, section 5 (document completion).
Completion complete_documents(const Model& model, const CorpusView& corpus, const CompletionOptions& options = {});

// How well a model predicted the held-out documents after a sweep of its training.
struct HeldOutScore {
  std::int64_t sweep = 0;       // sweeps completed
  double training_seconds = 0;  // in sweeps alone
  Completion completion;        // of complete_documents with default options, for the model after the sweep
};

// A model prepared for many small calls of `infer` and `complete_documents`, with the same results bit for bit.
//
// Each call of `infer` or `complete_documents` reads the model's V x K counts and makes a table of its words. An
// Inference does this once.
//
// The time of a call is then that of its documents, plus that of matching the corpus's vocabulary by spelling. Nothing
// is matched if that vocabulary is a span of the model's own, all of it.
//
// Memory: about 60 bytes per word of the model. Copies share it. Several threads may use one at the same time.
//
//   const papilio::Inference inference(model);
//   const papilio::DocumentTopics topics = inference.infer(corpus, {.seed = 7});
class Inference {
 public:
  // Keeps a reference to the model, which must outlive this object unchanged. Throws InvalidArgument if it does not
  // verify.
  explicit Inference(const Model& model);
  explicit Inference(Model&&) = delete;
  Inference(const Inference&) = default;  // and no move: every Inference can infer
  Inference& operator=(const Inference&) = default;
  ~Inference() = default;

  // Throws InvalidArgument for options out of range and a corpus that does not verify.
  DocumentTopics infer(const CorpusView& corpus, const InferOptions& options = {}) const;
  Completion complete_documents(const CorpusView& corpus, const CompletionOptions& options = {}) const;

  // Collective: the same results as the functions of papilio/distributed.h, which say what a rank returns. The first
  // call computes the model's hash, by which ranks find out whether they have the same model.
  DocumentTopics infer(const CorpusView& corpus, const InferOptions& options, Communicator& ranks) const;
  Completion complete_documents(const CorpusView& corpus, const CompletionOptions& options, Communicator& ranks) const;

  const Model& model() const;

 private:
  struct Prepared;
  std::shared_ptr<const Prepared> prepared_;
};

struct LeftToRightOptions {
  int particles = 20;
  std::uint64_t seed = 0;
  int threads = 0;                                  // CPU threads; 0: all; never changes the result
  const CorpusIdentity* corpus_identity = nullptr;  // over ranks: papilio/distributed.h; null: each reads all documents
};

struct LeftToRight {
  std::vector<double> log_likelihoods;  // D, ln p(words of the document), in nats; 0 without known words
  std::int64_t tokens = 0;              // tokens scored
  std::int64_t unknown_tokens = 0;
  double log_likelihood = 0;  // sum of log_likelihoods
  double nats_per_token() const { return -log_likelihood / static_cast<double>(tokens); }
  double perplexity() const;  // exp(nats_per_token())
};

// Computes the held-out likelihood ln p(w | phi, alpha) of whole documents, theta integrated out, by the left-to-right
// algorithm: each particle holds topics of the tokens so far. Before every token it draws them again; then it gives the
// probability of the token.
//
// After each token the particles are resampled by these probabilities (systematic resampling). This makes exp of an
// estimate unbiased for any number of particles; the algorithm as printed is unbiased only for one.
//
// The tokens of a document are shuffled. The shuffle and all draws depend only on the seed and the words of the
// document. Time O(n^2 * particles * topics of the document) for n tokens, so for small sets. Throws InvalidArgument as
// `infer` does.
//
// Source: Wallach, Murray, Salakhutdinov and Mimno, ICML 2009, algorithm 3; Buntine, ACML 2009.
LeftToRight left_to_right(const Model& model, const CorpusView& corpus, const LeftToRightOptions& options = {});

// Measures of how well the most probable words of a topic fit together, from how often they occur together in a corpus.
enum class CoherenceMeasure : std::uint8_t {
  umass,  // mean over pairs of ln((D(w, v) + 1) / D(v)); v is the more probable word, D the number of documents with
          // the words
  npmi,   // mean over pairs of ln((P(w, v) + e) / (P(w) P(v))) / -ln(P(w, v) + e); P is a share of windows
  c_v,    // mean over words of the cosine between the vector of a word's NPMIs and the sum of these vectors
};

// Every measure, its name, and the measure of a name, as for InferMethod.
std::span<const Choice<CoherenceMeasure>> coherence_measures() noexcept;
std::string_view name(CoherenceMeasure measure) noexcept;
CoherenceMeasure parse_coherence_measure(std::string_view name);

struct CoherenceOptions {
  CoherenceMeasure measure = CoherenceMeasure::npmi;
  int top_words = 10;
  int window = 0;   // tokens per window; 0: the usual number, 10 for npmi and 110 for c_v; must be 0 for umass
  int threads = 0;  // CPU threads; 0: all; never changes the result
};

struct Coherence {
  double mean = 0;             // over the topics that are not NaN; NaN if there are none
  std::vector<double> topics;  // K; NaN for a topic with fewer than two top words in the corpus
  int top_words = 0;
  int window = 0;                  // tokens per window; 0: whole documents
  std::int64_t windows = 0;        // number of windows, or of documents with tokens
  std::int64_t missing_words = 0;  // top words that do not occur in the corpus, summed over topics
};

// Computes the coherence of the topics of a model. umass is meant for the training corpus; npmi and c_v for a reference
// corpus with words in the order of the text (not a bag of words).
//
// The words of a topic are its `top_words` most probable among those counted in it; those that do not occur in the
// corpus are left out. Windows move by one token; a document shorter than a window is one window. e = 1e-12. Time
// O(tokens), plus the pairs of top words in each window or document. Throws InvalidArgument for options out of range,
// and where the model or the corpus does not verify.
//
// Source: Mimno, Wallach, Talley, Leenders and McCallum, EMNLP 2011 (umass); Roeder, Both and Hinneburg, WSDM 2015.
Coherence coherence(const Model& model, const CorpusView& corpus, const CoherenceOptions& options = {});

// Returns the share of distinct words among the `top_words` most probable words of each topic: 1 if no two topics share
// a word. Throws InvalidArgument unless top_words >= 1 and the model verifies.
//
// Source: Dieng, Ruiz and Blei, TACL 8, 2020.
double diversity(const Model& model, int top_words = 25);

// How much of a model's topics another model has too.
struct TopicStability {
  double mean = 0;                    // of similarity
  std::vector<double> similarity;     // K: of topic k of the first model and its partner, 0 to 1
  std::vector<std::int32_t> partner;  // K: the partner's number in the second model; each topic is the partner of one
};

// Compares two models of the same vocabulary and number of topics, such as two that differ only in their seed. Topics
// are matched one to one so that the sum of their similarities is the largest possible (Hungarian algorithm; to 2^-40
// per topic). The similarity of two topics is the Jaccard index of their words, |A and B| / |A or B|, where A and B are
// the `top_words` most probable words among those counted in each; 0 if both are empty.
//
// Deterministic: integers decide. Symmetric in `mean`; where several assignments have the largest sum, `partner` is one
// of them. Time O(K^3) at worst, usually far less; memory 2 K^2 bytes. Throws InvalidArgument unless 1 <= top_words <=
// 1000, both models verify, and they have the same words and the same K.
//
//   topic_stability(model, model).mean;  // 1, if every topic has words
//
// Source: Greene, O'Callaghan and Cunningham, ECML PKDD 2014, for the assignment; they compare words by rank, and
// models of samples of the documents.
TopicStability topic_stability(const Model& first, const Model& second, int top_words = 25);

// A corpus split in two.
struct HeldOutSplit {
  Corpus training;
  Corpus held_out;
};

// Holds out documents every - 1, 2 every - 1, ..., counted from 0. Both parts keep the whole vocabulary and the names
// of their documents. Throws InvalidArgument where every < 2 or the corpus does not verify.
HeldOutSplit hold_out_every(const CorpusView& corpus, std::int64_t every);

}  // namespace papilio
