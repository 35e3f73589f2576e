#include "papilio/distributed.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "bindings.h"
#include "corpus_object.h"
#include "lock.h"
#include "papilio/error.h"
#include "papilio/lda.h"
#include "ranks.h"

namespace nb = nanobind;

namespace papilio::python {
namespace {

// The topics of all tokens on every rank.
ChainState gather_topics_everywhere(const ChainState& part, std::int64_t tokens, PythonRanks& ranks) {
  ChainState whole = gather_topics(part, ranks);
  whole.z.resize(static_cast<std::size_t>(tokens));
  ranks.broadcast(std::as_writable_bytes(std::span(whole.z)), 0);
  return whole;
}

}  // namespace

void bind_distributed(nb::module_& m) {
  m.def(
      "documents_of_rank",
      [](const CorpusObject& corpus, int rank, int ranks) {
        const RankDocuments own = documents_of_rank(corpus.without_words(), rank, ranks);
        return std::make_tuple(own.first_document, own.end_document, own.first_token, own.end_token);
      },
      nb::arg("corpus"), nb::arg("rank"), nb::arg("ranks"));
  m.def(
      "gather_topics", [](const ChainState& part, PythonRanks& ranks) { return gather_topics(part, ranks); },
      nb::arg("part"), nb::arg("ranks"), nb::call_guard<Unlocked>());
  m.def(
      "gather_corpus",
      [](const CorpusObject& corpus, PythonRanks* ranks) -> std::optional<CorpusObject> {
        const Unlocked unlocked;
        if (!corpus.is_part()) throw InvalidArgument("papilio.distributed.gather_corpus: the corpus is whole");
        if (ranks == nullptr) corpus.view();  // refuses
        // What other ranks have read is refused on every rank.
        std::int64_t of_others = corpus.identity(ranks) == nullptr ? 1 : 0;
        ranks->add_up(std::span(&of_others, 1));
        corpus.view(ranks);
        if (of_others > 0) {
          throw InvalidArgument(
              "papilio.distributed.gather_corpus: ranks differ: another rank has a corpus that other ranks have read; "
              "expected what these ranks have read");
        }
        Corpus gathered = corpus.of_rank()->gather(*ranks);
        if (ranks->rank() != 0) return std::nullopt;
        return CorpusObject(std::move(gathered));
      },
      nb::arg("corpus"), nb::arg("ranks").none());
  m.def("gather_topics_everywhere", &gather_topics_everywhere, nb::arg("part"), nb::arg("tokens"), nb::arg("ranks"),
        nb::call_guard<Unlocked>());
}

}  // namespace papilio::python
