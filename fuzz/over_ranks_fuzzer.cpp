#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "corpus_checks.h"
#include "execution/ranks/thread_ranks.h"
#include "papilio/corpus_formats.h"
#include "papilio/distributed.h"
#include "papilio/error.h"
#include "sound_hashes.h"

namespace {

using papilio::CorpusFormat;

constexpr std::array formats = {CorpusFormat::text, CorpusFormat::json_lines, CorpusFormat::uci,
                                CorpusFormat::corpus_file};

// What reading gave: a corpus, or an error.
struct Outcome {
  std::optional<papilio::Corpus> corpus;
  papilio::ReadReport report;
  std::string error;
  bool is_of_another = false;  // rank
};

template <class Read>
Outcome outcome_of(const Read& read) {
  Outcome outcome;
  try {
    outcome.corpus = read(outcome.report);
  } catch (const papilio::RankError& error) {
    outcome.error = error.what();
    outcome.is_of_another = true;
  } catch (const papilio::Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

// Of each rank, in a thread.
std::vector<Outcome> read_over_ranks(const std::string& path, const papilio::CorpusOptions& options, int number) {
  std::vector<std::unique_ptr<papilio::Communicator>> ranks = papilio::execution::thread_ranks({.ranks = number});
  std::vector<Outcome> outcomes(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    threads.emplace_back([&, r] {
      papilio::Communicator& own = *ranks[r];
      outcomes[r] = outcome_of([&](papilio::ReadReport& report) {
        const papilio::RankCorpus corpus = papilio::read_corpus(path, options, own, &report);
        require(report.documents == corpus.view().documents() && report.tokens_kept == corpus.view().tokens());
        return corpus.gather(own);
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

// Limits of memory and of time count other things over ranks.
bool is_of_limit(const std::string& error) { return error.find("max_memory") != std::string::npos; }

void require_same(bool holds, const Outcome& alone, const Outcome& over_ranks) {
  if (holds) return;
  std::fprintf(stderr, "ERROR: one process: \"%s\"; a rank: \"%s\"\n", alone.error.c_str(), over_ranks.error.c_str());
  std::abort();
}

void check(const std::string& path, const papilio::CorpusOptions& options, int number) {
  const Outcome alone =
      outcome_of([&](papilio::ReadReport& report) { return papilio::read_corpus(path, options, &report); });
  const std::vector<Outcome> found = read_over_ranks(path, options, number);
  // Several ranks may read what is damaged in a corpus file, and not in the order of one process.
  const bool is_corpus_file = options.format == CorpusFormat::corpus_file;
  int failed = 0;
  for (const Outcome& outcome : found) {
    if (is_of_limit(alone.error) || is_of_limit(outcome.error)) return;
    require_same(outcome.error.empty() == alone.error.empty(), alone, outcome);
    if (outcome.error.empty() || outcome.is_of_another) continue;
    require_same(is_corpus_file || outcome.error == alone.error, alone, outcome);
    ++failed;
  }
  if (!alone.corpus) {
    require(is_corpus_file ? failed >= 1 : failed == 1);
    return;
  }
  check_read(*found[0].corpus, found[0].report);
  check_equal(*found[0].corpus, *alone.corpus);
  require(found[0].corpus->document_names == alone.corpus->document_names);
  require(found[0].report.left_out == alone.report.left_out);
  for (const Outcome& outcome : found) {
    require(outcome.report.tokens_read == alone.report.tokens_read);
    require(outcome.report.empty_documents == alone.report.empty_documents);
    require(outcome.report.invalid_utf8 == alone.report.invalid_utf8);
  }
}

}  // namespace

// Ranks read what one process reads, or one of them fails with the error of one process and the others hear of it. The
// first byte chooses the options, the second the format and the number of ranks; then the file, and of UCI after a 0
// byte the vocabulary, if there is one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const CorpusFormat format = formats[data[1] % formats.size()];
  std::string bytes(as_text(data + 2, size - 2));
  if (format == CorpusFormat::corpus_file && (data[1] & 0x10) != 0) bytes = with_sound_corpus_hashes(bytes);
  const std::size_t zero = format == CorpusFormat::uci ? bytes.find('\0') : std::string::npos;
  const InputFile file(std::string_view(bytes).substr(0, zero));
  const InputFile vocabulary(zero == std::string::npos ? std::string_view() : std::string_view(bytes).substr(zero + 1));
  papilio::CorpusOptions options = {.format = format, .text = options_of(data[0])};
  if (zero != std::string::npos) options.vocabulary = vocabulary.path();
  if (format == CorpusFormat::json_lines) options.text_column = "t";
  if (format == CorpusFormat::json_lines && (data[1] & 0x10) != 0) options.id_column = "i";
  check(file.path(), options, 1 + data[1] / 4 % 4);
  return 0;
}
