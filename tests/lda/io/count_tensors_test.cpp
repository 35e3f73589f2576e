// Counts of a model's file that are mostly 0: only the others are written, and any table comes back as it was.

#include "lda/io/model/count_tensors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lda/io/files.h"
#include "lda/io/model/safetensors.h"
#include "papilio/model.h"

namespace papilio::lda {
namespace {

// A model whose word w has `per_word` topics, from w on in steps of 7, with counts up to `largest`.
Model model_of(std::int32_t words, std::int32_t topics, std::int32_t per_word, std::int32_t largest) {
  Model model;
  model.topics = topics;
  model.beta = 0.01;
  const auto columns = static_cast<std::size_t>(topics);
  model.alpha.assign(columns, 0.1);
  model.n_k.resize(columns);
  model.n_wk.resize(static_cast<std::size_t>(words) * columns);
  for (std::int32_t w = 0; w < words; ++w) {
    model.vocabulary.push_back("w" + std::to_string(w));
    for (std::int32_t i = 0; i < (w == 3 ? 0 : per_word); ++i) {  // word 3 never occurs
      const auto k = static_cast<std::size_t>((w + 7 * i) % topics);
      const std::int32_t count = w == 5 && i == 0 ? largest : 1 + (w + i) % 9;
      model.n_wk[static_cast<std::size_t>(w) * columns + k] = count;
      model.n_k[k] += count;
    }
  }
  return model;
}

std::string type_in(const std::string& path, const char* tensor) { return SafetensorsFile(path, "test").type(tensor); }

TEST(SparseModelFile, GivesTheTableBack) {
  const Folder folder;
  struct Case {
    std::int32_t words, topics, per_word, largest;
    const char *topics_type, *counts_type;
  };
  for (const Case& c : {Case{64, 64, 16, 255, "U8", "U8"}, Case{64, 64, 1, 256, "U8", "U16"},
                        Case{20, 300, 9, 65'535, "U16", "U16"}, Case{9, 70'001, 40, 65'536, "I32", "I32"},
                        Case{70'001, 9, 2, 2'000'000'000, "U8", "I32"}, Case{8, 512, 0, 1, "U16", "U8"}}) {
    const Model model = model_of(c.words, c.topics, c.per_word, c.largest);
    ASSERT_TRUE(is_written_sparse(model.n_wk)) << c.words;
    save_model(model, folder.path("a"));
    const Model read = load_model(folder.path("a"));
    EXPECT_EQ(read.n_wk, model.n_wk);
    EXPECT_EQ(read.n_k, model.n_k);
    EXPECT_EQ(read.vocabulary, model.vocabulary);
    EXPECT_EQ(type_in(folder.path("a"), count_topics_tensor), c.topics_type);
    EXPECT_EQ(type_in(folder.path("a"), counts_tensor), c.counts_type);
    save_model(read, folder.path("b"));
    EXPECT_EQ(folder.read("a"), folder.read("b"));
    if (c.per_word > 0) {
      EXPECT_LT(std::filesystem::file_size(folder.path("a")), model.n_wk.size() * 4) << c.words;
    }
  }
}

// What is small or not sparse has the bytes of before, which earlier versions read.
TEST(SparseModelFile, IsWrittenWhereItIsShorter) {
  EXPECT_FALSE(is_written_sparse(model_of(63, 65, 1, 1).n_wk));  // 4,095 counts
  EXPECT_TRUE(is_written_sparse(model_of(64, 64, 1, 1).n_wk));
  Model model = model_of(65, 64, 16, 1);
  ASSERT_EQ(model.n_wk[3 * 64 + 1], 0);
  for (std::size_t k = 0; k < 16; ++k) model.n_wk[3 * 64 + k] = 1;
  EXPECT_TRUE(is_written_sparse(model.n_wk));  // a quarter
  model.n_wk[3 * 64 + 16] = 1;
  EXPECT_FALSE(is_written_sparse(model.n_wk));
}

TEST(SparseModelFile, KeepsLabelsSeedWordsAndEdits) {
  const Folder folder;
  Model model = model_of(64, 65, 3, 1000);  // an odd number of counts of two bytes, and topics of one
  model.seed_words = {{.topic = 7, .word = 2, .weight = 5}};
  model.s_k.resize(65);
  model.s_k[7] = 5;
  model.labels.resize(65);
  model.labels[1] = "caf\u00e9";
  model.edits = {{{"drop", "3"}, std::string(32, 'a')}};
  save_model(model, folder.path("a"));
  const Model read = load_model(folder.path("a"));
  EXPECT_EQ(read.n_wk, model.n_wk);
  EXPECT_EQ(read.seed_words, model.seed_words);
  EXPECT_EQ(read.labels, model.labels);
  EXPECT_EQ(read.edits, model.edits);
  EXPECT_EQ(model_hash(read), model_hash(model));
}

// Files with sound hashes, with what a test has put in: two words, two topics.
struct Parts {
  std::vector<std::int64_t> offsets = {0, 2, 3};
  std::vector<std::int32_t> topics = {0, 1, 0};
  std::vector<std::int32_t> counts = {1, 1, 1};
  std::int64_t claimed_topics = 2;
  std::vector<std::int64_t> n_k = {2, 1};
  bool has_narrow_topics = true;

  std::string refusal(const Folder& folder) const {
    const std::vector<std::uint8_t> bytes = {'a', 'b'};
    const std::vector<std::int64_t> places = {0, 1, 2};
    const std::vector<double> alpha(static_cast<std::size_t>(claimed_topics), 0.1);
    std::vector<TensorView> tensors = {
        tensor_view("alpha", {claimed_topics}, alpha), tensor_view("n_k", {std::ssize(n_k)}, n_k),
        tensor_view("vocabulary_offsets", {3}, places), tensor_view("n_wk_offsets", {std::ssize(offsets)}, offsets),
        tensor_view("n_wk_counts", {std::ssize(counts)}, counts)};
    tensors.push_back(has_narrow_topics ? small_numbers_view("n_wk_topics", topics, 2)
                                        : tensor_view("n_wk_topics", {std::ssize(topics)}, topics));
    tensors.push_back(tensor_view("vocabulary", {2}, bytes));
    write_safetensors(folder.path("a"), {{"format", "papilio-model"}, {"format_version", "4"}, {"beta", "0.5"}},
                      tensors, "test");
    return folder.message<FormatError>([&] { load_model(folder.path("a")); });
  }
};

TEST(SparseModelFile, WhatIsNoTableIsRefused) {
  const Folder folder;
  ASSERT_EQ(Parts().refusal(folder), "nothing thrown");
  EXPECT_EQ(load_model(folder.path("a")).n_wk, (std::vector<std::int32_t>{1, 1, 1, 0}));
  const std::string begin = "papilio::load_model: a: ";
  const auto with = [&](auto change) {
    Parts parts;
    change(parts);
    return parts.refusal(folder);
  };
  const std::string entry = begin + "tensor \"n_wk_offsets\": entry ";
  EXPECT_EQ(with([](Parts& p) { p.offsets = {1, 2, 3}; }), entry + "0 is 1, expected 0 to 0");
  EXPECT_EQ(with([](Parts& p) { p.offsets = {0, 3, 3}; }), entry + "1 is 3, expected 0 to 2");  // of two topics
  EXPECT_EQ(with([](Parts& p) { p.offsets = {0, 2, 1}; }), entry + "2 is 1, expected 2 to 3");
  EXPECT_EQ(with([](Parts& p) {
              p.offsets = {0, 2, std::int64_t{1} << 62};
            }),
            entry + "2 is 4611686018427387904, expected 2 to 3");
  EXPECT_EQ(with([](Parts& p) { p.offsets = {0, -1, 3}; }), entry + "1 is -1, expected 0 to 2");
  EXPECT_EQ(with([](Parts& p) {
              p.offsets = {0, 1, 2};
            }),
            begin + "tensor \"n_wk_offsets\" ends with 2, but there are 3 counts");
  EXPECT_EQ(with([](Parts& p) {
              p.offsets = {0, 2};
            }),
            begin + "tensor \"vocabulary_offsets\" is \"I64\" [3], expected I64 [2]");
  EXPECT_EQ(with([](Parts& p) { p.offsets = {0}; }),
            begin + "tensor \"vocabulary_offsets\" is \"I64\" [3], expected I64 [1]");
  EXPECT_EQ(with([](Parts& p) { p.offsets.clear(); }), begin + "tensor \"n_wk_offsets\" is not a list");
  EXPECT_EQ(with([](Parts& p) {
              p.counts = {1, 1};
            }),
            begin + "tensor \"n_wk_counts\" is \"I32\" [2], expected I32 [3]");
  EXPECT_EQ(with([](Parts& p) { p.has_narrow_topics = false; }),
            begin + "tensor \"n_wk_topics\" is \"I32\" [3], expected U8 [3]");
  EXPECT_EQ(with([](Parts& p) {
              p.n_k = {3, 1};
            }),
            begin + "papilio::Model::verify: n_k of topic 0 is 3, but its column of n_wk sums to 2");
  EXPECT_EQ(with([](Parts& p) { p.claimed_topics = 3; }), begin + "tensor \"alpha\" is \"F64\" [3], expected F64 [2]");
  const auto word = [&](int w) {
    return begin + "the counts of word " + std::to_string(w) +
           " are not positive, or their topics do not ascend from 0 to 1";
  };
  EXPECT_EQ(with([](Parts& p) { p.topics = {1, 0, 0}; }), word(0));
  EXPECT_EQ(with([](Parts& p) { p.topics = {1, 1, 0}; }), word(0));
  EXPECT_EQ(with([](Parts& p) { p.topics = {0, 1, 2}; }), word(1));
  EXPECT_EQ(with([](Parts& p) { p.topics = {0, 255, 0}; }), word(0));
  EXPECT_EQ(with([](Parts& p) { p.counts = {1, 0, 1}; }), word(0));
  EXPECT_EQ(with([](Parts& p) { p.counts = {1, 1, -1}; }), word(1));
}

// 24 MB that claim a table of 4 TiB.
TEST(SparseModelFile, ATableBeyondTheMemoryIsRefused) {
  const Folder folder;
  constexpr std::int64_t size = std::int64_t{1} << 20;
  const std::vector<std::int64_t> zeros(size + 1);
  const std::vector<double> alpha(size, 0.1);
  const std::vector<std::int64_t> n_k(size);
  std::string words;
  std::vector<std::int64_t> places = {0};
  for (std::int64_t w = 0; w < size; ++w) places.push_back(std::ssize(words += std::to_string(size + w)));
  const std::vector<std::uint8_t> bytes(words.begin(), words.end());
  const std::vector<std::int32_t> none;
  write_safetensors(folder.path("a"), {{"format", "papilio-model"}, {"format_version", "4"}, {"beta", "0.5"}},
                    {tensor_view("alpha", {size}, alpha), tensor_view("n_k", {size}, n_k),
                     tensor_view("vocabulary_offsets", {size + 1}, places),
                     tensor_view("n_wk_offsets", {size + 1}, zeros), tensor_view("n_wk_topics", {0}, none),
                     tensor_view("n_wk_counts", {0}, none), tensor_view("vocabulary", {std::ssize(bytes)}, bytes)},
                    "test");
  const std::string message = folder.message<FormatError>([&] { load_model(folder.path("a")); });
  EXPECT_TRUE(message.starts_with("papilio::load_model: a: counts of 1048576 words x 1048576 topics need more than "))
      << message;
}

}  // namespace
}  // namespace papilio::lda
