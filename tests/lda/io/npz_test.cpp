#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lda/io/bytes/atomic_file.h"
#include "lda/io/bytes/zip_writer.h"
#include "lda/io/counts/npy_array.h"
#include "lda/io/files.h"
#include "papilio/corpus_formats.h"
#include "papilio/npy.h"

namespace papilio::lda {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

std::string npy(const std::string& type, const std::string& shape, std::string_view data) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  return bytes.append(header).append(data);
}

template <class T>
std::string npy(const std::string& type, const std::vector<T>& values) {
  return npy(type, std::to_string(values.size()) + ",",
             {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

// The matrix of tests/data/npz: (0, 1) = 1, (0, 2) = 2, (1, 0) = 3, and an empty third row.
Members small_matrix() {
  return {{"indices.npy", npy<std::int32_t>("<i4", {1, 2, 0})},
          {"indptr.npy", npy<std::int32_t>("<i4", {0, 2, 3, 3})},
          {"format.npy", npy("|S3", "", "csr")},
          {"shape.npy", npy<std::int64_t>("<i8", {3, 3})},
          {"data.npy", npy<std::int64_t>("<i8", {1, 2, 3})}};
}
const Corpus small_corpus = {{0, 3, 6, 6}, {1, 2, 2, 0, 0, 0}, {"0", "1", "2"}};

class Npz : public testing::Test {
 protected:
  Corpus read(std::string_view bytes, CorpusOptions options = {}) {
    options.format = CorpusFormat::npz;
    return read_corpus(folder.write("m.npz", bytes), options, &report);
  }

  std::string archive(const Members& members) {
    AtomicFile file(folder.path("archive"));
    ZipWriter zip(file);
    for (const auto& [name, content] : members) zip.add(name, content);
    zip.finish();
    file.commit();
    return folder.read("archive");
  }

  // The small matrix with one member exchanged.
  std::string with(const std::string& name, const std::string& content) {
    Members members = small_matrix();
    for (auto& member : members) {
      if (member.first == name) member.second = content;
    }
    return archive(members);
  }

  std::string complaint(std::string_view bytes, const CorpusOptions& options = {}) {
    const std::string caller = "papilio::read_corpus: m.npz: ";
    const std::string text = folder.message<FormatError>([&] { read(bytes, options); });
    return text.starts_with(caller) ? text.substr(caller.size()) : text;
  }

  Folder folder;
  ReadReport report;
};

TEST(NpyHeader, IsWhatNumpyWrites) {
  const std::string fields = "{'descr': '<f4', 'fortran_order': False, 'shape': (12, 3), }";
  const std::string header = npy_header("<f4", {12, 3});
  ASSERT_EQ(header.size(), 128u);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(header.substr(10), fields + std::string(57, ' ') + "\n");
  EXPECT_NE(npy_header("<i8", {5}).find("'shape': (5,), }"), std::string::npos);
  EXPECT_NE(npy_header("|S3", {}).find("'shape': (), }"), std::string::npos);
  for (std::int64_t size = 1; size < 1'000'000'000'000; size *= 10) {
    EXPECT_EQ(npy_header("<f8", {size, size, 7}).size() % 64, 0u);
  }
  EXPECT_THROW(npy_header("<f4", {-1}), InvalidArgument);
  EXPECT_THROW(npy_header("<f4'", {1}), InvalidArgument);
  EXPECT_THROW(npy_header("<f4", std::vector<std::int64_t>(40000)), InvalidArgument);
}

// Written by scipy 1.17.1: save_npz of [[0, 1, 2], [3, 0, 0], [0, 0, 0]].
TEST_F(Npz, ReadsWhatScipyWrites) {
  const std::string data = PAPILIO_TEST_DATA "/npz/";
  EXPECT_EQ(read_corpus(data + "csr_deflated.npz", {}, &report), small_corpus);
  EXPECT_EQ(report.format, "npz");
  EXPECT_EQ(report.empty_documents, 1);
  EXPECT_EQ(read_corpus(data + "csc_stored_float.npz"), small_corpus);
  EXPECT_EQ(read_corpus(data + "csc_stored_float.npz", {.transposed = true}),
            (Corpus{{0, 3, 4, 6}, {1, 1, 1, 0, 0, 0}, {"0", "1"}}));
}

TEST_F(Npz, NeverReadsPickles) {
  EXPECT_THROW(
      {
        try {
          read_corpus(PAPILIO_TEST_DATA "/npz/object_data.npz");
        } catch (const FormatError& error) {
          EXPECT_NE(std::string(error.what()).find("data.npy: objects (pickles) are not read"), std::string::npos);
          throw;
        }
      },
      FormatError);
}

TEST_F(Npz, ReadsTypesOfNumbersAndOptions) {
  const std::string good = archive(small_matrix());
  EXPECT_EQ(read(good), small_corpus);
  EXPECT_EQ(read(gzip(good)), small_corpus);
  EXPECT_EQ(read(with("data.npy", npy<std::int8_t>("|i1", {1, 2, 3}))), small_corpus);
  EXPECT_EQ(read(with("data.npy", npy<std::uint16_t>("<u2", {1, 2, 3}))), small_corpus);
  EXPECT_EQ(read(with("data.npy", npy<float>("<f4", {1, 2, 3}))), small_corpus);
  EXPECT_EQ(read(with("indices.npy", npy<std::uint64_t>("<u8", {1, 2, 0}))), small_corpus);
  EXPECT_EQ(read(with("format.npy", npy("<U3", "", std::string_view("c\0\0\0s\0\0\0r\0\0\0", 12)))), small_corpus);
  EXPECT_EQ(read(with("data.npy", npy<std::int64_t>("<i8", {1, 0, 3}))).tokens(), 4);  // a count of 0 is nothing
  EXPECT_EQ(read(good, {.vocabulary = folder.write("words", "a\nb\nc\n")}).vocabulary[2], "c");
  EXPECT_EQ(complaint(good, {.vocabulary = folder.write("words", "a\nb\n")}),
            "papilio::read_corpus: words: expected 3 words (shape.npy of m.npz), got 2");
}

TEST_F(Npz, RefusesMatricesThatAreNot) {
  const auto ends = [&](const std::vector<std::int32_t>& values) {
    return complaint(with("indptr.npy", npy<std::int32_t>("<i4", values)));
  };
  EXPECT_EQ(ends({0, 2, 3}), "indptr.npy: expected 4 elements for 3 rows or columns, got 3");
  EXPECT_EQ(ends({1, 2, 3, 3}), "indptr.npy: element 0 is 1, expected a whole number from 0 to 0");
  EXPECT_EQ(ends({0, 2, 1, 3}), "indptr.npy: element 2 is 1, expected a whole number from 2 to 3");
  EXPECT_EQ(ends({0, 2, 3, 4}), "indptr.npy: element 3 is 4, expected a whole number from 3 to 3");
  EXPECT_EQ(complaint(with("indices.npy", npy<std::int32_t>("<i4", {1, 3, 0}))),
            "indices.npy: element 1 is 3, expected a whole number from 0 to 2");
  EXPECT_EQ(complaint(with("indices.npy", npy<std::int32_t>("<i4", {1, 2}))),
            "indices.npy: 2 elements, but 3 in data.npy");
  EXPECT_EQ(complaint(with("data.npy", npy<double>("<f8", {1, 0.5, 3}))),
            "data.npy: element 1 is 0.5, expected a whole number from 0 to 2147483647");
  EXPECT_EQ(complaint(with("data.npy", npy<std::int64_t>("<i8", {1, 2147483648, 3}))),
            "data.npy: element 1 is 2147483648, expected a whole number from 0 to 2147483647");
  EXPECT_EQ(complaint(with("data.npy", npy("<i8", "17179869184,", std::string(24, '\1')))),
            "data.npy: the shape (17179869184) does not match the 24 bytes of data");
  EXPECT_EQ(complaint(with("data.npy", npy("<c16", "1,", std::string(16, '\1')))),
            "data.npy: expected little-endian integers, float32 or float64, got type \"<c16\"");
  EXPECT_EQ(complaint(with("shape.npy", npy<std::int64_t>("<i8", {3, std::int64_t{1} << 31}))),
            "shape.npy: element 1 is 2147483648, expected a whole number from 0 to 2147483647");
  EXPECT_EQ(complaint(with("format.npy", npy("|S3", "", "coo"))),
            "format.npy: expected a sparse matrix \"csr\" or \"csc\", got \"coo\"");
  Members members = small_matrix();
  members.erase(members.begin());
  EXPECT_EQ(complaint(archive(members)), "expected a member indices.npy of the zip archive, found none");
  members = small_matrix();
  members.push_back(members[0]);
  EXPECT_EQ(complaint(archive(members)), "expected one member indices.npy of the zip archive, found several");
}

TEST_F(Npz, RefusesEveryCutAndNeverReadsAnotherMatrixFromFlippedBits) {
  const std::string good = archive(small_matrix());
  for (std::size_t size = 0; size < good.size(); size += 13) {
    EXPECT_THROW(read(good.substr(0, size)), FormatError) << size;
  }
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += 11) {
    std::string flipped = good;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    try {
      EXPECT_EQ(read(flipped), small_corpus) << bit;  // bits that mean nothing, such as times
    } catch (const FormatError&) {
    }
  }
}

TEST_F(Npz, StopsBeforeAnInflatedMemberExhaustsTheMemory) {
  EXPECT_NE(complaint(archive(small_matrix()), {.text = {.max_memory = 100}}).find("max_memory"), std::string::npos);
  std::string zeros = npy("<i4", "10000000,", std::string(40000000, '\0'));
  EXPECT_NE(complaint(gzip(with("indptr.npy", zeros)), {.text = {.max_memory = 1 << 20}}).find("max_memory"),
            std::string::npos);
}

}  // namespace
}  // namespace papilio::lda
