#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>

#include "execution/cpu/parallel_for.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/text/text_corpus.h"

namespace papilio::lda {

// Passes the lines of a reader to a corpus, one piece per thread. Exceptions
// are also thrown in turn, so that the first place in the text decides.
class TextCorpus::Turns {
 public:
  Turns(TextCorpus& corpus, LineReader& reader) : corpus_(corpus), reader_(reader) {}

  // Runs on each thread.
  void run(Piece& piece) {
    OwnParts block;
    std::size_t turn = 0;
    try {
      while (take(block, turn) && append(block, turn, piece)) pass(turn);
    } catch (...) {
      const std::lock_guard lock(passing_);
      is_over_ = true;
      has_passed_.notify_all();
      throw;
    }
  }

 private:
  // False at the end.
  bool take(OwnParts& block, std::size_t& turn) {
    std::exception_ptr failure;
    {
      const std::lock_guard lock(taking_);
      if (is_at_end_) return false;
      turn = taken_++;
      try {
        is_at_end_ = !reader_.take_parts(corpus_.rules_, block);
      } catch (...) {
        is_at_end_ = true;
        failure = std::current_exception();
      }
      if (is_at_end_ && !failure) return false;
    }
    if (!failure) return true;
    if (wait_for(turn)) std::rethrow_exception(failure);
    return false;
  }

  // False if an earlier turn has failed.
  bool append(const OwnParts& block, std::size_t turn, Piece& piece) {
    const Place place = {reader_.origin(), block.line_number};
    Queue queue = queue_of(block.lines, block.goes_on);
    while (!queue.texts.empty()) {
      std::exception_ptr failure;
      try {
        corpus_.share_out(static_cast<std::int64_t>(corpus_.piece_bytes_), queue, place, piece);
        corpus_.tokenize(piece);
      } catch (...) {
        failure = std::current_exception();
      }
      if (!wait_for(turn)) return false;
      if (failure) std::rethrow_exception(failure);
      corpus_.append_if_room(piece, place);
    }
    return true;
  }

  bool wait_for(std::size_t turn) {
    std::unique_lock lock(passing_);
    has_passed_.wait(lock, [&] { return is_over_ || passed_ == turn; });
    return !is_over_;
  }

  void pass(std::size_t turn) {
    const std::lock_guard lock(passing_);
    passed_ = turn + 1;
    has_passed_.notify_all();
  }

  TextCorpus& corpus_;
  LineReader& reader_;
  std::mutex taking_;  // for the reader and what follows
  std::size_t taken_ = 0;
  bool is_at_end_ = false;
  std::mutex passing_;  // for what follows
  std::condition_variable has_passed_;
  std::size_t passed_ = 0;  // number of turns passed; the thread whose turn it is may use the corpus
  bool is_over_ = false;
};

void TextCorpus::append_lines(LineReader& reader) {
  Turns turns(*this, reader);
  execution::parallel_for(std::ssize(pieces_), 1, options_.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) turns.run(pieces_[static_cast<std::size_t>(i)]);
  });
}

}  // namespace papilio::lda
