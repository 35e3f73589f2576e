// Model files: what is written is read back, and nothing else is read.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lda/corpora.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/model/safetensors.h"
#include "papilio/error.h"
#include "papilio/lda.h"

namespace papilio {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  Files() : folder_(parent() / ("papilio_files_test." + std::to_string(getpid()))) { fs::create_directories(folder_); }
  ~Files() override { fs::remove_all(folder_); }

  // In memory where the machine offers that: some tests write thousands of files.
  static fs::path parent() { return fs::is_directory("/dev/shm") ? "/dev/shm" : ::testing::TempDir(); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string write(const std::string& bytes) const {
    std::ofstream file(path("hostile"), std::ios::binary);
    file << bytes;
    return path("hostile");
  }

  // A file with this header, and data after it.
  std::string write_with_header(const std::string& header, const std::string& data) const {
    const std::uint64_t length = header.size();
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return write(bytes + header + data);
  }

  fs::path folder_;
};

Model small_model() {
  Model model;
  model.topics = 2;
  model.vocabulary = {"straße", "tab\t\"quote\"", "日本"};
  model.alpha = {0.1, 0.25};
  model.beta = 0.01;
  model.n_wk = {1, 2, 0, 4, 5, 0};
  model.n_k = {6, 6};
  model.settings = {{"seed", "7"}, {"sampler", "mean_for_mode"}};
  return model;
}

void expect_equal(const Model& a, const Model& b) {
  EXPECT_EQ(a.topics, b.topics);
  EXPECT_EQ(a.vocabulary, b.vocabulary);
  EXPECT_EQ(a.alpha, b.alpha);
  EXPECT_EQ(a.beta, b.beta);
  EXPECT_EQ(a.n_wk, b.n_wk);
  EXPECT_EQ(a.n_k, b.n_k);
  EXPECT_EQ(a.settings, b.settings);
}

std::string refusal(const std::string& path) {
  try {
    load_model(path);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST_F(Files, ModelIsReadBackAndItsBytesAreFixed) {
  save_model(small_model(), path("a"));
  save_model(small_model(), path("b"));
  EXPECT_EQ(read(path("a")), read(path("b")));
  expect_equal(load_model(path("a")), small_model());
  save_model(load_model(path("a")), path("c"));
  EXPECT_EQ(read(path("a")), read(path("c")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3);  // nothing temporary is left
}

// Any reader of safetensors finds the tensors: aligned, little-endian, in place.
TEST_F(Files, ModelIsPlainSafetensors) {
  save_model(small_model(), path("a"));
  const std::string bytes = read(path("a"));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0u);
  const std::string header = bytes.substr(8, length);
  const std::string data = bytes.substr(8 + length);
  EXPECT_NE(header.find(R"("n_wk":{"data_offsets":[64,88],"dtype":"I32","shape":[3,2]})"), header.npos) << header;
  std::int32_t n_wk[6];
  std::memcpy(n_wk, data.data() + 64, sizeof n_wk);
  EXPECT_EQ(n_wk[4], 5);
  EXPECT_NE(header.find(R"("vocabulary":{"data_offsets":[88,112],"dtype":"U8","shape":[24]})"), header.npos) << header;
  EXPECT_EQ(data.substr(88), "straßetab\t\"quote\"日本");
  EXPECT_NE(header.find(R"("vocabulary_offsets":{"data_offsets":[32,64],"dtype":"I64","shape":[4]})"), header.npos)
      << header;
  std::int64_t offsets[4];
  std::memcpy(offsets, data.data() + 32, sizeof offsets);
  EXPECT_EQ(std::vector<std::int64_t>(offsets, offsets + 4), (std::vector<std::int64_t>{0, 7, 18, 24}));
}

TEST_F(Files, ModelMustBeSoundToBeSaved) {
  Model model = small_model();
  model.n_k[0] = 5;
  EXPECT_THROW(save_model(model, path("a")), InvalidArgument);
  model = small_model();
  for (const char* word : {"\xff", "", "straße"}) {  // ill-formed, empty, and there already
    model.vocabulary[1] = word;
    EXPECT_THROW(save_model(model, path("a")), InvalidArgument);
  }
  model = small_model();
  model.settings["note"] = "\xff";
  EXPECT_THROW(save_model(model, path("a")), InvalidArgument);
  EXPECT_FALSE(fs::exists(path("a")));
}

TEST_F(Files, PathsThatCannotBeOpenedSayWhy) {
  try {
    load_model(path("absent"));
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.code, ENOENT);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
  EXPECT_THROW(load_model(folder_.string()), IoError);
  EXPECT_THROW(save_model(small_model(), path("absent/model")), IoError);
  EXPECT_THROW(load_model("/dev/zero"), FormatError);
}

TEST_F(Files, EveryTruncationIsRefused) {
  save_model(small_model(), path("a"));
  const std::string bytes = read(path("a"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_NE(refusal(write(bytes.substr(0, size))), "") << size;
  }
  EXPECT_NE(refusal(write(bytes + '\0')), "");
}

// A flipped bit anywhere is found, or it changed nothing (the case of a letter in an escape).
TEST_F(Files, EveryFlippedBitIsFound) {
  save_model(small_model(), path("a"));
  const std::string bytes = read(path("a"));
  int harmless = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      if (refusal(write(damaged)).empty()) {
        expect_equal(load_model(path("hostile")), small_model());
        ++harmless;
      }
    }
  }
  EXPECT_LT(harmless, 8);
}

TEST_F(Files, FlippedTensorByteIsAHashError) {
  save_model(small_model(), path("a"));
  std::string bytes = read(path("a"));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_NE(refusal(write(bytes)).find("hash of tensor \"vocabulary\" does not match"), std::string::npos);
}

TEST_F(Files, LengthsThatLieAreRefusedWithoutAllocation) {
  for (const std::uint64_t length :
       {std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{100'000'001}}) {
    std::string bytes(64, '{');
    std::memcpy(bytes.data(), &length, sizeof length);
    EXPECT_NE(refusal(write(bytes)).find("the header should be"), std::string::npos) << length;
  }
}

TEST_F(Files, TextIsNoModel) {
  for (const std::string text : {"The cat chased the mouse.\n", "caf\xc3\xa9 and more"}) {
    const std::string beginning = lda::quoted(text.substr(0, 8));
    EXPECT_NE(
        refusal(write(text)).find("not a safetensors file, as models and checkpoints are; it begins with " + beginning),
        std::string::npos);
  }
}

TEST_F(Files, BadHeadersAreRefused) {
  const std::string data(16, '\0');
  const auto tensor = [](const std::string& fields) { return "{\"n_wk\":{" + fields + "}}"; };
  for (
      const std::string& header : std::vector<std::string>{
          "",
          "{",
          "[]",
          " {}",
          "null",
          "{}{}",
          "{\"a\":1}",
          "{\"a\":[]}",
          "{\"a\":{}}",
          "{\"__metadata__\":{\"beta\":1}}",
          "{\"__metadata__\":[]}",
          "{\"__metadata__\":{},\"__metadata__\":{}}",
          std::string(100000, '[') + std::string(100000, ']'),
          "{\"a\":" + std::string(100000, '['),
          "{\"a\xff\":1}",
          tensor(R"("dtype":"I32","shape":[2,2],"data_offsets":[0,16],"dtype":"I32")"),
          tensor(R"("dtype":"I32","shape":[2,2],"data_offsets":[0,16],"more":1)"),
          tensor(R"("dtype":"I32","shape":[2,2])"),
          tensor(R"("dtype":"BOOL","shape":[16],"data_offsets":[0,16])"),
          tensor(R"("dtype":1,"shape":[2,2],"data_offsets":[0,16])"),
          tensor(R"("dtype":"I32","shape":4,"data_offsets":[0,16])"),
          tensor(R"("dtype":"I32","shape":[2,3],"data_offsets":[0,16])"),
          tensor(R"("dtype":"I32","shape":[-2,-2],"data_offsets":[0,16])"),
          tensor(R"("dtype":"I32","shape":[2.0,2],"data_offsets":[0,16])"),
          tensor(R"("dtype":"I32","shape":[4294967296,4294967296,4],"data_offsets":[0,16])"),
          tensor(R"("dtype":"I32","shape":[9223372036854775808,2],"data_offsets":[0,16])"),
          tensor(R"("dtype":"I32","shape":[0,99999999999999999999],"data_offsets":[0,16])"),
          tensor(R"("dtype":"I32","shape":[2,2],"data_offsets":[0,17])"),
          tensor(R"("dtype":"I32","shape":[2,2],"data_offsets":[16,0])"),
          tensor(R"("dtype":"I32","shape":[2,2],"data_offsets":[0])"),
          tensor(R"("dtype":"I32","shape":[2,2],"data_offsets":[0.0,16])"),
          tensor(R"("dtype":"I32","shape":[2,2],"data_offsets":[-1,16])"),
          tensor(R"("dtype":"I32","shape":[1],"data_offsets":[18446744073709551612,16])"),
          tensor(R"("dtype":"I32","shape":[3],"data_offsets":[0,12])"),
          tensor(R"("dtype":"I32","shape":[3],"data_offsets":[4,16])"),
          R"({"a":{"dtype":"I32","shape":[3],"data_offsets":[0,12]},"b":{"dtype":"I32","shape":[2],"data_offsets":[8,16]}})",
      }) {
    EXPECT_NE(refusal(write_with_header(header, data)), "") << header.substr(0, 200);
  }
}

// A reader keeps no more entries than a file of ours has, and gives up at the first that is one too many: the time of a
// refusal grows with the bytes that were read, not with the square of their number (3.4 s for 20,000 entries once).
TEST_F(Files, HeadersOfManyEntriesAreRefusedAtOnce) {
  const auto repeated = [](std::string header, const auto& add_entry, const std::string& end) {
    header.reserve(40'000'100);
    for (int i = 0; header.size() < 40'000'000; ++i) {
      if (i != 0) header += ',';
      add_entry(std::back_inserter(header), i);
    }
    return header + end;
  };
  const std::string tensors = repeated(
      "{", [](auto to, int i) { fmt::format_to(to, R"("t{}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", i); },
      "}");
  const std::string metadata = repeated(
      "{\"__metadata__\":{", [](auto to, int i) { fmt::format_to(to, R"("k{}":"")", i); }, "}}");
  const std::string extents = repeated(
      "{\"t\":{\"shape\":[", [](auto to, int) { *to = '1'; }, "]}}");
  for (const auto& [header, message] :
       {std::pair(&tensors, "names more than 64 tensors"), std::pair(&metadata, "more than 4096 entries"),
        std::pair(&extents, "more than 8 dimensions")}) {
    const std::string path = write_with_header(*header, "");
    const auto start = std::chrono::steady_clock::now();
    const std::string found = refusal(path);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_NE(found.find(message), std::string::npos) << found;
    EXPECT_LT(seconds.count(), 2) << message;  // 0.03 s here; sanitizers and neighbours have room
  }
}

// Sound safetensors, all hashes right, but not what a model is.
TEST_F(Files, SoundFilesThatAreNoModelsAreRefused) {
  const std::vector<double> alpha = {0.1, 0.1};
  const std::vector<std::int64_t> n_k = {2, 1};
  const std::vector<std::int32_t> n_wk = {1, 1, 1, 0};
  const lda::Metadata good = {
      {"format", "papilio-model"}, {"format_version", "1"}, {"vocabulary", "[\"a\",\"b\"]"}, {"beta", "0.5"}};
  const std::vector<lda::TensorView> tensors = {
      lda::tensor_view("alpha", {2}, alpha), lda::tensor_view("n_k", {2}, n_k), lda::tensor_view("n_wk", {2, 2}, n_wk)};
  const auto refuses = [&](const lda::Metadata& metadata, const std::vector<lda::TensorView>& with) {
    lda::write_safetensors(path("a"), metadata, with, "test");
    return refusal(path("a"));
  };
  ASSERT_EQ(refuses(good, tensors), "");
  const auto changed = [&](const std::string& key, const std::string& value) {
    lda::Metadata metadata = good;
    metadata[key] = value;
    return refuses(metadata, tensors);
  };
  EXPECT_NE(changed("format", "papilio-checkpoint"), "");
  EXPECT_NE(changed("format_version", "2"), "");
  EXPECT_NE(changed("vocabulary", "[\"a\"]"), "");
  EXPECT_NE(changed("vocabulary", "[\"a\",1]"), "");
  EXPECT_NE(changed("vocabulary", "[\"a\""), "");
  EXPECT_NE(changed("vocabulary", "{\"a\":\"b\"}"), "");
  for (const char* beta : {"", "0.5x", " 0.5", "nan", "inf", "-1", "0"}) {
    EXPECT_NE(changed("beta", beta), "") << beta;
  }
  EXPECT_NE(changed("stray", "1"), "");
  lda::Metadata without_beta = good;
  without_beta.erase("beta");
  EXPECT_NE(refuses(without_beta, tensors), "");

  const auto replaced = [&](std::size_t i, const lda::TensorView& tensor) {
    std::vector<lda::TensorView> with = tensors;
    with[i] = tensor;
    return refuses(good, with);
  };
  const std::vector<std::int64_t> wrong_sums = {1, 2};
  const std::vector<std::int32_t> negative = {3, 1, -1, 0};
  const std::vector<double> negative_alpha = {-0.1, 0.1};
  EXPECT_NE(replaced(0, lda::tensor_view("alpha", {2}, n_k)), "");  // of another type
  EXPECT_NE(replaced(0, lda::tensor_view("alpha", {2}, negative_alpha)), "");
  EXPECT_NE(replaced(0, lda::tensor_view("gamma", {2}, alpha)), "");
  EXPECT_NE(replaced(1, lda::tensor_view("n_k", {2}, wrong_sums)), "");
  EXPECT_NE(replaced(1, lda::tensor_view("n_k", {1, 2}, n_k)), "");
  EXPECT_NE(replaced(2, lda::tensor_view("n_wk", {2, 2}, negative)), "");
  EXPECT_NE(replaced(2, lda::tensor_view("n_wk", {4}, n_wk)), "");
  EXPECT_NE(replaced(2, lda::tensor_view("n_wk", {4, 1}, n_wk)), "");
  std::vector<lda::TensorView> one_more = tensors;
  one_more.push_back(lda::tensor_view("z", {2, 2}, n_wk));
  EXPECT_NE(refuses(good, one_more), "");
}

}  // namespace
}  // namespace papilio
