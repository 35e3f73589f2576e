#include "lda/corpus/corpus_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/choices.h"
#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "lda/corpus/phrases.h"
#include "lda/corpus/tokenizer.h"
#include "lda/corpus/word_tally.h"
#include "papilio/primitives.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t grain = std::int64_t{1} << 16;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

std::vector<std::int64_t> count_words(const Corpus& corpus, int threads) {
  std::vector<std::int64_t> counts(corpus.vocabulary.size());
  histogram(corpus.words, counts, threads);
  return counts;
}

// Flags the first token of each word in each document of [first, last). flags[0] is for the first token of `first`.
void flag_first_occurrences(const Corpus& corpus, std::int64_t first, std::int64_t last,
                            std::vector<std::uint8_t>& flags, int threads) {
  const std::int64_t begin = corpus.document_offsets[index(first)];
  const std::int64_t share = base::ceil_div<std::int64_t>(last - first, execution::thread_count(threads));
  execution::parallel_for(last - first, share, threads, [&](std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> last_document(corpus.vocabulary.size(), -1);
    for (std::int64_t d = first + from; d < first + to; ++d) {
      for (std::int64_t i = corpus.document_offsets[index(d)]; i < corpus.document_offsets[index(d + 1)]; ++i) {
        std::int64_t& seen_in = last_document[index(corpus.words[index(i)])];
        flags[index(i - begin)] = seen_in != d ? 1 : 0;
        seen_in = d;
      }
    }
  });
}

// Removes the flags of all but the `most` most frequent flagged words.
void keep_most_frequent(const std::vector<std::int64_t>& counts, std::int64_t most, std::vector<std::uint8_t>& keep) {
  std::vector<std::int32_t> kept;
  for (std::size_t w = 0; w < keep.size(); ++w) {
    if (keep[w] != 0) kept.push_back(static_cast<std::int32_t>(w));
  }
  if (std::ssize(kept) <= most) return;
  std::nth_element(kept.begin(), kept.begin() + most, kept.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(-counts[index(a)], a) < std::pair(-counts[index(b)], b);
  });
  std::for_each(kept.begin() + most, kept.end(), [&](std::int32_t w) { keep[index(w)] = 0; });
}

// Keeps the tokens of kept words, with the words' new numbers.
void keep_tokens(Corpus& corpus, const std::vector<std::uint8_t>& keep, int threads) {
  std::vector<std::int32_t> kept_words(keep.begin(), keep.end());
  std::vector<std::int64_t> new_number(keep.size());
  exclusive_scan(kept_words, new_number, threads);

  std::vector<std::uint8_t> token_kept(corpus.words.size());
  std::vector<std::int64_t> lengths(index(corpus.documents()));
  execution::parallel_for(corpus.documents(), grain / 64, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t d = first; d < last; ++d) {
      for (std::int64_t i = corpus.document_offsets[index(d)]; i < corpus.document_offsets[index(d + 1)]; ++i) {
        std::int32_t& word = corpus.words[index(i)];
        token_kept[index(i)] = keep[index(word)];
        lengths[index(d)] += keep[index(word)];
        word = static_cast<std::int32_t>(new_number[index(word)]);
      }
    }
  });
  const std::int64_t tokens = exclusive_scan(lengths, corpus.document_offsets, threads);
  std::vector<std::int32_t> words(index(tokens));
  compact(corpus.words, token_kept, words, threads);
  corpus.words = std::move(words);
}

// Leaves out the words whose entry of `keep` is not 1, and their tokens.
Corpus keep_chosen(Corpus corpus, const std::vector<std::uint8_t>& keep, int threads) {
  if (std::count(keep.begin(), keep.end(), 1) == std::ssize(keep)) return corpus;
  keep_tokens(corpus, keep, threads);
  std::size_t kept = 0;
  for (std::size_t w = 0; w < keep.size(); ++w) {
    if (keep[w] == 0) continue;
    if (kept != w) corpus.vocabulary[kept] = std::move(corpus.vocabulary[w]);
    ++kept;
  }
  corpus.vocabulary.resize(kept);
  return corpus;
}

}  // namespace

void require_text_options(const TextOptions& options, const char* caller) {
  base::require(options.min_token_length.value_or(1) >= 1, "{}: min_token_length is {}, expected at least 1", caller,
                options.min_token_length.value_or(1));
  base::require(name(options.words) != "unknown", "{}: words is {}, which is not a rule for words", caller,
                static_cast<int>(options.words));
  base::require(options.words != WordRule::icu || !icu_version().empty(),
                "{}: words is icu, but this build has no ICU; install libicu-dev and build papilio again", caller);
  if (!options.token_pattern.empty()) {
    base::require(options.words == WordRule::letters,
                  "{}: words is {} and there is a token_pattern, expected one of them", caller, name(options.words));
    const std::string fault = token_pattern_fault(options.token_pattern);
    base::require(fault.empty(), "{}: token_pattern is {}: {}", caller, base::quoted(options.token_pattern), fault);
  }
  base::require(options.min_df >= 0, "{}: min_df is {}, expected at least 0", caller, options.min_df);
  base::require(options.max_df > 0 && options.max_df <= 1, "{}: max_df is {}, expected 0 < max_df <= 1", caller,
                options.max_df);
  base::require(options.max_vocabulary >= 0, "{}: max_vocabulary is {}, expected at least 0", caller,
                options.max_vocabulary);
  base::require(options.max_line_bytes >= 1 && options.max_line_bytes <= std::int64_t{1} << 40,
                "{}: max_line_bytes is {}, expected 1 to 2^40", caller, options.max_line_bytes);
  base::require(options.max_memory >= 0, "{}: max_memory is {}, expected at least 0", caller, options.max_memory);
  require_phrase_options(options, caller);
  execution::thread_count(options.threads);  // throws if the number is out of range
}

WordIndex index_stop_words(const std::vector<std::string>& stop_words) {
  WordIndex index;
  Tokenizer tokenizer(1);
  for (const std::string& word : stop_words) index.number(tokenizer.fold(word));
  return index;
}

// Blocks of documents bound the memory; the counts of all blocks are added up.
std::vector<std::int64_t> document_frequencies(const Corpus& corpus, int threads) {
  const std::int64_t block_tokens = std::max(std::int64_t{1} << 22, corpus.vocabulary_size());
  std::vector<std::int64_t> frequencies(corpus.vocabulary.size());
  std::vector<std::uint8_t> flags;
  std::vector<std::int32_t> distinct;
  const auto& offsets = corpus.document_offsets;
  for (std::int64_t first = 0; first < corpus.documents();) {
    const std::int64_t begin = offsets[index(first)];
    std::int64_t last = first + 1;
    while (last < corpus.documents() && offsets[index(last + 1)] - begin <= block_tokens) ++last;
    const std::int64_t tokens = offsets[index(last)] - begin;
    flags.resize(index(tokens));
    distinct.resize(index(tokens));
    flag_first_occurrences(corpus, first, last, flags, threads);
    const VectorView<const std::int32_t> words(corpus.words.data() + begin, tokens);
    const std::int64_t count = compact(words, flags, distinct, threads);
    histogram({distinct.data(), count}, frequencies, threads);
    first = last;
  }
  return frequencies;
}

std::vector<std::uint8_t> choose_words(const WordStatistics& statistics, std::int64_t documents,
                                       const TextOptions& options, std::span<const std::string> vocabulary,
                                       LeftOut* left_out) {
  using enum LeftOutReason;
  constexpr auto stays = static_cast<LeftOutReason>(255);
  std::vector<LeftOutReason> reasons(statistics.counts.size(), stays);
  for (std::size_t w = 0; w < statistics.frequencies.size(); ++w) {
    const std::int64_t df = statistics.frequencies[w];
    // Compares the quotient: then 29 of 100 documents are exactly the 0.29 that the user wrote.
    const bool common = df > 0 && static_cast<double>(df) / static_cast<double>(documents) > options.max_df;
    reasons[w] = df < options.min_df ? min_df : common ? max_df : stays;
  }
  for (std::size_t w = 0; w < reasons.size(); ++w) {
    if (options.min_df == 1 && statistics.counts[w] == 0) reasons[w] = min_df;
  }
  std::vector<std::uint8_t> keep;
  for (const LeftOutReason reason : reasons) keep.push_back(reason == stays ? 1 : 0);
  if (options.max_vocabulary > 0) keep_most_frequent(statistics.counts, options.max_vocabulary, keep);
  for (std::size_t w = 0; w < keep.size(); ++w) {
    if (keep[w] == 0 && reasons[w] == stays) reasons[w] = max_vocabulary;
  }
  for (const LeftOutReason reason : {min_df, max_df, max_vocabulary}) {
    if (left_out == nullptr) break;
    (*left_out)[reason] =
        pick_words(vocabulary, statistics.counts, [&](std::size_t w) { return reasons[w] == reason; });
  }
  return keep;
}

Corpus keep_words(Corpus corpus, const TextOptions& options, LeftOut* left_out, Communicator* ranks) {
  WordStatistics statistics;
  if (limits_frequencies(options)) statistics.frequencies = document_frequencies(corpus, options.threads);
  statistics.counts = count_words(corpus, options.threads);
  std::int64_t documents = corpus.documents();
  if (ranks != nullptr) {
    ranks->add_up(statistics.frequencies);
    ranks->add_up(statistics.counts);
    ranks->add_up(std::span(&documents, 1));
  }
  const std::vector<std::uint8_t> keep = choose_words(statistics, documents, options, corpus.vocabulary, left_out);
  return keep_chosen(std::move(corpus), keep, options.threads);
}

Corpus drop_stop_words(Corpus corpus, const TextOptions& options, LeftOut& left_out, Communicator* ranks) {
  if (options.stop_words.empty()) return corpus;
  const WordIndex stop_words = index_stop_words(options.stop_words);
  Tokenizer tokenizer(1);
  std::vector<std::uint8_t> keep;
  for (const std::string& word : corpus.vocabulary) {
    keep.push_back(stop_words.find(tokenizer.fold(word)) < 0 ? 1 : 0);
  }
  std::vector<std::int64_t> counts = count_words(corpus, options.threads);
  if (ranks != nullptr) ranks->add_up(counts);
  left_out[LeftOutReason::stop_word] =
      pick_words(corpus.vocabulary, counts, [&](std::size_t w) { return keep[w] == 0; });
  return keep_chosen(std::move(corpus), keep, options.threads);
}

void complete_report(std::span<const std::int64_t> document_offsets, const char* format, ReadReport& report) {
  const auto& offsets = document_offsets;
  report.format = format;
  report.documents = std::ssize(offsets) - 1;
  report.tokens_kept = offsets.back();
  report.rare_or_common_dropped =
      report.tokens_read - report.stop_words_dropped - report.tokens_joined - report.tokens_kept;
  for (std::size_t d = 1; d < offsets.size(); ++d) report.empty_documents += offsets[d] == offsets[d - 1] ? 1 : 0;
}

void complete_report(const Corpus& corpus, const char* format, ReadReport& report) {
  complete_report(corpus.document_offsets, format, report);
}

}  // namespace papilio::lda

namespace papilio {

bool seems_unspaced(const ReadReport& report) {
  return report.unspaced_tokens > 0 && 10 * report.unspaced_tokens >= report.tokens_read;
}

}  // namespace papilio
