#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/choice.h"
#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/device.h"
#include "papilio/evaluation.h"
#include "papilio/model.h"
#include "papilio/sampling.h"

namespace papilio {

// How a sweep draws z, the topics of the tokens. docs/lda.md has the formulas.
enum class Sampler : std::uint8_t {
  mean_for_mode,    // theta and phi are replaced by their posterior means given z, then all z are drawn at once
  uncollapsed,      // theta and phi are drawn given z, then all z at once
  theta_collapsed,  // phi is drawn and theta integrated out: the tokens of a document are drawn in turn
  phi_collapsed,    // theta is drawn and phi integrated out
  collapsed,        // theta and phi are integrated out
};

// Which counts of the other tokens a draw uses if phi is integrated out. The other samplers give the same
// chain under both schedules.
enum class Schedule : std::uint8_t {
  parallel,    // the counts at the start of the sweep: all z at once, an approximation (AD-LDA)
  sequential,  // the current counts: one token after the other, the exact chain, in one thread
};

// How draws are computed by `collapsed`, `mean_for_mode` and `theta_collapsed`. Dense and sparse draws follow the same
// distribution but give different topics. Alias draws take a few Metropolis-Hastings steps per token, which leave that
// distribution invariant but do not reach it in one sweep. They run on a CPU only, and not for `mean_for_mode`.
enum class Draws : std::uint8_t {
  automatic,  // sparse for 32 to 2^24 topics and fewer than 2^32 tokens, except for theta_collapsed; else dense
  dense,      // over all topics
  sparse,     // over the topics of the token's document and word; docs/lda/sparse.md
  alias,      // by proposals from alias tables of words and from documents; docs/lda/alias.md
};

// How a new chain starts. docs/lda/start.md has the schedule.
enum class Start : std::uint8_t {
  automatic,    // uniform
  uniform,      // all documents from the first sweep, each token in a topic drawn uniformly from the K topics
  progressive,  // the first 40 sweeps draw a growing part of the documents
};

// What a sampler does with theta, or with phi.
enum class Parameter : std::uint8_t {
  estimated,       // replaces it by its posterior mean given z
  drawn,           // draws it given z
  integrated_out,  // does without it: the weights of a token come from the counts of the other tokens
};

// A row of `samplers()`.
struct SamplerChoice : Choice<Sampler> {
  Parameter theta;
  Parameter phi;           // integrated_out: the two schedules are different chains
  bool sparse_draws;       // has sparse draws, under both schedules
  bool sparse_by_default;  // Draws::automatic chooses them
  bool alias_draws;        // has alias draws, under the parallel schedule where the schedules differ
};

// Every value of an option, the default first.
std::span<const SamplerChoice> samplers() noexcept;
std::span<const Choice<Schedule>> schedules() noexcept;
std::span<const Choice<Draws>> draw_kinds() noexcept;
std::span<const Choice<Start>> starts() noexcept;

// The name of a value: "collapsed", "parallel", ...; "unknown" for a number that is not an enumerator.
std::string_view name(Sampler sampler) noexcept;
std::string_view name(Schedule schedule) noexcept;
std::string_view name(Draws draws) noexcept;
std::string_view name(Start start) noexcept;

// The value of a name. Throws InvalidArgument with the known names.
Sampler parse_sampler(std::string_view name);
Schedule parse_schedule(std::string_view name);
Draws parse_draws(std::string_view name);
Start parse_start(std::string_view name);

// Statistics of the draws of a sweep. All are 0 for dense draws; alias draws have only the last three. On a GPU the
// shares are 0, because counting them takes time, except for theta_collapsed.
struct SweepDraws {
  bool sparse = false;
  double topics_per_document = 0;  // mean number of distinct topics at the start of the sweep, documents without
                                   // tokens left out
  // The shares of tokens whose topic came from each part of the distribution; they add up to 1.
  double from_own = 0;       // the token's previous topic
  double from_document = 0;  // the topics of the document
  double from_word = 0;      // the topics of the word
  double from_prior = 0;     // all topics
  bool alias = false;
  // The shares of the proposals by words and by documents that moved their token to another topic.
  double word_moves = 0;
  double document_moves = 0;
};

// What a training run reports after a sweep.
struct Progress {
  std::int64_t sweep = 0;           // sweeps completed, from 1
  std::int64_t sweeps = 0;          // TrainOptions::sweeps
  double share = 1;                 // share of the tokens that the sweep drew; below 1 in a progressive start
  double tokens_per_second = 0;     // over the sweeps since the previous report
  double seconds = 0;               // since training began
  bool evaluated = false;           // whether log_joint_per_token is set
  double log_joint_per_token = 0;   // log p(w, z) / tokens after this sweep, in nats
  double training_seconds = 0;      // seconds in sweeps alone: without likelihoods, held-out documents and callbacks
  bool held_out_evaluated = false;  // whether held_out_perplexity is set
  double held_out_perplexity = 0;   // after this sweep
  SweepDraws draws = {};            // of this sweep
};

// How a chain uses a GPU's memory.
struct DevicePlan {
  std::string device;                // "cuda:0"
  std::int64_t bytes = 0;            // taken by the chain when it starts
  std::int64_t allowed_bytes = 0;    // TrainOptions::max_device_memory
  std::int64_t streamed_tokens = 0;  // kept in the host's memory, and copied to the GPU and back in each sweep
  std::int64_t streamed_bytes = 0;   // copied to the GPU in each sweep
  double tokens_per_second = 0;      // all tokens, divided by the time of these copies; draws may take longer. 0:
                                     // nothing is streamed, or the time is not known
};

struct ChainState;
class CheckpointWriter;

// The range of priors that train and infer accept, so that no probability underflows.
inline constexpr double least_prior = 1e-100;
inline constexpr double largest_prior = 1e6;

struct TrainOptions {
  std::int32_t topics = 100;               // K, at least 1
  std::int64_t sweeps = 200;               // in total, including those before a resume; less than 2^32
  double alpha = 0.1;                      // symmetric prior of the topics of a document, for each topic; 1e-100 to 1e6
  double beta = 0.01;                      // symmetric prior of the words of a topic, for each word; 1e-100 to 1e6
  std::uint64_t seed = 0;                  // same seed, same model
  int threads = 0;                         // CPU threads; 0: all; never changes the model
  Device device = Device::cpu();           // where to train; never changes the model
  std::vector<Device> devices = {};        // several GPUs, in place of `device`: each draws a part of the documents
  Sampler sampler = Sampler::collapsed;    // how topics are drawn
  std::int64_t evaluate_every = 10;        // sweeps between evaluations of the likelihood; 0: only after the last
  Schedule schedule = Schedule::parallel;  // which counts a draw uses
  Start start = Start::automatic;          // how a new chain begins; a resumed one keeps its own
  Draws draws = Draws::automatic;          // for the samplers that have sparse draws; the others are always dense
  int mh_steps = 2;                        // alias draws: proposals per token and sweep, by word and by document in
                                           // turn, the word's first; 1 to 64

  // How a dense draw adds up the weights of a token. Methods other than `slots` are for comparison and study: they
  // draw from the same distribution, but round differently, so that some tokens get another topic. On a GPU the
  // parallel schedule refuses both forms of butterfly_add_subtract, whose roundings depend on a token's position.
  PartialSums method = PartialSums::slots;

  // A prior for each topic, K numbers from 1e-100 to 1e6, in place of `alpha`; empty: `alpha` for every topic.
  std::vector<double> topic_alpha = {};

  // Seed words, in any order: the prior of a listed word in its topic is beta + weight. Their tokens start in that
  // topic. docs/lda/seed_words.md has the formulas. read_seed_words (papilio/seed_words.h) reads a file.
  std::vector<SeedWord> seed_words = {};

  // Sweeps between optimisations of the priors (alpha of each topic, and beta) by the current counts; 0: never.
  // The first is after sweep `optimize_after`.
  std::int64_t optimize_every = 0;
  std::int64_t optimize_after = 50;

  // Documents that training does not see, borrowed. Words are matched by spelling. They are scored by document
  // completion (papilio/evaluation.h) after every `held_out_every`-th sweep and after the last; 0: after the last
  // only. Scoring never changes the model. It takes the memory of a second model.
  // Over ranks, each rank scores its part of them (`documents_of_rank`); see held_out_identity.
  std::optional<CorpusView> held_out = {};
  std::int64_t held_out_every = 10;

  // The processes that train this model together, borrowed; null: this one alone. Every rank passes the whole corpus
  // and the same options (threads, the number of a GPU and callbacks may differ, but checkpoints are made by all or
  // none) and draws its own documents (papilio/distributed.h). docs/distributed.md says what runs on ranks.
  Communicator* ranks = nullptr;

  // The corpus's identity, if it is known, borrowed: checkpoints then need not read the corpus for it. Over ranks, pass
  // on every rank what verify_over_ranks returned or a RankCorpus has (papilio/distributed.h): each rank then verifies
  // and reads only its own documents. Null: every rank verifies and hashes the whole corpus; not for a RankCorpus.
  const CorpusIdentity* corpus_identity = nullptr;

  // Likewise of `held_out`: every rank then verifies and reads only its own part of the held-out documents.
  const CorpusIdentity* held_out_identity = nullptr;

  // The most bytes of GPU memory that training may take; 0: nearly all that is free when it starts. What does not fit
  // is streamed from the host's memory. Never changes the model.
  std::int64_t max_device_memory = 0;

  // Called before the first sweep on a GPU, and in a progressive start whenever documents are added.
  std::function<void(const DevicePlan&)> planned = {};

  // Called after every `progress_every`-th sweep and after the last. Return false to stop training after this sweep:
  // the result is then that of the sweeps so far. A GPU is idle during the call.
  std::function<bool(const Progress&)> progress = {};
  std::int64_t progress_every = 1;

  // Called with the state of the chain so that it can be saved: after every `checkpoint_every`-th sweep, and after
  // the first sweep that ends `checkpoint_seconds` or more after the previous call (or the start). Not called after
  // the last sweep. 0 turns off either condition. Training continues when it returns. With `checkpoint_seconds` the
  // host waits for a GPU after each sweep. Over ranks all are called after the same sweeps, each with its own part.
  std::function<void(const ChainState&)> checkpoint = {};
  std::int64_t checkpoint_every = 0;
  double checkpoint_seconds = 0;

  // Used in place of `checkpoint`, at the same times; it writes while training goes on (papilio/distributed.h).
  // Borrowed; over ranks, each rank has its own. If the previous checkpoint is still being written after a
  // `checkpoint_every`-th sweep, training waits for it. `checkpoint_seconds` makes none due until it is in place.
  // train returns when the last one is in place.
  CheckpointWriter* checkpoint_writer = nullptr;
};

// The state of a chain. Together with the corpus and the options it determines everything that follows.
struct ChainState {
  std::int64_t sweep = 0;          // sweeps completed
  std::vector<std::int32_t> z;     // N, the topic of each token, in the order of the corpus; in [0, K). Over ranks
                                   // those of the rank's documents
  std::vector<double> alpha = {};  // K, the priors if they were optimised; empty: those of the options
  double beta = 0;                 // likewise; 0: that of the options
  Start start = Start::uniform;    // how the chain started, uniform or progressive; its first sweeps depend on it
};

struct TrainResult {
  Model model;
  ChainState topics;
  double log_joint_per_token = 0;           // log p(w, z) / tokens after the last sweep, in nats
  bool stopped = false;                     // the progress callback stopped training before the last sweep
  std::vector<HeldOutScore> held_out = {};  // of this call, in the order of sweeps; empty without held-out documents
};

// Trains a topic model on a corpus, over options.ranks. `resume` continues a chain from its state and gives the result
// of a run that was never interrupted.
//
// Determinism: the model is the same, byte for byte, for any number of threads, on the CPU and on a GPU, and on every
// machine. The topic of a token depends only on the corpus, the seed, the sweep, the number of the token, and the
// counts that earlier draws led to.
//
// Over any number of ranks the model is that of one process, byte for byte, on every rank. If one rank throws, the
// others throw RankError. A sampler whose sequential schedule is a chain of its own runs that schedule on one rank only
// (InvalidArgument). While a progressive start draws part of the documents, every rank holds the words of that part,
// 4 bytes per token; when a stage begins or ends also its topics, 4 more, and briefly another 8. Ranks run all on CPUs,
// or each on a GPU; sums between GPUs go through NCCL if it is found (describe_device_sums), else through host memory.
// A GPU holds the counts of all words for dense draws. For sparse draws it holds at most 256 MiB of them, and the
// counts of its own documents if they take at most half of the memory that is left.
//
// With several `devices` the call is one process whose ranks are threads, one for each of them. Callbacks, the state to
// resume from and the result are those of one process.
//
// The parallel schedule draws every token from the counts at the start of the sweep. That is exact for `uncollapsed`
// and `theta_collapsed` and an approximation (AD-LDA) where phi is integrated out; `mean_for_mode` is an estimator
// rather than a chain. The sequential schedule is exact and serial: it uses one CPU thread, and a GPU is slower.
//
// Cost of dense draws: time O(tokens * topics) per sweep. Memory: 8 bytes per token (including the word), 8 bytes per
// entry of the V x K tables, and a few hundred KiB per thread. On a GPU the tables take 8 bytes per entry of device
// memory (above 128 topics a row is padded to a multiple of 128). Tokens (8 bytes each) and a row of floats per
// document stay on the device as far as they fit; the rest is streamed from host memory in each sweep.
//
// Cost of sparse draws: time O(topics of the document) per distinct (document, word), without a table of phi. Memory:
// up to 29 bytes per token (including word and topic). On a GPU, if the corpus fits in device memory, about 12 bytes
// per token and no tables; else 8 bytes per entry of V x K, and ranges of documents: as many as fit stay there, the
// others are streamed in each sweep, 8 bytes per token (docs/lda/sparse.md).
// theta_collapsed, which draws phi, has tables and streams as above. The sequential schedule draws the tokens word by
// word, in time O(topics of the document + log K) each, and up to 36 bytes per token. Sparse draws need fewer than 2^32
// tokens, except on a GPU under the parallel schedule, where a document has fewer than 2^31.
//
// Cost of alias draws: time O(mh_steps) per token, whatever K is, and O(V K) per sweep to read the counts.
// Memory: 12 bytes per token (including word and topic), 8 bytes per entry of the V x K counts, and 12 per topic of a
// word that has tokens; theta_collapsed 8 bytes per token and 16 per entry.
//
// Throws InvalidArgument, before the first sweep, for options out of range, an empty corpus, words that save_model
// would refuse, a state that does not fit, and held-out documents of which none has two words of the corpus;
// DeviceError if a GPU fails, or if the memory that training may take there has no room for the tables and a few of the
// longest documents: the message says how many bytes it needs.
//
//   papilio::Corpus corpus = papilio::read_corpus("news.txt");
//   papilio::TrainResult result = papilio::train(corpus, {.topics = 50, .sweeps = 300, .seed = 7});
//
// Source: Tristan, Tassarotti and Steele, ICML 2015 (mean_for_mode); Steele and Tristan, ACM TOPC 6(4):22, 2019,
// section 7; Newman, Asuncion, Smyth and Welling, JMLR 10, 2009 (AD-LDA); Li, Ahmed, Ravi and Smola, KDD 2014, and Yuan
// et al., WWW 2015 (alias draws). docs/lda has a page for each sampler.
TrainResult train(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume = nullptr);

// The same without a copy of z, which saves 4 bytes per token.
TrainResult train(const CorpusView& corpus, const TrainOptions& options, ChainState&& resume);

// Returns log p(w, z) of the collapsed model, in nats: the Dirichlet-multinomial likelihood of the topics z, with theta
// and phi integrated out.
//
//   sum_d [ln G(A) - ln G(n_d + A)           + sum_k ln G(n_dk + alpha_k) - ln G(alpha_k)]
// + sum_k [ln G(V beta) - ln G(n_k + V beta) + sum_w ln G(n_wk + beta) - ln G(beta)]
//
// G is the gamma function and A the sum of all alpha_k. `z` has the topic of each token, N numbers in [0, topics). The
// priors are `alpha` for each of `topics` topics, or `topic_alpha`, a prior for each topic.
//
// With seed words of weights s_wk, G(n_wk + s_wk + beta) / G(s_wk + beta) and, for a topic's sum, V beta + s_k.
//
// Summed in fixed point, to 2^-25 nats per term for 10^9 tokens: the same number for any number of threads, and the
// number that training on any device reports. Throws InvalidArgument unless 0 < alpha, beta <= 1e6 and z fits the
// corpus.
double log_joint(const CorpusView& corpus, std::span<const std::int32_t> z, std::int32_t topics, double alpha,
                 double beta, int threads = 0);
double log_joint(const CorpusView& corpus, std::span<const std::int32_t> z, std::span<const double> topic_alpha,
                 double beta, int threads = 0, std::span<const SeedWord> seed_words = {});

// The topic counts of a corpus, borrowed. The counts of document d are the entries document_offsets[d] ...
// document_offsets[d + 1] - 1: each is a topic and its number of tokens. A topic without tokens needs no entry. The
// topics of a document may be in any order, each at most once.
struct TopicCounts {
  std::span<const std::int64_t> document_offsets;  // D + 1
  std::span<const std::int32_t> document_topics;   // the topic of each entry
  std::span<const std::int32_t> n_dk;              // the tokens of each entry
  std::span<const std::int32_t> n_wk;              // V x K: row w is contiguous over topics
  std::span<const std::int64_t> n_k;               // K

  std::int64_t documents() const {
    return document_offsets.empty() ? 0 : static_cast<std::int64_t>(document_offsets.size()) - 1;
  }
  std::int64_t vocabulary_size() const { return n_k.empty() ? 0 : static_cast<std::int64_t>(n_wk.size() / n_k.size()); }
  std::int64_t tokens() const;  // N, the sum of n_k; modulo 2^64 if the counts do not verify

  // Throws InvalidArgument naming the first offset, topic or count that is out of range, and where counts do not add
  // up to n_k. Time O(entries + V K).
  void verify() const;
};

// The same likelihood from counts alone, such as those of another program. `topic_alpha` has K entries. Throws
// InvalidArgument for counts that do not verify and priors out of range.
//
//   // One document, one word, two topics with 3 and 1 tokens.
//   const std::vector<std::int64_t> offsets = {0, 2}, n_k = {3, 1};
//   const std::vector<std::int32_t> topics = {0, 1}, counts = {3, 1};
//   const std::vector<double> alpha = {0.5, 0.5};
//   log_joint({offsets, topics, counts, counts, n_k}, alpha, 0.1);
double log_joint(const TopicCounts& counts, std::span<const double> topic_alpha, double beta, int threads = 0);

// Writes a checkpoint: the state of a chain and what determines how it continues (corpus, sampler, schedule, priors,
// seed), as one safetensors file with hashes.
//
// The checkpoint that was at `path` is kept as previous_checkpoint(path). At every instant one of the two is whole,
// even if the process is killed. If writing fails, either both are unchanged or the new one is in place. Throws
// IoError, and InvalidArgument for a state that does not fit.
//
// Over options.ranks every rank calls it with its own part, and all must see the same folder. Each writes its topics
// beside the file ("PATH.sweep-40.rank-1-of-3"), and the file names these parts. Parts that neither checkpoint names
// are removed. If one rank fails, all throw. Any number of ranks can resume from it, as from that of one process.
// CheckpointWriter (papilio/distributed.h) writes the same files while training goes on.
//
// `identity` is that of the corpus (InvalidArgument if its sizes differ), by default options.corpus_identity. Without
// either it is computed here, and each rank then reads the whole corpus. `note` is kept for the program that resumes,
// such as how the chain began (CheckpointReport::note), and changes nothing else. UTF-8; over ranks, rank 0's counts.
void save_checkpoint(const ChainState& state, const CorpusView& corpus, const TrainOptions& options,
                     const std::string& path, const CorpusIdentity* identity = nullptr, const std::string& note = {});

// Returns the path with ".previous" appended, symbolic links followed.
std::string previous_checkpoint(const std::string& path);

// Removes both checkpoints, the parts of ranks and the temporary files of processes that were killed while writing
// them. Errors are ignored.
void remove_checkpoint(const std::string& path) noexcept;

// Which checkpoint was loaded.
struct CheckpointReport {
  std::string path;
  std::string damage;     // why the previous one was loaded; empty if the newest one was
  std::string note = {};  // that of save_checkpoint
};

// Reads what `save_checkpoint` wrote. If the newest checkpoint is missing, cut short or damaged, reads the previous
// one. A whole checkpoint of another corpus, other options or another version is refused, without looking at the
// previous one. Threads, device, ranks, sweeps and callbacks may differ. Over options.ranks each rank gets the topics
// of its own documents, and all load the same checkpoint.
//
// Changes no file. Before the next save, move a damaged checkpoint away, or it replaces the previous one.
//
// Throws InvalidArgument naming the first difference; FormatError naming the damage to both files; IoError where
// neither exists or can be read. `identity` as for save_checkpoint.
ChainState load_checkpoint(const CorpusView& corpus, const TrainOptions& options, const std::string& path,
                           CheckpointReport* report = nullptr, const CorpusIdentity* identity = nullptr);

}  // namespace papilio
