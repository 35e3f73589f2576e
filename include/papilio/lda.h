#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/choice.h"
#include "papilio/corpus.h"
#include "papilio/device.h"
#include "papilio/evaluation.h"
#include "papilio/model.h"
#include "papilio/sampling.h"

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
  sequential,  // as they are: one token after the other, the exact chain; in one thread
};

// How draws of `collapsed` (parallel), `mean_for_mode` and `theta_collapsed` go: the same law, other numbers.
enum class Draws : std::uint8_t {
  automatic,  // sparse for 32 to 2^24 topics and less than 2^32 tokens, but for theta_collapsed; else dense
  dense,      // over all topics
  sparse,     // over the topics of its document, and of its word: docs/lda/sparse.md
};

// What a chain begins with. docs/lda/start.md has the schedule.
enum class Start : std::uint8_t {
  automatic,    // progressive for the parallel `collapsed` of long documents, but few tokens a topic; else uniform
  uniform,      // all documents, each token with one of K topics, as probable as the others
  progressive,  // the first 40 sweeps draw a part of the documents, which grows
};

// What a sweep does with theta, or with phi.
enum class Parameter : std::uint8_t {
  estimated,       // replaces it by its posterior mean given z
  drawn,           // draws it given z
  integrated_out,  // does without it: a token's weights come from the counts of the other tokens
};

// A row of `samplers()`.
struct SamplerChoice : Choice<Sampler> {
  Parameter theta;
  Parameter phi;           // integrated_out: the sequential schedule is another chain than the parallel one
  bool sparse_draws;       // has sparse draws, under the parallel schedule where the schedules differ
  bool sparse_by_default;  // Draws::automatic takes them
};

// Every value of an option, the default first.
std::span<const SamplerChoice> samplers() noexcept;
std::span<const Choice<Schedule>> schedules() noexcept;
std::span<const Choice<Draws>> draw_kinds() noexcept;
std::span<const Choice<Start>> starts() noexcept;

// The name of a value: "collapsed", "parallel", ...; "unknown" for a number that is no enumerator.
std::string_view name(Sampler sampler) noexcept;
std::string_view name(Schedule schedule) noexcept;
std::string_view name(Draws draws) noexcept;
std::string_view name(Start start) noexcept;

// The value of a name. Throws InvalidArgument with the known names.
Sampler parse_sampler(std::string_view name);
Schedule parse_schedule(std::string_view name);
Draws parse_draws(std::string_view name);
Start parse_start(std::string_view name);

// How the tokens of a sweep were drawn. Shares and means are of sparse draws; 0 where they were dense. A GPU, for
// which counting them takes time, leaves all but the first two at 0, unless the sampler is theta_collapsed.
struct SweepDraws {
  bool sparse = false;
  double topics_per_document = 0;  // distinct topics when the sweep began, on average over documents with tokens
  double from_own = 0;             // shares of tokens, 1 in all: from the token's old topic, without the token,
  double from_document = 0;        // among the document's topics,
  double from_word = 0;            // among the word's,
  double from_prior = 0;           // among all
};

// What a training run reports after a sweep.
struct Progress {
  std::int64_t sweep = 0;        // sweeps done, from 1
  std::int64_t sweeps = 0;       // of so many
  double share = 1;              // of all tokens, those that the sweep drew: less while a chain starts progressively
  double tokens_per_second = 0;  // of the sweeps since the report before
  double seconds = 0;            // since training began
  bool evaluated = false;        // log_joint_per_token is of this sweep
  double log_joint_per_token = 0;
  double training_seconds = 0;      // seconds without likelihoods, held-out documents and the caller's own callbacks
  bool held_out_evaluated = false;  // held_out_perplexity is of this sweep
  double held_out_perplexity = 0;
  SweepDraws draws = {};  // of this sweep
};

// How well the chain foretold the held-out documents after a sweep.
struct HeldOutScore {
  std::int64_t sweep = 0;
  double training_seconds = 0;  // as in Progress
  Completion completion;        // complete_documents of the model as it was then, with its default options
};

struct ChainState;

struct TrainOptions {
  std::int32_t topics = 100;
  std::int64_t sweeps = 200;
  double alpha = 0.1;  // symmetric prior of documents' topics, each topic
  double beta = 0.01;  // symmetric prior of topics' words
  std::uint64_t seed = 0;
  int threads = 0;                // of the CPU; 0: all; never changes the model
  Device device = Device::cpu();  // where it trains; never changes the model
  Sampler sampler = Sampler::collapsed;
  std::int64_t evaluate_every = 10;  // sweeps between likelihoods; 0: only after the last

  Schedule schedule = Schedule::parallel;

  Start start = Start::automatic;  // of a new chain; one that goes on from topics has begun

  Draws draws = Draws::automatic;  // of samplers that know sparse ones; the others are dense

  // How a token's weights are added up in a dense draw. Any but `slots` is for comparison and study: the same
  // distribution, but other roundings, so now and then another topic. On a GPU the parallel schedule takes
  // no butterfly_add_subtract, in either form: its roundings depend on how tokens are put together.
  PartialSums method = PartialSums::slots;

  std::vector<double> topic_alpha = {};  // K, a prior for each topic in place of alpha; empty: alpha for all

  // Sweeps between optimisations of the priors, alpha of each topic and beta, by the counts; 0: they stay.
  // The first is after sweep optimize_after.
  std::int64_t optimize_every = 0;
  std::int64_t optimize_after = 50;

  // Documents that training does not see, borrowed; words are matched by spelling. After every held_out_every-th
  // sweep and the last they are scored by document completion (papilio/evaluation.h), which never changes the
  // model and takes the memory of another one. held_out_every 0: after the last alone.
  std::optional<CorpusView> held_out = {};
  std::int64_t held_out_every = 10;

  // Called after each sweep, or with progress_every = n after every n-th and the last;
  // false stops training there, in good order. A GPU rests while it is called.
  std::function<bool(const Progress&)> progress = {};
  std::int64_t progress_every = 1;

  // Called with the chain's topics, to be saved, after every checkpoint_every-th sweep, and
  // after a sweep that ends checkpoint_seconds or more after the call before (or the start);
  // not after the last. Either 0: not for that reason. Training goes on when it returns.
  std::function<void(const ChainState&)> checkpoint = {};
  std::int64_t checkpoint_every = 0;
  double checkpoint_seconds = 0;  // with these a GPU rests after each sweep
};

// The state of a chain: with the corpus and the options it determines all that follows.
struct ChainState {
  std::int64_t sweep = 0;          // sweeps done
  std::vector<std::int32_t> z;     // the topic of each token, in corpus order
  std::vector<double> alpha = {};  // K, the priors where they were optimised; empty: those of the options
  double beta = 0;                 // likewise; 0: that of the options
  Start start = Start::uniform;    // progressive: the chain began so, which its first sweeps depend on
};

struct TrainResult {
  Model model;
  ChainState topics;
  double log_joint_per_token = 0;
  bool stopped = false;                     // by the progress callback, before the last sweep
  std::vector<HeldOutScore> held_out = {};  // of this call, in the order of sweeps; none without held-out documents
};

// Trains a topic model on a corpus.
//
// The topic of a token depends on the corpus, seed, sweep and token number, and
// on the counts that these led to: the same model, byte for byte, for any number
// of threads, on the CPU and on a GPU, and on every machine. `resume` continues a
// chain from its topics and gives what an uninterrupted run would have given.
//
// The parallel schedule is one step of every token from the counts of the sweep's start: exact for
// `uncollapsed` and `theta_collapsed`, an approximation (AD-LDA) where phi is integrated out, and
// `mean_for_mode` is an estimator rather than a chain. The sequential one is exact and serial: it
// takes one thread of the CPU; a GPU gives the same, more slowly.
//
// Dense draws take time O(tokens * topics) a sweep; memory 8 bytes a token, the corpus's words included, 8 bytes an
// entry of the V x K tables and a few hundred KiB a thread; on a GPU the tables take 8 bytes an entry of its
// memory (rows above 128 topics as if they were a multiple of 128), and tokens 8 bytes each and a row of floats a
// document as far as there is room; what has none is streamed from the host's memory. Sparse draws take time
// O(topics of a document) a distinct (document, word), no table of phi, memory up to 29 bytes a token (words and
// topics included); on a GPU about 12 bytes a token and no table, and the corpus must fit (those of
// theta_collapsed, which draws phi, have its tables and stream). They are for fewer than 2^32 tokens.
// A progressive start is the same sampler on parts of the corpus.
//
// Throws InvalidArgument for options out of range, an empty corpus, held-out documents of which none has two
// words of the corpus, and topics that do not fit; DeviceError where a GPU fails, or its memory does not hold the
// tables and one document.
//
// Source: Tristan, Tassarotti and Steele, ICML 2015 (mean-for-mode); Steele and
// Tristan, ACM TOPC 6(4):22, 2019, section 7; Newman, Asuncion, Smyth and Welling, JMLR 10,
// 2009 (AD-LDA). docs/lda has a page a sampler.
TrainResult train(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume = nullptr);

// The same without a copy of the topics, which saves 4 bytes a token.
TrainResult train(const CorpusView& corpus, const TrainOptions& options, ChainState&& resume);

// log p(w, z) of the collapsed model, in nats: the Dirichlet-multinomial
// likelihood of the topics, theta and phi integrated out.
//
//   sum_d [ln G(A) - ln G(n_d + A)           + sum_k ln G(n_dk + alpha_k) - ln G(alpha_k)]
// + sum_k [ln G(V beta) - ln G(n_k + V beta) + sum_w ln G(n_wk + beta) - ln G(beta)]
//
// A being the sum of all alpha_k: `topics` times `alpha`, or the sum of `topic_alpha`, which
// holds a prior for each topic. Summed in fixed point, to 2^-25 nats a term for 10^9
// tokens: the same number for any number of threads, and as training on any device reports
// it. Throws InvalidArgument unless 0 < alpha, beta <= 1e6 and z fits the corpus.
double log_joint(const CorpusView& corpus, const std::vector<std::int32_t>& z, std::int32_t topics, double alpha,
                 double beta, int threads = 0);
double log_joint(const CorpusView& corpus, const std::vector<std::int32_t>& z, const std::vector<double>& topic_alpha,
                 double beta, int threads = 0);

// The counts that topics of tokens come to, borrowed. A document's counts are a row of entries,
// document_offsets[d] ... document_offsets[d + 1] - 1, each a topic and its tokens; topics
// without an entry have none, topics of a row may come in any order, but once.
struct TopicCounts {
  std::span<const std::int64_t> document_offsets;  // D + 1
  std::span<const std::int32_t> document_topics;   // of each entry
  std::span<const std::int32_t> n_dk;              // of each entry
  std::span<const std::int32_t> n_wk;              // V x K: row w is contiguous over topics
  std::span<const std::int64_t> n_k;               // K

  std::int64_t documents() const { return static_cast<std::int64_t>(document_offsets.size()) - 1; }
  std::int64_t vocabulary_size() const { return n_k.empty() ? 0 : static_cast<std::int64_t>(n_wk.size() / n_k.size()); }
  std::int64_t tokens() const;  // N, the sum of n_k

  // Throws InvalidArgument naming the first offset, topic or count that does not fit,
  // counts that do not add up to n_k among them. Time O(entries + V K).
  void verify() const;
};

// The same likelihood from counts alone, which is all that it depends on: for the counts of
// another program. Throws InvalidArgument for counts that do not verify and priors out of range.
//
//   // One document, one word, two topics, 3 and 1 tokens.
//   const std::vector<std::int64_t> offsets = {0, 2}, n_k = {3, 1};
//   const std::vector<std::int32_t> topics = {0, 1}, counts = {3, 1};
//   log_joint({offsets, topics, counts, counts, n_k}, {0.5, 0.5}, 0.1);
double log_joint(const TopicCounts& counts, const std::vector<double>& topic_alpha, double beta, int threads = 0);

// Writes a chain, z, the sweep and priors that were optimised, with what decides how it goes
// on (corpus, sampler, schedule, priors, seed), as one safetensors file with hashes. The
// checkpoint that was there stays as previous_checkpoint(path): at every instant one of the
// two is whole, also where the process is killed. Where writing fails, both are as they were or
// the new one is in place. Throws IoError, and InvalidArgument for topics that do not fit.
void save_checkpoint(const ChainState& topics, const CorpusView& corpus, const TrainOptions& options,
                     const std::string& path);

// The path with ".previous" behind it, symbolic links followed.
std::string previous_checkpoint(const std::string& path);

// Removes both, and what processes that were killed while they wrote left beside them. Whatever
// cannot be removed stays.
void remove_checkpoint(const std::string& path) noexcept;

// Which file a chain was loaded from.
struct CheckpointReport {
  std::string path;
  std::string damage;  // why it is not the newest one; empty where it is
};

// Reads what `save_checkpoint` wrote; the previous checkpoint where the newest one is missing,
// cut short or damaged. One that is whole but of another corpus, of other options or of another
// version is refused, and the previous one then not looked at. Threads, device, sweeps and the
// callbacks may differ. Changes no file: before the next save, move a damaged one out of the
// way, or it takes the previous one's place.
//
// Throws InvalidArgument naming the first difference; FormatError with the damage to both files;
// IoError where there is none, or none can be read.
ChainState load_checkpoint(const CorpusView& corpus, const TrainOptions& options, const std::string& path,
                           CheckpointReport* report = nullptr);

}  // namespace papilio
