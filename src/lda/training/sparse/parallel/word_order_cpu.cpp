#include "lda/training/sparse/parallel/word_order_cpu.h"

#include <algorithm>
#include <utility>

#include "execution/cpu/parallel_for.h"
#include "papilio/primitives.h"

namespace papilio::lda::sparse {
namespace {

// The least number of tokens per part: fewer are not worth one.
constexpr std::int64_t least_tokens_per_part = std::int64_t{1} << 16;

// A part has a cursor per word, and at least this many tokens per cursor; so cursors take up to 4 bytes per token.
constexpr std::int64_t least_tokens_per_cursor = 4;

// For loops over words.
constexpr std::int64_t words_per_task = std::int64_t{1} << 12;

// For draws.
constexpr std::int64_t most_tokens_per_task = std::int64_t{1} << 14;
constexpr std::int64_t tokens_per_word_part = std::int64_t{1} << 13;  // per part of a shared word

// The least number of tokens of a task if there are several threads: with fewer, starting a task does not pay.
constexpr std::int64_t least_tokens_per_task = std::int64_t{1} << 11;

// When a task is cut, the remaining tokens must make at least this many tasks of its size per thread.
constexpr std::int64_t tasks_left_per_thread = 4;

std::int64_t tokens_of(const WordOrder& order, std::int64_t word) {
  const auto w = static_cast<std::size_t>(word);
  return order.offsets[w + 1] - order.offsets[w];
}

std::int64_t words_of(const WordOrder& order) { return std::ssize(order.offsets) - 1; }

// A task that begins with a word and has no tokens yet.
DrawTask task_from(const WordOrder& order, std::int64_t word) {
  const auto w = static_cast<std::size_t>(word);
  return {.first_word = word, .first_pair = order.pair_offsets[w], .begin = order.offsets[w], .end = order.offsets[w]};
}

}  // namespace

// A word in one part of the documents: the number of its tokens and pairs so far, later the places of the next ones.
struct WordOrder::Cursor {
  std::uint32_t token = 0;
  std::uint32_t pair = 0;
  std::uint32_t document = 0;        // of the last token
  std::uint32_t tokens_of_pair = 0;  // in the last token's pair so far; 0: no token yet
};

// The corpus, cut into parts of whole documents with about the same number of tokens.
class WordOrder::Parts {
 public:
  Parts(const CorpusView& corpus, int threads)
      : corpus_(corpus),
        threads_(threads),
        words_(static_cast<std::size_t>(corpus.vocabulary_size())),
        first_documents_(first_documents(corpus, execution::thread_count(threads))),
        cursors_(words_ * count()),
        offsets_(words_ + 1),
        pair_offsets_(words_ + 1) {
    for_each_token([](Cursor& cursor, std::size_t, std::uint32_t, bool is_first) {
      ++cursor.token;
      cursor.pair += is_first;
    });
    std::vector<std::int64_t> tokens(words_), pairs(words_);
    for_each_word([&](std::size_t word, Cursor& cursor) {
      tokens[word] += cursor.token;
      pairs[word] += cursor.pair;
    });
    exclusive_scan(tokens, offsets_, 1);
    exclusive_scan(pairs, pair_offsets_, 1);
    std::copy(offsets_.begin(), offsets_.end() - 1, tokens.begin());
    std::copy(pair_offsets_.begin(), pair_offsets_.end() - 1, pairs.begin());
    for_each_word([&](std::size_t word, Cursor& cursor) {
      const Cursor counts = std::exchange(
          cursor, {.token = static_cast<std::uint32_t>(tokens[word]), .pair = static_cast<std::uint32_t>(pairs[word])});
      tokens[word] += counts.token;
      pairs[word] += counts.pair;
    });
  }

  std::vector<std::int64_t> take_offsets() { return std::move(offsets_); }
  std::vector<std::int64_t> take_pair_offsets() { return std::move(pair_offsets_); }

  // Calls f(cursor of the word, token, document, whether the token is the first of a pair) in the order of
  // documents within each part, for several parts at the same time. At first, the cursors are at the places where
  // their parts begin; f advances them.
  template <class F>
  void for_each_token(F f) {
    execution::parallel_for(static_cast<std::int64_t>(count()), 1, threads_, [&](std::int64_t begin, std::int64_t end) {
      for (auto part = static_cast<std::size_t>(begin); part < static_cast<std::size_t>(end); ++part) {
        for (std::int64_t d = first_documents_[part]; d < first_documents_[part + 1]; ++d) {
          tokens_of_document(d, cursors_.data() + part * words_, f);
        }
      }
    });
  }

 private:
  static std::vector<std::int64_t> first_documents(const CorpusView& corpus, int threads) {
    const std::int64_t words = std::max<std::int64_t>(corpus.vocabulary_size(), 1), tokens = corpus.tokens();
    const std::int64_t most = std::min(tokens / least_tokens_per_part, tokens / least_tokens_per_cursor / words);
    const std::int64_t parts = std::clamp<std::int64_t>(most, 1, threads);
    std::vector<std::int64_t> firsts = {0};
    for (std::int64_t part = 1; part < parts; ++part) {
      const auto at =
          std::lower_bound(corpus.document_offsets.begin(), corpus.document_offsets.end(), tokens / parts * part);
      firsts.push_back(at - corpus.document_offsets.begin());
    }
    firsts.push_back(corpus.documents());
    return firsts;
  }

  std::size_t count() const { return first_documents_.size() - 1; }

  template <class F>
  void tokens_of_document(std::int64_t document, Cursor* cursors, F& f) const {
    const auto begin = static_cast<std::size_t>(corpus_.document_offsets[static_cast<std::size_t>(document)]);
    const auto end = static_cast<std::size_t>(corpus_.document_offsets[static_cast<std::size_t>(document) + 1]);
    const auto d = static_cast<std::uint32_t>(document);
    for (std::size_t i = begin; i < end; ++i) {
      Cursor& cursor = cursors[corpus_.words[i]];
      const bool is_first = cursor.document != d || cursor.tokens_of_pair == most_tokens || cursor.tokens_of_pair == 0;
      cursor.document = d;
      cursor.tokens_of_pair = is_first ? 1 : cursor.tokens_of_pair + 1;
      f(cursor, i, d, is_first);
    }
  }

  // Calls f(word, its cursor in a part), for one part of a word after another.
  template <class F>
  void for_each_word(F f) {
    execution::parallel_for(static_cast<std::int64_t>(words_), words_per_task, threads_,
                            [&](std::int64_t begin, std::int64_t end) {
                              for (std::size_t part = 0; part < count(); ++part) {
                                for (std::int64_t w = begin; w < end; ++w) {
                                  const auto word = static_cast<std::size_t>(w);
                                  f(word, cursors_[part * words_ + word]);
                                }
                              }
                            });
  }

  const CorpusView corpus_;
  const int threads_;
  const std::size_t words_;
  const std::vector<std::int64_t> first_documents_;  // of each part, and D
  std::vector<Cursor> cursors_;                      // parts x words
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> pair_offsets_;
};

WordOrder::WordOrder(const CorpusView& corpus, int threads) : WordOrder(corpus, Parts(corpus, threads), threads) {}

WordOrder::WordOrder(const CorpusView& corpus, Parts&& parts, int threads)
    : numbers(static_cast<std::size_t>(corpus.tokens()) + look_ahead, threads),
      places(static_cast<std::size_t>(corpus.tokens()) + look_ahead, threads),
      offsets(parts.take_offsets()),
      pair_offsets(parts.take_pair_offsets()),
      documents(static_cast<std::size_t>(pair_offsets.back()) + look_ahead, threads),
      sizes(static_cast<std::size_t>(pair_offsets.back()), threads) {
  parts.for_each_token([this](Cursor& cursor, std::size_t token, std::uint32_t document, bool is_first) {
    const std::uint32_t place = cursor.token++;
    numbers[place] = static_cast<std::uint32_t>(token);
    places[token] = place;
    cursor.pair += is_first;
    const std::size_t pair = cursor.pair - std::size_t{1};
    documents[pair] = document;
    ++sizes[pair];
  });
}

DrawTasks::DrawTasks(const WordOrder& order, const std::vector<bool>& is_seed, int threads)
    : is_shared_(is_seed),
      least_tokens_(execution::thread_count(threads) == 1 ? most_tokens_per_task : least_tokens_per_task) {
  for (std::int64_t w = 0; w < words_of(order); ++w) {
    const auto word = static_cast<std::size_t>(w);
    is_shared_[word] = is_shared_[word] || tokens_of(order, w) > most_tokens_per_word;
    if (is_shared_[word]) add_shared_word(order, w);
  }
  add_frequent_words(order);
  add_other_words(order, execution::thread_count(threads));
}

void DrawTasks::add_shared_word(const WordOrder& order, std::int64_t word) {
  DrawTask task = task_from(order, word);
  task.shared_word = std::ssize(shared_words_);
  auto pair = static_cast<std::size_t>(task.first_pair);
  const std::int64_t end = task.begin + tokens_of(order, word);
  while (task.begin < end) {
    task.first_pair = static_cast<std::int64_t>(pair);
    while (task.end < end && task.tokens() < tokens_per_word_part) task.end += order.sizes[pair++];
    tasks_.push_back(task);
    task.begin = task.end;
  }
  shared_words_.push_back(word);
}

// The largest come first, so that no thread draws a large one while the others have nothing left to do.
void DrawTasks::add_frequent_words(const WordOrder& order) {
  const std::ptrdiff_t shared = std::ssize(tasks_);
  for (std::int64_t w = 0; w < words_of(order); ++w) {
    if (is_shared_[static_cast<std::size_t>(w)] || !is_alone(order, w)) continue;
    DrawTask task = task_from(order, w);
    task.end += tokens_of(order, w);
    tasks_.push_back(task);
  }
  std::stable_sort(tasks_.begin() + shared, tasks_.end(),
                   [](const DrawTask& a, const DrawTask& b) { return a.tokens() > b.tokens(); });
}

void DrawTasks::add_other_words(const WordOrder& order, int threads) {
  std::int64_t left = 0;
  for (std::int64_t w = 0; w < words_of(order); ++w) left += is_alone(order, w) ? 0 : tokens_of(order, w);
  for (std::int64_t w = 0; w < words_of(order);) {
    if (is_alone(order, w)) {
      ++w;
      continue;
    }
    DrawTask task = task_from(order, w);
    const std::int64_t most = std::clamp(left / (tasks_left_per_thread * threads), least_tokens_, most_tokens_per_task);
    do {
      task.end += tokens_of(order, w++);
    } while (w < words_of(order) && !is_alone(order, w) && task.tokens() + tokens_of(order, w) <= most);
    left -= task.tokens();
    if (task.tokens() > 0) tasks_.push_back(task);
  }
}

// Whether the word has tasks of its own.
bool DrawTasks::is_alone(const WordOrder& order, std::int64_t word) const {
  return is_shared_[static_cast<std::size_t>(word)] || tokens_of(order, word) > least_tokens_;
}

}  // namespace papilio::lda::sparse
