#include "lda/io/counts/entry_lines.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "execution/cpu/parallel_for.h"

namespace papilio::lda {
namespace {

constexpr std::size_t longest_line = 80;  // bytes, including its end: three numbers of 18 digits, and blanks

constexpr std::size_t large_block = std::size_t{1} << 19;  // stays in a core's cache while it is read
constexpr std::size_t small_block = std::size_t{1} << 15;  // takes ten times as long to read as to hand over
constexpr std::size_t most_small_blocks = 8;

// How often a thread that waits for its turn to take a block tries before it sleeps: a sleeping thread would wake late.
constexpr int tries = 200;

// If a block is not plain, the next ones may not be either: the caller reads this many lines before blocks are tried.
constexpr std::int64_t least_wait = std::int64_t{1} << 15;
constexpr std::int64_t most_wait = std::int64_t{1} << 20;

// A cursor over lines that all end in "\n".
class PlainLines {
 public:
  explicit PlainLines(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool at_end() const { return at_ == end_; }

  // Reads a number of up to 18 digits after blanks.
  bool number(std::int64_t least, std::int64_t most, std::int64_t& value) {
    while (*at_ == ' ' || *at_ == '\t') ++at_;
    const char* const begin = at_;
    std::int64_t number = 0;
    for (unsigned digit; (digit = static_cast<unsigned char>(*at_) - unsigned{'0'}) < 10; ++at_) {
      if (at_ - begin == 18) return false;
      number = 10 * number + digit;
    }
    value = number;
    return at_ != begin && number >= least && number <= most;
  }

  bool end_of_line() {
    while (*at_ == ' ' || *at_ == '\t') ++at_;
    if (*at_ == '\r') ++at_;
    return *at_ == '\n' && ++at_ != nullptr;
  }

  const char* place() const { return at_; }

 private:
  const char* at_;
  const char* end_;
};

// Gathers the entries of the lines of `text`; returns the number of lines, or -1 if one of them is not plain.
std::int64_t read_plain(std::string_view text, const EntryShape& shape, EntryGatherer& gatherer) {
  std::int64_t count_of_lines = 0;
  for (PlainLines lines(text); !lines.at_end(); ++count_of_lines) {
    const char* const begin = lines.place();
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t count = 1;
    if (!lines.number(1, shape.largest_first, first) || !lines.number(1, shape.largest_second, second)) return -1;
    if (shape.has_count && !lines.number(shape.least_count, most_count, count)) return -1;
    if (!lines.end_of_line() || static_cast<std::size_t>(lines.place() - begin) > longest_line) return -1;
    if (shape.transposed) std::swap(first, second);
    if (count > 0) gatherer.add(first - 1, second - 1, count);
  }
  return count_of_lines;
}

}  // namespace

// Text that a thread has taken, and the result of reading it.
struct EntryLines::Block {
  OwnLines lines;
  bool is_read = false;
  std::int64_t count = 0;  // of lines; -1 if one of them is not plain
  std::vector<EntryGatherer::Piece> pieces;
  std::size_t thread = 0;
  EntryGatherer::Mark end;  // the end of the pieces in the thread's gatherer
};

// One round of all threads, which ends with the first block that is not accepted.
class EntryLines::Work {
 public:
  Work(EntryLines& lines, BagOfWords& bag, std::int64_t most, std::size_t threads)
      : lines_(lines), bag_(bag), most_(most), accepted_ends_(threads) {
    bag.make_gatherers(threads);
    for (std::size_t t = 0; t < threads; ++t) accepted_ends_[t] = bag.gatherer_of(t).mark();
  }

  // What one thread does.
  void run(std::size_t thread) {
    EntryGatherer& gatherer = bag_.gatherer_of(thread);
    try {
      while (Block* const block = take()) {
        block->thread = thread;
        block->count = read_plain(block->lines.text(), lines_.shape_, gatherer);
        block->pieces = gatherer.finish();
        block->end = gatherer.mark();
        accept_after(*block);
      }
    } catch (...) {
      const std::lock_guard lock(accepting_);
      is_over_ = true;
      may_take_.notify_all();
      throw;
    }
  }

  // After all threads: gives back the blocks that were not accepted. Returns the number of accepted lines.
  std::int64_t finish() {
    std::vector<OwnLines> refused;
    for (; accepted_ < taken_; ++accepted_) refused.push_back(std::exchange(block(accepted_).lines, {}));
    for (std::size_t t = 0; t < accepted_ends_.size(); ++t) bag_.gatherer_of(t).rewind(accepted_ends_[t]);
    lines_.reader_.count_lines(accepted_lines_);
    lines_.reader_.give_back(refused);
    return accepted_lines_;
  }
  bool is_refused() const { return is_refused_; }

 private:
  Block& block(std::size_t number) { return lines_.blocks_[number % lines_.blocks_.size()]; }

  // The next block; null at the end, or if one was refused.
  Block* take() {
    std::unique_lock taking(taking_, std::defer_lock);
    for (int i = 0; i < tries && !taking.try_lock(); ++i) std::this_thread::yield();
    if (!taking) taking.lock();
    {
      std::unique_lock lock(accepting_);
      may_take_.wait(lock, [this] { return is_over_ || taken_ - accepted_ < lines_.blocks_.size(); });
      if (is_over_) return nullptr;
    }
    Block& next = block(taken_);
    const bool is_taken = lines_.reader_.take_lines(longest_line, next.lines);
    const std::lock_guard lock(accepting_);
    is_over_ = is_over_ || !is_taken;
    if (!is_taken) return nullptr;
    next.is_read = false;
    ++taken_;
    return &next;
  }

  // Accepts all blocks that have been read and whose turn has come.
  void accept_after(Block& read) {
    const std::lock_guard lock(accepting_);
    read.is_read = true;
    while (!is_refused_ && accepted_ < taken_ && block(accepted_).is_read) {
      if (accept(block(accepted_))) {
        ++accepted_;
      } else {
        is_refused_ = true;
        is_over_ = true;
      }
    }
    may_take_.notify_all();
  }

  bool accept(Block& block) {
    if (block.count < 0 || accepted_lines_ + block.count > most_ || !bag_.add_if_room(std::move(block.pieces))) {
      return false;
    }
    accepted_lines_ += block.count;
    accepted_ends_[block.thread] = block.end;
    return true;
  }

  EntryLines& lines_;
  BagOfWords& bag_;
  std::int64_t most_;
  std::mutex taking_;     // locked before the other one; whoever holds it may use the reader
  std::mutex accepting_;  // for what follows
  std::condition_variable may_take_;
  std::size_t taken_ = 0;
  std::size_t accepted_ = 0;
  std::int64_t accepted_lines_ = 0;
  std::vector<EntryGatherer::Mark> accepted_ends_;  // the end of each thread's accepted pieces
  bool is_refused_ = false;
  bool is_over_ = false;
};

std::size_t entry_block_bytes(const MemoryLimit& limit) { return limit.holds(plenty) ? large_block : small_block; }

EntryLines::EntryLines(LineReader& reader, const EntryShape& shape, const MemoryLimit& limit, int threads)
    : reader_(reader),
      shape_(shape),
      threads_(static_cast<std::size_t>(execution::thread_count(threads))),
      blocks_(threads_ == 1 ? 1 : 2 * threads_),
      wait_(least_wait) {
  if (!limit.holds(plenty)) blocks_.resize(std::min(blocks_.size(), most_small_blocks));
  threads_ = std::min(threads_, blocks_.size());
}

EntryLines::~EntryLines() = default;

std::int64_t EntryLines::add_to(BagOfWords& bag, std::int64_t most) {
  if (reader_.line_number() < next_try_) return 0;
  const std::size_t threads = reader_.at_end() ? 1 : threads_;
  Work work(*this, bag, most, threads);
  const auto run = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t t = first; t < last; ++t) work.run(static_cast<std::size_t>(t));
  };
  execution::parallel_for(static_cast<std::int64_t>(threads), 1, static_cast<int>(threads), run);
  const std::int64_t lines = work.finish();
  if (lines == 0 || work.is_refused()) {
    wait_ = lines > 0 ? least_wait : std::min(2 * wait_, most_wait);
    next_try_ = reader_.line_number() + wait_;
  }
  return lines;
}

}  // namespace papilio::lda
