#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/device.h"
#include "papilio/model.h"

namespace papilio {

// How topics are drawn. docs/lda.md has the formulas.
enum class Sampler : std::uint8_t {
  mean_for_mode,    // theta and phi are their posterior means given z; then every z at once
  uncollapsed,      // theta and phi are drawn given z; then every z at once
  theta_collapsed,  // phi is drawn; a document's tokens one after the other, theta integrated out
  phi_collapsed,    // theta is drawn; phi integrated out
  collapsed,        // theta and phi integrated out
};

// How the samplers that integrate phi out see the counts of other tokens. The other
// samplers are what they are under either schedule.
enum class Schedule : std::uint8_t {
  parallel,    // as they were when the sweep began: every z at once, an approximation (AD-LDA)
  sequential,  // as they are: one token after the other, the exact chain; on the CPU, in one thread
};

const char* name(Sampler sampler) noexcept;
const char* name(Schedule schedule) noexcept;

// What a training run reports after a sweep.
struct Progress {
  std::int64_t sweep = 0;        // sweeps done, from 1
  std::int64_t sweeps = 0;       // of so many
  double tokens_per_second = 0;  // of the sweeps since the report before
  double seconds = 0;            // since training began
  bool evaluated = false;        // log_joint_per_token is of this sweep
  double log_joint_per_token = 0;
};

struct TrainOptions {
  std::int32_t topics = 100;
  std::int64_t sweeps = 200;
  double alpha = 0.1;  // symmetric prior of documents' topics, each topic
  double beta = 0.01;  // symmetric prior of topics' words
  std::uint64_t seed = 0;
  int threads = 0;                // of the CPU; 0: all; never changes the model
  Device device = Device::cpu();  // where it trains; never changes the model
  Sampler sampler = Sampler::mean_for_mode;
  std::int64_t evaluate_every = 10;  // sweeps between likelihoods; 0: only after the last

  Schedule schedule = Schedule::parallel;
  std::vector<double> topic_alpha = {};  // K, a prior for each topic in place of alpha; empty: alpha for all

  // Sweeps between optimisations of the priors, alpha of each topic and beta, by the counts; 0: they stay.
  // The first is after sweep optimize_after.
  std::int64_t optimize_every = 0;
  std::int64_t optimize_after = 50;

  // Called after each sweep, or with progress_every = n after every n-th and the last;
  // false stops training there, in good order. A GPU rests while it is called.
  std::function<bool(const Progress&)> progress = {};
  std::int64_t progress_every = 1;
};

// The state of a chain: with the corpus and the options it determines all that follows.
struct Topics {
  std::int64_t sweep = 0;          // sweeps done
  std::vector<std::int32_t> z;     // the topic of each token, in corpus order
  std::vector<double> alpha = {};  // K, the priors where they were optimised; empty: those of the options
  double beta = 0;                 // likewise; 0: that of the options
};

struct TrainResult {
  Model model;
  Topics topics;
  double log_joint_per_token = 0;
  bool stopped = false;  // by the progress callback, before the last sweep
};

// Trains a topic model on a corpus.
//
// The topic of a token depends on the corpus, seed, sweep and token number, and
// on the counts that these led to: the same model, byte for byte, for any number
// of threads, on the CPU and on a GPU, and on every machine. `resume` continues a
// chain from its topics and gives what an uninterrupted run would have given.
//
// Time O(tokens * topics) a sweep; memory 12 bytes a token, 8 bytes an entry of
// the V x K tables and a few hundred KiB a thread. On a GPU the tables take 8 bytes an entry
// of its memory (rows above 128 topics as if they were a multiple of 128), and
// tokens 8 bytes each and a row of floats a document as far as there is room; what has none
// is streamed from the host's memory. Throws InvalidArgument for options out of range, an
// empty corpus, and topics that do not fit; DeviceError where a GPU fails, or its memory
// does not hold the tables and one document.
//
// Source: Tristan, Tassarotti and Steele, ICML 2015 (mean-for-mode); Steele and
// Tristan, ACM TOPC 6(4):22, 2019, section 7.
TrainResult train(const CorpusView& corpus, const TrainOptions& options, const Topics* resume = nullptr);

// log p(w, z) of the collapsed model, in nats: the Dirichlet-multinomial
// likelihood of the topics, theta and phi integrated out.
//
//   sum_d [ln G(K alpha) - ln G(n_d + K alpha) + sum_k ln G(n_dk + alpha) - ln G(alpha)]
// + sum_k [ln G(V beta) - ln G(n_k + V beta)   + sum_w ln G(n_wk + beta) - ln G(beta)]
//
// Summed in fixed point, to 2^-25 nats a term for 10^9 tokens: the same number for any
// number of threads, and as training on any device reports it. Throws InvalidArgument
// unless 0 < alpha, beta <= 1e6 and z fits the corpus.
double log_joint(const CorpusView& corpus, const std::vector<std::int32_t>& z, std::int32_t topics, double alpha,
                 double beta, int threads = 0);

// Writes and reads a chain: z, the sweep, and the options and corpus it belongs
// to, as one safetensors file with hashes, in place of the old one only when
// whole. Throws IoError, FormatError; `load_checkpoint` refuses one of another corpus
// or other options (InvalidArgument, naming the difference).
void save_checkpoint(const Topics& topics, const CorpusView& corpus, const TrainOptions& options,
                     const std::string& path);
Topics load_checkpoint(const CorpusView& corpus, const TrainOptions& options, const std::string& path);

}  // namespace papilio
