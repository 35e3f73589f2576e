#include "lda/io/parts/lines_of_rank.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "execution/ranks/collectives.h"
#include "execution/ranks/work_in_turns.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/model/agreed.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t bytes_at_once = std::int64_t{1} << 18;
constexpr std::int64_t bytes_compared = 4096;

// Finds the ends of lines in a file.
class LineEnds {
 public:
  explicit LineEnds(const Origin& origin)
      : origin_(origin),
        file_(::open(origin.path.c_str(), O_RDONLY | O_CLOEXEC)),
        buffer_(std::make_unique_for_overwrite<char[]>(bytes_at_once)) {
    struct stat found = {};
    if (file_ < 0) origin.io_error("open", errno);
    if (::fstat(file_, &found) == 0) size_ = found.st_size;
  }
  ~LineEnds() { ::close(file_); }
  LineEnds(const LineEnds&) = delete;
  LineEnds& operator=(const LineEnds&) = delete;

  std::int64_t size() const { return size_; }

  // Some of the bytes from `at` on; none at the end of the file.
  std::string_view read(std::int64_t at, std::int64_t most = bytes_at_once) {
    while (true) {
      const ssize_t got = ::pread(file_, buffer_.get(), static_cast<std::size_t>(std::min(bytes_at_once, most)), at);
      if (got >= 0) return {buffer_.get(), static_cast<std::size_t>(got)};
      if (errno != EINTR) origin_.io_error("read", errno);
    }
  }

  // The byte after the next end of a line, where a line begins; the file's end if there is none.
  std::int64_t next_line(std::int64_t at) {
    for (std::string_view bytes = read(at); !bytes.empty(); bytes = read(at)) {
      const std::size_t end = bytes.find('\n');
      if (end != bytes.npos) return at + static_cast<std::int64_t>(end) + 1;
      at += std::ssize(bytes);
    }
    return at;
  }

  std::int64_t count(std::int64_t begin, std::int64_t end, const std::atomic<bool>& is_over) {
    std::int64_t lines = 0;
    while (begin < end && !is_over) {
      const std::string_view bytes = read(begin, end - begin);
      if (bytes.empty()) break;
      lines += std::ranges::count(bytes, '\n');
      begin += std::ssize(bytes);
    }
    return lines;
  }

 private:
  const Origin& origin_;
  int file_;
  std::int64_t size_ = 0;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace

FilePart lines_of_rank(const Origin& origin, int head, Communicator& ranks) {
  FilePart part;
  std::int64_t lines = 0;
  std::string claims;
  std::atomic<bool> is_over = false;
  execution::work_on_parts(ranks, is_over, [&] {
    LineEnds file(origin);
    const std::string beginning(file.read(0, bytes_compared));
    claims = fmt::format("file.bytes {}\nfile.hash_of_beginning {}\n", file.size(),
                         xxh3_128(std::as_bytes(std::span(beginning))));
    std::int64_t body = 0;
    for (int line = 0; line < head; ++line) body = file.next_line(body);
    const auto begin_of = [&](int rank) {
      const int count = ranks.ranks();
      const std::int64_t share = file.size() / count * rank + file.size() % count * rank / count;
      const bool is_line = rank == 0 || rank == count || share == 0;
      return std::min(file.size(), std::max(rank == 0 ? 0 : body, is_line ? share : file.next_line(share - 1)));
    };
    part = {.begin = begin_of(ranks.rank()), .end = begin_of(ranks.rank() + 1), .beginning = beginning};
    lines = file.count(part.begin, part.end, is_over);
  });
  require_same_lines(claims, ranks, "read_corpus");
  const std::vector<std::int64_t> of_ranks = execution::gather_numbers(ranks, lines);
  for (int r = 0; r < ranks.rank(); ++r) part.lines_before += of_ranks[static_cast<std::size_t>(r)];
  return part;
}

}  // namespace papilio::lda
