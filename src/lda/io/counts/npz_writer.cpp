#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/bytes/zip_writer.h"
#include "lda/io/counts/matrix_writer.h"
#include "lda/io/counts/npz_writer.h"
#include "lda/io/format/format.h"
#include "papilio/npy.h"

namespace papilio::lda {
namespace {

// An array in numpy's format .npy.
std::string npy(const char* type, const std::vector<std::int64_t>& shape, std::string_view data) {
  return npy_header(type, shape).append(data);
}

template <class T>
std::string npy(const char* type, const std::vector<T>& values) {
  const std::string_view data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return npy(type, {static_cast<std::int64_t>(values.size())}, data);
}

std::string npy_of_counts(const CorpusView& corpus, std::int64_t entries) {
  std::vector<std::int64_t> counts;
  counts.reserve(static_cast<std::size_t>(entries));
  for_each_document(corpus, [&](std::span<const WordCount> words) {
    for (const WordCount& word : words) counts.push_back(word.count);
  });
  return npy("<i8", counts);
}

// scipy wants the numbers of both arrays in one type: of four bytes if that is enough, as scipy itself writes them.
template <class T>
void add_structure(const char* type, const CorpusView& corpus, std::int64_t entries, ZipWriter& zip) {
  std::vector<T> words;
  std::vector<T> ends = {0};
  words.reserve(static_cast<std::size_t>(entries));
  for_each_document(corpus, [&](std::span<const WordCount> counts) {
    for (const WordCount& count : counts) words.push_back(static_cast<T>(count.word));
    ends.push_back(static_cast<T>(words.size()));
  });
  zip.add("indices.npy", npy(type, words));
  zip.add("indptr.npy", npy(type, ends));
}

}  // namespace

void write_npz(const CorpusView& corpus, const std::string& path, const std::string& vocabulary) {
  const auto write_body = [&](AtomicFile& file) {
    const std::int64_t entries = count_entries(corpus);
    ZipWriter zip(file);
    if (entries <= std::numeric_limits<std::int32_t>::max()) {
      add_structure<std::int32_t>("<i4", corpus, entries, zip);
    } else {
      add_structure<std::int64_t>("<i8", corpus, entries, zip);
    }
    zip.add("format.npy", npy("|S3", {}, "csr"));
    zip.add("shape.npy", npy("<i8", std::vector<std::int64_t>{corpus.documents(), corpus.vocabulary_size()}));
    zip.add("data.npy", npy_of_counts(corpus, entries));
    zip.finish();
  };
  write_matrix(corpus, path, vocabulary, write_body, writer_name);
}

}  // namespace papilio::lda
