#include "lda/io/bytes/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "execution/cpu/parallel_for.h"

namespace papilio::lda {
namespace {

// A ring of blocks. The reading thread fills those from `filled_` to
// below `taken_ + blocks`, in order; the calling thread takes them.
class ReadAhead final : public ByteSource {
 public:
  ReadAhead(std::unique_ptr<ByteSource> source, std::size_t blocks, bool unpacks)
      : source_(std::move(source)), unpacks_(unpacks), blocks_(blocks) {}

  ~ReadAhead() override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    may_fill_.notify_one();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  std::size_t read(char* data, std::size_t capacity) override {
    if (!thread_.joinable() && (read_at_once_ < read_ahead_block || !start())) {
      const std::size_t got = source_->read(data, capacity);
      read_at_once_ += got;
      return got;
    }
    if (begin_ == size_of_front() && !next_block()) return 0;
    const Block& front = blocks_[taken_ % blocks_.size()];
    const std::size_t got = std::min(capacity, front.size - begin_);
    std::memcpy(data, front.bytes.get() + begin_, got);
    begin_ += got;
    return got;
  }

  std::size_t read_at_once(char* data, std::size_t capacity) override {
    return unpacks_ || thread_.joinable() ? read(data, capacity) : source_->read(data, capacity);
  }

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };

  bool start() {
    if (has_failed_to_start_) return false;
    try {
      for (Block& block : blocks_) block.bytes = std::make_unique_for_overwrite<char[]>(read_ahead_block);
      thread_ = std::thread([this] { fill(); });
    } catch (const std::system_error&) {
      has_failed_to_start_ = true;
    }
    return !has_failed_to_start_;
  }

  std::size_t size_of_front() const { return has_front_ ? blocks_[taken_ % blocks_.size()].size : 0; }

  // Gives the front block back and waits for the next one; false at the end. Throws what the source threw.
  bool next_block() {
    std::unique_lock lock(mutex_);
    if (has_front_) {
      ++taken_;
      has_front_ = false;
      may_fill_.notify_one();
    }
    may_take_.wait(lock, [this] { return filled_ > taken_ || is_at_end_; });
    begin_ = 0;
    has_front_ = filled_ > taken_;
    if (!has_front_ && failure_) std::rethrow_exception(failure_);
    return has_front_;
  }

  // Runs on the reading thread.
  void fill() {
    for (bool is_last = false; !is_last;) {
      {
        std::unique_lock lock(mutex_);
        may_fill_.wait(lock, [this] { return filled_ - taken_ < blocks_.size() || is_over_; });
        if (is_over_) return;
      }
      std::exception_ptr failure;
      Block& block = blocks_[filled_ % blocks_.size()];
      is_last = !fill(block, failure);
      const std::lock_guard lock(mutex_);
      filled_ += block.size > 0 ? 1 : 0;
      is_at_end_ = is_last;
      failure_ = failure;
      may_take_.notify_one();
    }
  }

  // False at the end of the source, or if it fails.
  bool fill(Block& block, std::exception_ptr& failure) {
    block.size = 0;
    try {
      while (block.size < read_ahead_block) {
        const std::size_t got = source_->read(block.bytes.get() + block.size, read_ahead_block - block.size);
        if (got == 0) return false;
        block.size += got;
      }
    } catch (...) {
      failure = std::current_exception();
      return false;
    }
    return true;
  }

  std::unique_ptr<ByteSource> source_;  // used by the reading thread only, while there is one
  bool unpacks_;
  std::vector<Block> blocks_;
  std::size_t read_at_once_ = 0;
  bool has_failed_to_start_ = false;
  bool has_front_ = false;
  std::size_t begin_ = 0;  // in the front block

  std::mutex mutex_;  // for what follows
  std::condition_variable may_fill_, may_take_;
  std::size_t filled_ = 0;
  std::size_t taken_ = 0;
  bool is_at_end_ = false;
  bool is_over_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source, std::size_t blocks, bool unpacks) {
  return std::make_unique<ReadAhead>(std::move(source), blocks, unpacks);
}

std::size_t blocks_ahead(const MemoryLimit& limit, std::size_t block_bytes, int threads) {
  constexpr std::size_t least = 4;
  if (execution::thread_count(threads) == 1 || !limit.holds(plenty)) return 0;
  return std::max(least, 2 * block_bytes / read_ahead_block);
}

}  // namespace papilio::lda
