#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "corpus_object.h"
#include "papilio/diagnostics.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "vectors.h"

namespace papilio::python {
namespace {

constexpr const char* document_topics_doc =
    R"(Topics of documents, and the tokens that they follow from.

Attributes
----------
theta : array of float32, shape (D, K)
    A row per document; rows sum to 1.
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

constexpr std::int64_t tokens_per_part = std::int64_t{1} << 18;

// Runs Python's signal handlers and throws what they raise: KeyboardInterrupt for Ctrl-C.
void check_signals() {
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// The end of a range of documents from `begin` on that has about tokens_per_part tokens.
std::int64_t end_of_part(const CorpusView& corpus, std::int64_t begin) {
  const auto offset = [&](std::int64_t d) { return corpus.document_offsets[static_cast<std::size_t>(d)]; };
  std::int64_t end = begin + 1;
  while (end < corpus.documents() && offset(end) - offset(begin) < tokens_per_part) ++end;
  return end;
}

DocumentTopics infer_part(const Model& model, const CorpusView& corpus, std::int64_t begin, std::int64_t end,
                          const InferOptions& options) {
  const auto all = corpus.document_offsets.subspan(static_cast<std::size_t>(begin));
  std::vector<std::int64_t> offsets(all.begin(), all.begin() + (end - begin + 1));
  const std::int64_t first = offsets.front();
  for (std::int64_t& offset : offsets) offset -= first;
  const auto words = corpus.words.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(offsets.back()));
  return infer(model, {offsets, words, corpus.vocabulary, {}}, options);
}

// Goes part by part, with a look at Ctrl-C in between; the topics of a document do not depend on the others.
DocumentTopics infer_topics(const Model& model, const CorpusObject& object, const std::string& method, int sweeps,
                            int burn_in, int em_steps, std::uint64_t seed, int threads) {
  const InferOptions options = {.method = parse_infer_method(method),
                                .sweeps = sweeps,
                                .burn_in = burn_in,
                                .em_steps = em_steps,
                                .seed = seed,
                                .threads = threads};
  const CorpusView corpus = object.view();
  corpus.verify();
  if (corpus.tokens() <= tokens_per_part) return infer(model, corpus, options);
  DocumentTopics result;
  result.documents = corpus.documents();
  result.topics = model.topics;
  result.theta.reserve(static_cast<std::size_t>(result.documents) * static_cast<std::size_t>(model.topics));
  for (std::int64_t begin = 0; begin < corpus.documents();) {
    const std::int64_t end = end_of_part(corpus, begin);
    const DocumentTopics part = infer_part(model, corpus, begin, end, options);
    result.theta.insert(result.theta.end(), part.theta.begin(), part.theta.end());
    result.known_tokens += part.known_tokens;
    result.unknown_words = part.unknown_words;
    result.unknown_tokens += part.unknown_tokens;
    check_signals();
    begin = end;
  }
  return result;
}

void bind_infer(nb::module_& m) {
  nb::class_<DocumentTopics>(m, "DocumentTopics", document_topics_doc)
      .def_prop_ro("theta",
                   [](nb::handle self) {
                     const auto& value = nb::cast<const DocumentTopics&>(self);
                     return borrowed(value.theta.data(), static_cast<std::size_t>(value.documents),
                                     static_cast<std::size_t>(value.topics), self);
                   })
      .def_ro("known_tokens", &DocumentTopics::known_tokens)
      .def_ro("unknown_words", &DocumentTopics::unknown_words)
      .def_ro("unknown_tokens", &DocumentTopics::unknown_tokens);
  m.def("infer", &infer_topics, nb::arg("model"), nb::arg("corpus"), nb::arg("method"), nb::arg("sweeps"),
        nb::arg("burn_in"), nb::arg("em_steps"), nb::arg("seed"), nb::arg("threads"),
        nb::call_guard<nb::gil_scoped_release>());
}

void bind_held_out(nb::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> without_lock;
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
      [](const Model& model, const CorpusObject& corpus, int em_steps, std::uint64_t seed, bool shuffle, int threads) {
        return complete_documents(model, corpus.view(),
                                  {.em_steps = em_steps, .seed = seed, .shuffle = shuffle, .threads = threads});
      },
      nb::arg("model"), nb::arg("corpus"), nb::arg("em_steps"), nb::arg("seed"), nb::arg("shuffle"), nb::arg("threads"),
      without_lock);
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
      [](const Model& model, const CorpusObject& corpus, int particles, std::uint64_t seed, int threads) {
        return left_to_right(model, corpus.view(), {.particles = particles, .seed = seed, .threads = threads});
      },
      nb::arg("model"), nb::arg("corpus"), nb::arg("particles"), nb::arg("seed"), nb::arg("threads"), without_lock);
}

void bind_coherence(nb::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> without_lock;
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
        return coherence(model, corpus.view(),
                         {.measure = parse_coherence_measure(measure),
                          .top_words = top_words,
                          .window = window,
                          .threads = threads});
      },
      nb::arg("model"), nb::arg("corpus"), nb::arg("measure"), nb::arg("top_words"), nb::arg("window"),
      nb::arg("threads"), without_lock);
  m.def("diversity", &diversity, nb::arg("model"), nb::arg("top_words"), without_lock);
}

void bind_diagnostics(nb::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> without_lock;
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
      [](const CorpusObject& corpus, const InputVector<std::int32_t>& z, const Model& model, int words) {
        return diagnose_topics(corpus.view(), as_vector(z), model, words);
      },
      nb::arg("corpus"), nb::arg("z"), nb::arg("model"), nb::arg("words"), without_lock);
}

}  // namespace

void bind_evaluation(nb::module_& m) {
  bind_infer(m);
  bind_held_out(m);
  bind_coherence(m);
  bind_diagnostics(m);
}

}  // namespace papilio::python
