#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/error.h"

namespace papilio {

// So that a failing comparison shows the corpora.
inline bool operator==(const Corpus& a, const Corpus& b) {
  return a.document_offsets == b.document_offsets && a.words == b.words && a.vocabulary == b.vocabulary;
}
inline std::ostream& operator<<(std::ostream& out, const Corpus& corpus) {
  return out << ::testing::PrintToString(corpus.document_offsets) << " " << ::testing::PrintToString(corpus.words)
             << " " << ::testing::PrintToString(corpus.vocabulary);
}

}  // namespace papilio

namespace papilio::lda {

// A folder of the test's own, gone at its end; in memory where the machine offers that, since syncing files takes long.
class Folder {
 public:
  Folder() {
    const std::filesystem::path memory = "/dev/shm";
    const auto parent = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    std::string name = (parent / "papilio_io_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }

  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    return names;
  }

  // The message of the Error that `call` throws, without the folder's name in it.
  template <class Error, class Call>
  std::string message(Call&& call) const {
    try {
      call();
    } catch (const Error& error) {
      std::string text = error.what();
      for (std::size_t at; (at = text.find(path_ + "/")) != std::string::npos;) text.erase(at, path_.size() + 1);
      return text;
    }
    return "nothing thrown";
  }

 private:
  std::string path_;
};

inline std::string gzip(std::string_view bytes) {
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

}  // namespace papilio::lda
