#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

// How many topics: models of several sizes, trained and measured alike.

namespace papilio {

class Communicator;  // papilio/communicator.h

// The progress after each sweep.
struct ChooseProgress {
  std::int32_t topics = 0;  // of the model that is being trained
  std::uint64_t seed = 0;
  int model = 0;           // its number, from 1
  int models = 0;          // to be trained in this call
  Progress training = {};  // as train reports it
};

// One model, measured.
struct ChooseRun {
  std::int32_t topics = 0;  // K
  std::uint64_t seed = 0;
  double perplexity = 0;  // of the held-out documents, by document completion
  double coherence = 0;   // mean over topics; NaN if no topic has a value
  double diversity = 0;   // NaN if no topic has words
  double seconds = 0;     // of training and measuring

  // K x ChooseOptions::top_words: the most probable words of each topic among those counted in it, numbers in the
  // corpus's vocabulary; -1 where it has fewer.
  std::vector<std::int32_t> top_words = {};
};

struct ChooseOptions {
  std::vector<std::int32_t> topics = {20, 50, 100, 200};  // the numbers to try, each once, in any order
  int seeds = 3;                         // models for each: seeds training.seed, training.seed + 1, ...
  TrainOptions training = {};            // all but `topics`, `topic_alpha`, `held_out` and callbacks
  std::optional<double> alpha_sum = {};  // the sum of alpha over topics, in place of training.alpha
  std::int64_t held_out_every = 10;      // every 10th document is held out, as by hold_out_every
  CoherenceOptions coherence = {};       // `threads` are those of `training`
  int top_words = 25;                    // of diversity and stability

  // Called after every sweep. Return false to stop: the model that is being trained is discarded.
  std::function<bool(const ChooseProgress&)> progress = {};

  // Called with each model that this call has trained and measured.
  std::function<void(const ChooseRun&)> done = {};
};

// A measure over the models of one number of topics.
struct Spread {
  double mean = 0;
  double least = 0;
  double most = 0;
};

// The models of one number of topics.
struct ChooseRow {
  std::int32_t topics = 0;
  int seeds = 0;  // models
  Spread perplexity = {};
  Spread coherence = {};  // over the models that have a value; NaN if none has
  Spread diversity = {};
  double stability = 0;  // mean of topic_stability over all pairs of models; NaN with one model
  double seconds = 0;    // mean
};

struct ChooseResult {
  std::vector<ChooseRow> rows = {};  // by number of topics, ascending
  std::vector<ChooseRun> runs = {};  // by number of topics, then in the order of the seeds
  bool stopped = false;              // `progress` stopped it: runs may be missing, and rows have those that are there
  std::int64_t documents = 0;        // trained on
  std::int64_t held_out_documents = 0;
  CoherenceMeasure measure = CoherenceMeasure::npmi;
  int coherence_words = 0;
  int window = 0;  // of coherence, in tokens; 0: whole documents
  int top_words = 0;
  std::vector<std::pair<std::string, std::string>> settings = {};  // what else the numbers depend on: name, value
};

// Trains a model for each number of topics and each seed on nine tenths of the documents, and measures it: perplexity
// of the other documents (complete_documents with default options), coherence in the documents trained on, diversity,
// and how much the models of different seeds agree (topic_stability).
//
// Coherence counts windows of the text, or whole documents where the corpus is a bag of words: where each document's
// words are sorted by number. All numbers of topics are trained with the first seed, then all with the next.
//
// `runs` are earlier results, such as those of load_choose_runs: these models are not trained again. Runs that are not
// asked for are left out.
//
// Determinism: as for train and the measures. All but `seconds` is the same for any number of threads, on any device,
// and for any number of interruptions continued with `runs`. With an InterruptionScope it throws Interrupted.
//
// Cost: that of train, complete_documents and coherence for each model, one at a time. Memory: a second copy of the
// corpus, one model, and 4 bytes per top word. Throws InvalidArgument for options out of range, numbers of topics that
// are below 1, repeated or above the number of documents trained on, runs that do not fit, and what train refuses.
//
//   const papilio::ChooseResult result = papilio::choose_topics(corpus, {.topics = {20, 50, 100}});
//   result.rows[1].perplexity.mean;  // of 50 topics
ChooseResult choose_topics(const CorpusView& corpus, const ChooseOptions& options, std::vector<ChooseRun> runs = {});

// Collective: the same, shared by the ranks of a job (papilio/communicator.h), each of which trains whole models. Every
// rank has the same corpus and options; threads, device and callbacks may differ. Every rank returns the result of one
// process, except for `seconds`.
//
// Models are dealt out in rounds, one to each rank, the largest number of topics first; so the schedule of training may
// be sequential. Only rank 0's `runs` are used. `progress` is called by the rank that trains the model; if one returns
// false, all ranks stop after that sweep. `done` is called after each round, on every rank with each model of the
// round.
//
// Time: that of the largest model of each round. Ranks beyond the number of models do nothing, but must take part.
// Memory: that of choose_topics, on every rank. Ranks meet after each sweep and when the models of a round are
// measured; no rank may come later than another by more than Communicator::deadline_seconds. Throws as choose_topics
// does, InvalidArgument if ranks differ or training.ranks is given, and RankError. If one rank throws, the others throw
// too.
//
//   const std::unique_ptr<papilio::Communicator> ranks = papilio::mpi_ranks();
//   const papilio::ChooseResult result = papilio::choose_topics(corpus, {.topics = {20, 50, 100}}, {}, *ranks);
ChooseResult choose_topics(const CorpusView& corpus, const ChooseOptions& options, const std::vector<ChooseRun>& runs,
                           Communicator& ranks);

// Returns sentences that say what the rows show: which number of topics predicts held-out documents best, whether seeds
// differ by as much, whether it is at an end of the list, and which numbers have the highest coherence and stability.
// The same rows give the same text. Throws InvalidArgument for a result without rows.
std::string choose_summary(const ChooseResult& result);

struct ChoosePageOptions {
  std::string title = "How many topics";
  std::string command = {};                                     // the command that makes the page again
  std::vector<std::pair<std::string, std::string>> facts = {};  // more lines for the table of settings: name, value
  bool times = false;                                           // also the seconds, which differ from run to run
};

// Returns a page of HTML that shows the result: a chart for each measure, the table, the summary and the settings.
//
// It contains its style and script, and blocks all others and every request (Content-Security-Policy). The charts do
// not need the script, which adds keys. Titles, names and values may hold anything: they never become markup.
// The same arguments give the same bytes. Throws InvalidArgument for a result without rows.
std::string choose_page(const ChooseResult& result, const ChoosePageOptions& options = {});

// Writes runs with what they depend on: corpus, options, training.seed_words too (except `topics`, `seeds`,
// training.seed, threads, devices and callbacks, which may differ when the file is read), and the version of papilio.
// The file appears whole or not at all. Throws IoError, and InvalidArgument for runs that do not fit.
void save_choose_runs(const std::vector<ChooseRun>& runs, const CorpusView& corpus, const ChooseOptions& options,
                      const std::string& path);

// Reads what save_choose_runs wrote. Throws IoError; FormatError for anything else, including hashes that do not match;
// and InvalidArgument naming the first difference, if the file belongs to another corpus, other options or another
// version.
std::vector<ChooseRun> load_choose_runs(const CorpusView& corpus, const ChooseOptions& options,
                                        const std::string& path);

}  // namespace papilio
