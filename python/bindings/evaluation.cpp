#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "checked.h"
#include "corpus_object.h"
#include "expanded.h"
#include "interruptible.h"
#include "lock.h"
#include "papilio/diagnostics.h"
#include "papilio/distributed.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "ranks.h"
#include "vectors.h"

namespace papilio::python {
namespace {

constexpr const char* document_topics_doc =
    R"(Topics of documents, and the tokens that they follow from.

Attributes
----------
theta : array of float32, shape (D, K)
    A row per document; rows sum to 1.
document_tokens : array of int64, shape (D,)
    Tokens of each document whose word the model knows.
known_tokens, unknown_tokens : int
    Tokens whose word the model knows, and the others.
unknown_words : int
    Words of the corpus that the model does not know.
)";

constexpr const char* completion_doc =
    R"(Held-out likelihood by document completion.

Attributes
----------
documents, left_out : int
    Documents scored, and those with fewer than two known tokens.
tokens, tokens_seen, unknown_tokens : int
    Tokens scored, tokens that theta was estimated from, and tokens of unknown words.
log_likelihood : float
    Of the tokens scored, in nats.
nats_per_token, perplexity : float
    -log_likelihood / tokens, and exp of it.
)";

constexpr const char* left_to_right_doc =
    R"(Held-out likelihood of whole documents.

Attributes
----------
log_likelihoods : array of float64, shape (D,)
    In nats; 0 for a document without known words.
log_likelihood : float
    Their sum.
tokens, unknown_tokens : int
    Tokens scored, and tokens of unknown words.
nats_per_token, perplexity : float
    -log_likelihood / tokens, and exp of it.
)";

constexpr const char* coherence_doc =
    R"(How often the most probable words of each topic occur together.

Attributes
----------
topics : array of float64, shape (K,)
    NaN for a topic with fewer than two words in the corpus.
mean : float
    Over the topics that have a value; NaN if none has.
top_words, window : int
    Words per topic, and tokens per window (0: whole documents).
windows : int
    Windows, or documents that are not empty.
missing_words : int
    Top words that the corpus does not hold, counted per topic.
)";

constexpr const char* diagnostics_doc =
    R"(One topic in its training corpus, by the measures of MALLET.

Attributes
----------
tokens : int
document_entropy : float
    Of the topic's tokens over documents, in nats: low where a few documents hold most of them.
mean_word_length : float
    Of the top words, in code points.
uniform_distance, corpus_distance : float
    Kullback-Leibler divergence of the topic's words from uniform, and from the words of the corpus; nats.
effective_words : float
    1 / sum of squared word probabilities.
exclusivity : float
    Mean over the top words of the topic's share of the word.
coherence : float
    UMass, with beta in place of 1.
documents, dominated : int
    Documents with a token of the topic, and those where no other topic has more tokens.
allocated_half, allocated_little : int
    Documents of which the topic is at least a half, and at least 2 %.
)";

InferOptions infer_options(const std::string& method, int sweeps, int burn_in, int em_steps, std::uint64_t seed,
                           int threads, const std::string& device) {
  return {.method = parse_infer_method(method),
          .sweeps = sweeps,
          .burn_in = burn_in,
          .em_steps = em_steps,
          .seed = seed,
          .threads = threads,
          .device = Device::parse(device)};
}

// Whether inference takes no longer than a moment, for `interruptible`.
bool is_short(const CorpusView& corpus, std::int64_t topics, const InferOptions& options) {
  const std::int64_t steps =
      options.method == InferMethod::em ? std::int64_t{options.em_steps} * topics : options.sweeps;
  return corpus.tokens() * steps < 100'000;
}

// function(model, corpus, options), by one process or over ranks: null for the only process. Ranks may wait for each
// other, which is never short.
template <class Function, class Options>
auto by_ranks(const Function& function, const Model& model, const CorpusView& corpus, const Options& options,
              PythonRanks* ranks, bool short_work = false) {
  if (ranks == nullptr) return interruptible([&] { return function(model, corpus, options); }, short_work);
  return interruptible([&] { return function(model, corpus, options, *ranks); });
}

DocumentTopics infer_topics(const Model& model, const CorpusObject& object, const std::string& method, int sweeps,
                            int burn_in, int em_steps, std::uint64_t seed, int threads, const std::string& device,
                            PythonRanks* ranks) {
  InferOptions options = infer_options(method, sweeps, burn_in, em_steps, seed, threads, device);
  options.corpus_identity = object.identity(ranks);
  const CorpusView corpus = object.view(ranks);
  return by_ranks([](auto&... given) { return infer(given...); }, model, corpus, options, ranks,
                  is_short(corpus, model.topics, options));
}

DocumentTopics infer_prepared(const Inference& inference, const CorpusView& corpus, const InferOptions& options,
                              PythonRanks* ranks) {
  if (ranks != nullptr) return interruptible([&] { return inference.infer(corpus, options, *ranks); });
  return interruptible([&] { return inference.infer(corpus, options); },
                       is_short(corpus, inference.model().topics, options));
}

DocumentTopics infer_corpus(const Inference& inference, const CorpusObject& object, const std::string& method,
                            int sweeps, int burn_in, int em_steps, std::uint64_t seed, int threads,
                            const std::string& device, PythonRanks* ranks) {
  InferOptions options = infer_options(method, sweeps, burn_in, em_steps, seed, threads, device);
  options.corpus_identity = object.identity(ranks);
  return infer_prepared(inference, object.view(ranks), options, ranks);
}

// use(corpus) of documents as compressed rows of counts; a column is a word of the model.
template <class Use>
auto with_counts(const Inference& inference, const ArrayLike& row_offsets, const ArrayLike& columns,
                 const ArrayLike& counts, const char* caller, Use use) {
  const auto offsets = vector_of<std::int64_t>(row_offsets, caller);
  const auto words = vector_of<std::int32_t>(columns, caller);
  const auto times = vector_of<std::int64_t>(counts, caller);
  const Corpus tokens = expanded(offsets, words, times, caller);
  CorpusView corpus = tokens;
  corpus.vocabulary = inference.model().vocabulary;
  return use(corpus);
}

DocumentTopics infer_counts(const Inference& inference, const ArrayLike& row_offsets, const ArrayLike& columns,
                            const ArrayLike& counts, const std::string& method, int sweeps, int burn_in, int em_steps,
                            std::uint64_t seed, int threads, const std::string& device, PythonRanks* ranks) {
  const InferOptions options = infer_options(method, sweeps, burn_in, em_steps, seed, threads, device);
  return with_counts(inference, row_offsets, columns, counts, "papilio::Inference::infer_counts",
                     [&](const CorpusView& corpus) { return infer_prepared(inference, corpus, options, ranks); });
}

// Gives every rank what rank 0 has inferred.
void share_topics(DocumentTopics& topics, PythonRanks& ranks) {
  const Unlocked unlocked;
  ranks.broadcast(std::as_writable_bytes(std::span(&topics.documents, 1)), 0);
  topics.document_tokens.resize(static_cast<std::size_t>(topics.documents));
  topics.theta.resize(static_cast<std::size_t>(topics.documents) * static_cast<std::size_t>(topics.topics));
  ranks.broadcast(std::as_writable_bytes(std::span(topics.document_tokens)), 0);
  ranks.broadcast(std::as_writable_bytes(std::span(topics.theta)), 0);
}

Completion complete_prepared(const Inference& inference, const CorpusView& corpus, const CompletionOptions& options,
                             PythonRanks* ranks) {
  if (ranks != nullptr) return interruptible([&] { return inference.complete_documents(corpus, options, *ranks); });
  const std::int64_t steps = std::int64_t{options.em_steps} * inference.model().topics;
  return interruptible([&] { return inference.complete_documents(corpus, options); },
                       corpus.tokens() * steps < 100'000);
}

Completion complete_corpus(const Inference& inference, const CorpusObject& object, int em_steps, std::uint64_t seed,
                           bool shuffle, int threads, const std::string& device, PythonRanks* ranks) {
  return complete_prepared(inference, object.view(ranks),
                           {.em_steps = em_steps,
                            .seed = seed,
                            .shuffle = shuffle,
                            .threads = threads,
                            .device = Device::parse(device),
                            .corpus_identity = object.identity(ranks)},
                           ranks);
}

Completion complete_counts(const Inference& inference, const ArrayLike& row_offsets, const ArrayLike& columns,
                           const ArrayLike& counts, int em_steps, std::uint64_t seed, bool shuffle, int threads,
                           const std::string& device, PythonRanks* ranks) {
  const CompletionOptions options = {
      .em_steps = em_steps, .seed = seed, .shuffle = shuffle, .threads = threads, .device = Device::parse(device)};
  return with_counts(inference, row_offsets, columns, counts, "papilio::Inference::complete_counts",
                     [&](const CorpusView& corpus) { return complete_prepared(inference, corpus, options, ranks); });
}

void bind_infer(nb::module_& m) {
  m.def(
      "unknown_words",
      [](const Model& model, const CorpusObject& corpus) {
        const Unlocked unlocked;
        const RankCorpus* const of_rank = corpus.of_rank();
        return of_rank != nullptr ? unknown_words(model, of_rank->view().vocabulary, of_rank->word_counts())
                                  : unknown_words(model, corpus.view());
      },
      nb::arg("model"), nb::arg("corpus"));
  nb::class_<DocumentTopics>(m, "DocumentTopics", document_topics_doc)
      .def_prop_ro("theta",
                   [](nb::handle self) {
                     const auto& value = nb::cast<const DocumentTopics&>(self);
                     return borrowed(value.theta.data(), static_cast<std::size_t>(value.documents),
                                     static_cast<std::size_t>(value.topics), self);
                   })
      .def_prop_ro("document_tokens",
                   [](nb::handle self) {
                     const auto& value = nb::cast<const DocumentTopics&>(self);
                     return borrowed(std::span<const std::int64_t>(value.document_tokens), self);
                   })
      .def_ro("known_tokens", &DocumentTopics::known_tokens)
      .def_ro("unknown_words", &DocumentTopics::unknown_words)
      .def_ro("unknown_tokens", &DocumentTopics::unknown_tokens);
  m.def("infer", &infer_topics, nb::arg("model"), nb::arg("corpus"), nb::arg("method"), nb::arg("sweeps"),
        nb::arg("burn_in"), nb::arg("em_steps"), nb::arg("seed"), nb::arg("threads"), nb::arg("device"),
        nb::arg("ranks").none() = nb::none());
  nb::class_<Inference>(m, "Inference", "A model made ready to infer topics; papilio.Inference is the public class.")
      .def(nb::init<const Model&>(), nb::arg("model"), nb::keep_alive<1, 2>())
      .def("infer", &infer_corpus, nb::arg("corpus"), nb::arg("method"), nb::arg("sweeps"), nb::arg("burn_in"),
           nb::arg("em_steps"), nb::arg("seed"), nb::arg("threads"), nb::arg("device"),
           nb::arg("ranks").none() = nb::none())
      .def("infer_counts", &infer_counts, nb::arg("row_offsets"), nb::arg("columns"), nb::arg("counts"),
           nb::arg("method"), nb::arg("sweeps"), nb::arg("burn_in"), nb::arg("em_steps"), nb::arg("seed"),
           nb::arg("threads"), nb::arg("device"), nb::arg("ranks").none() = nb::none())
      .def("complete_documents", &complete_corpus, nb::arg("corpus"), nb::arg("em_steps"), nb::arg("seed"),
           nb::arg("shuffle"), nb::arg("threads"), nb::arg("device"), nb::arg("ranks").none() = nb::none())
      .def("complete_counts", &complete_counts, nb::arg("row_offsets"), nb::arg("columns"), nb::arg("counts"),
           nb::arg("em_steps"), nb::arg("seed"), nb::arg("shuffle"), nb::arg("threads"), nb::arg("device"),
           nb::arg("ranks").none() = nb::none());
  m.def("share_topics", &share_topics, nb::arg("topics"), nb::arg("ranks"));
}

void bind_held_out(nb::module_& m) {
  nb::class_<Completion>(m, "Completion", completion_doc)
      .def_ro("documents", &Completion::documents)
      .def_ro("left_out", &Completion::left_out)
      .def_ro("tokens_seen", &Completion::tokens_seen)
      .def_ro("tokens", &Completion::tokens)
      .def_ro("unknown_tokens", &Completion::unknown_tokens)
      .def_ro("log_likelihood", &Completion::log_likelihood)
      .def_prop_ro("nats_per_token", &Completion::nats_per_token)
      .def_prop_ro("perplexity", &Completion::perplexity);
  m.def(
      "complete_documents",
      [](const Model& model, const CorpusObject& corpus, int em_steps, std::uint64_t seed, bool shuffle, int threads,
         const std::string& device, PythonRanks* ranks) {
        const CompletionOptions options = {.em_steps = em_steps,
                                           .seed = seed,
                                           .shuffle = shuffle,
                                           .threads = threads,
                                           .device = Device::parse(device),
                                           .corpus_identity = corpus.identity(ranks)};
        return by_ranks([](auto&... given) { return complete_documents(given...); }, model, corpus.view(ranks), options,
                        ranks);
      },
      nb::arg("model"), nb::arg("corpus"), nb::arg("em_steps"), nb::arg("seed"), nb::arg("shuffle"), nb::arg("threads"),
      nb::arg("device"), nb::arg("ranks").none() = nb::none());
  nb::class_<LeftToRight>(m, "LeftToRight", left_to_right_doc)
      .def_prop_ro(
          "log_likelihoods", [](const LeftToRight& self) { return owned(self.log_likelihoods); },
          nb::rv_policy::reference)
      .def_ro("tokens", &LeftToRight::tokens)
      .def_ro("unknown_tokens", &LeftToRight::unknown_tokens)
      .def_ro("log_likelihood", &LeftToRight::log_likelihood)
      .def_prop_ro("nats_per_token", &LeftToRight::nats_per_token)
      .def_prop_ro("perplexity", &LeftToRight::perplexity);
  m.def(
      "left_to_right",
      [](const Model& model, const CorpusObject& corpus, int particles, std::uint64_t seed, int threads,
         PythonRanks* ranks) {
        const LeftToRightOptions options = {
            .particles = particles, .seed = seed, .threads = threads, .corpus_identity = corpus.identity(ranks)};
        return by_ranks([](auto&... given) { return left_to_right(given...); }, model, corpus.view(ranks), options,
                        ranks);
      },
      nb::arg("model"), nb::arg("corpus"), nb::arg("particles"), nb::arg("seed"), nb::arg("threads"),
      nb::arg("ranks").none() = nb::none());
}

void bind_coherence(nb::module_& m) {
  nb::class_<Coherence>(m, "Coherence", coherence_doc)
      .def_ro("mean", &Coherence::mean)
      .def_prop_ro(
          "topics", [](const Coherence& self) { return owned(self.topics); }, nb::rv_policy::reference)
      .def_ro("top_words", &Coherence::top_words)
      .def_ro("window", &Coherence::window)
      .def_ro("windows", &Coherence::windows)
      .def_ro("missing_words", &Coherence::missing_words);
  m.def(
      "coherence",
      [](const Model& model, const CorpusObject& corpus, const std::string& measure, int top_words, int window,
         int threads) {
        const CoherenceOptions options = {
            .measure = parse_coherence_measure(measure), .top_words = top_words, .window = window, .threads = threads};
        return interruptible([&] { return coherence(model, corpus.view(), options); });
      },
      nb::arg("model"), nb::arg("corpus"), nb::arg("measure"), nb::arg("top_words"), nb::arg("window"),
      nb::arg("threads"));
  m.def("diversity", &diversity, nb::arg("model"), nb::arg("top_words"), nb::call_guard<Unlocked>());
}

void bind_diagnostics(nb::module_& m) {
  nb::class_<TopicDiagnostics>(m, "TopicDiagnostics", diagnostics_doc)
      .def_ro("tokens", &TopicDiagnostics::tokens)
      .def_ro("document_entropy", &TopicDiagnostics::document_entropy)
      .def_ro("mean_word_length", &TopicDiagnostics::mean_word_length)
      .def_ro("uniform_distance", &TopicDiagnostics::uniform_distance)
      .def_ro("corpus_distance", &TopicDiagnostics::corpus_distance)
      .def_ro("effective_words", &TopicDiagnostics::effective_words)
      .def_ro("exclusivity", &TopicDiagnostics::exclusivity)
      .def_ro("coherence", &TopicDiagnostics::coherence)
      .def_ro("documents", &TopicDiagnostics::documents)
      .def_ro("dominated", &TopicDiagnostics::dominated)
      .def_ro("allocated_half", &TopicDiagnostics::allocated_half)
      .def_ro("allocated_little", &TopicDiagnostics::allocated_little);
  m.def(
      "diagnose_topics",
      [](const CorpusObject& corpus, const ArrayLike& z, const Model& model, int words) {
        const auto topics = vector_of<std::int32_t>(z, "papilio.diagnose_topics: z");
        const Unlocked unlocked;
        return diagnose_topics(corpus.view(), topics, model, words);
      },
      nb::arg("corpus"), nb::arg("z"), nb::arg("model"), nb::arg("words"));
}

}  // namespace

void bind_evaluation(nb::module_& m) {
  bind_infer(m);
  bind_held_out(m);
  bind_coherence(m);
  bind_diagnostics(m);
}

}  // namespace papilio::python
