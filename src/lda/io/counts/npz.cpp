#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lda/io/bytes/byte_source.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/zip_archive.h"
#include "lda/io/counts/bag_of_words.h"
#include "lda/io/counts/npy_array.h"
#include "lda/io/counts/npz_writer.h"
#include "lda/io/counts/vocabulary_file.h"
#include "lda/io/format/format.h"

namespace papilio::lda {
namespace {

// Reads the whole file, because its directory is at its end.
class FileBytes {
 public:
  FileBytes(const Origin& origin, MemoryLimit& memory_limit) : memory_(memory_limit) {
    try {
      const auto source = open_byte_source(origin, &memory_limit);
      while (true) {
        if (size_ == capacity_) grow(origin);
        const std::size_t got = source->read(bytes_.get() + size_, capacity_ - size_);
        if (got == 0) break;
        size_ += got;
      }
    } catch (const DamagedStream& damage) {
      origin.format_error(0, 0, damage.what());
    }
  }

  std::string_view bytes() const { return {bytes_.get(), size_}; }

 private:
  void grow(const Origin& origin) {
    const std::size_t capacity = std::max(std::size_t{1} << 16, 2 * capacity_);
    if (!memory_.set(std::max(static_cast<std::int64_t>(capacity) - uncounted_bytes, std::int64_t{0}))) {
      memory_.limit().refuse(origin, 0, fmt::format("the file, {} bytes so far,", size_));
    }
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    std::copy_n(bytes_.get(), size_, bytes.get());
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  MemoryShare memory_;
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

// The members of a file, inflated one after the other in the memory that is left.
class Members {
 public:
  Members(const Origin& origin, std::string_view bytes, MemoryLimit& memory_limit)
      : origin_(origin), memory_(memory_limit), archive_(origin, bytes) {}

  // Reads an array with that many dimensions; `content` owns its bytes.
  NpyArray read(const char* name, std::size_t dimensions, ZipArchive::Content& content) {
    content = archive_.read(name, memory_.limit().left());
    count(content.memory());
    NpyArray array(origin_, name, content.bytes());
    if (array.shape().size() != dimensions) {
      array.refuse(
          fmt::format("expected {} dimensions, got the shape ({})", dimensions, fmt::join(array.shape(), ", ")));
    }
    return array;
  }

  bool has(const char* name) const { return archive_.has(name); }

 private:
  void count(std::int64_t bytes) {
    bytes_ += bytes;
    if (!memory_.set(bytes_)) memory_.limit().refuse(origin_, 0, "the archive, with its members inflated,");
  }

  Origin origin_;
  MemoryShare memory_;
  std::int64_t bytes_ = 0;
  ZipArchive archive_;
};

// A matrix by rows (csr) or by columns (csc), both of them called "lines" here: those of line l are the entries
// [ends[l], ends[l + 1]) of `places` and `counts`.
struct Compressed {
  std::int64_t lines;
  std::int64_t places_per_line;
  const NpyArray& ends;
  const NpyArray& places;
  const NpyArray& counts;
};

void check(const Compressed& matrix) {
  if (matrix.ends.size() != matrix.lines + 1) {
    matrix.ends.refuse(fmt::format("expected {} elements for {} rows or columns, got {}", matrix.lines + 1,
                                   matrix.lines, matrix.ends.size()));
  }
  if (matrix.places.size() != matrix.counts.size()) {
    matrix.places.refuse(fmt::format("{} elements, but {} in data.npy", matrix.places.size(), matrix.counts.size()));
  }
}

template <class Use>
void for_each_entry(const Compressed& matrix, Use&& use) {
  std::int64_t begin = matrix.ends.number(0, 0, 0);
  for (std::int64_t line = 0; line < matrix.lines; ++line) {
    const std::int64_t end = matrix.ends.number(line + 1, begin, matrix.places.size());
    for (std::int64_t i = begin; i < end; ++i) {
      use(line, matrix.places.number(i, 0, matrix.places_per_line - 1), matrix.counts.number(i, 0, most_count));
    }
    begin = end;
  }
}

bool is_by_rows(const NpyArray& format) {
  const std::string name = format.text();
  if (name != "csr" && name != "csc") {
    format.refuse(fmt::format("expected a sparse matrix \"csr\" or \"csc\", got {}", lda::quoted(name)));
  }
  return name == "csr";
}

Corpus read_npz(const std::string& path, const CorpusOptions& options, ReadReport& report) {
  const Origin origin = {reader_name, path};
  MemoryLimit memory_limit(options.text.max_memory);
  MemoryShare vocabulary_memory(memory_limit);
  const FileBytes file(origin, memory_limit);
  Members members(origin, file.bytes(), memory_limit);
  if (!members.has("format.npy")) {
    origin.format_error(0, 0,
                        "expected a sparse matrix as scipy.sparse.save_npz writes it, found no member format.npy");
  }
  std::vector<ZipArchive::Content> contents(5);
  const bool by_rows = is_by_rows(members.read("format.npy", 0, contents[0]));
  const NpyArray shape = members.read("shape.npy", 1, contents[1]);
  if (shape.size() != 2) shape.refuse(fmt::format("expected 2 numbers, got {}", shape.size()));
  const std::size_t words_at = options.transposed ? 0 : 1;
  const std::int64_t words = shape.number(static_cast<std::int64_t>(words_at), 0, most_words);
  const std::int64_t documents = shape.number(static_cast<std::int64_t>(1 - words_at), 0, largest_whole);
  const bool by_documents = by_rows != options.transposed;

  const bool named = !options.vocabulary.empty();
  std::vector<std::string> vocabulary;
  if (named) {
    vocabulary = read_vocabulary({reader_name, options.vocabulary}, options.text, vocabulary_memory, words,
                                 fmt::format("shape.npy of {}", origin.name()));
  }
  const NpyArray ends = members.read("indptr.npy", 1, contents[2]);
  const NpyArray places = members.read("indices.npy", 1, contents[3]);
  const NpyArray counts = members.read("data.npy", 1, contents[4]);
  const Compressed matrix = {by_documents ? documents : words, by_documents ? words : documents, ends, places, counts};
  check(matrix);
  BagOfWords bag(options.text, memory_limit);
  for_each_entry(matrix, [&](std::int64_t line, std::int64_t place, std::int64_t count) {
    if (count == 0) return;
    bag.add(by_documents ? line : place, by_documents ? place : line, count);
    if (!bag.fits(0)) bag.refuse(origin, 0, 0);
  });
  require_believable(origin, {documents, 0, words, 0}, named, bag);
  if (!named) vocabulary = numbers_as_words(0, words);
  return std::move(bag).make_corpus(origin, documents, std::move(vocabulary), 0, "npz", report);
}

}  // namespace

extern const Format npz_format = {.format = CorpusFormat::npz,
                                  .name = "npz",
                                  .help = "SciPy sparse matrix",
                                  .endings = {".npz"},
                                  .has_vocabulary_file = true,
                                  .is_matrix = true,
                                  .read = read_npz,
                                  .write = write_npz};

}  // namespace papilio::lda
