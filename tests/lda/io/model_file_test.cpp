// The vocabulary of a model's file: two tensors, however many words there are; version 1's JSON list is still read.

#include <gtest/gtest.h>

#include <fstream>

#include "lda/io/files.h"
#include "lda/io/model/safetensors.h"
#include "papilio/lda.h"

namespace papilio::lda {
namespace {

// Sound files, all hashes right, with what a test has put in.
struct Parts {
  Metadata metadata = {{"format", "papilio-model"}, {"format_version", "2"}, {"beta", "0.5"}};
  std::vector<double> alpha = {0.1, 0.1};
  std::vector<std::int64_t> n_k = {2, 1};
  std::vector<std::int32_t> n_wk = {1, 1, 1, 0};
  std::vector<std::int64_t> offsets = {0, 3, 5};
  std::string words = "catox";
  bool has_offsets = true;
  bool has_words = true;
  std::vector<std::int32_t> seed_words = {};
  Shape seed_shape = {};

  std::string refusal(const Folder& folder) const {
    const std::vector<std::uint8_t> bytes(words.begin(), words.end());
    std::vector<TensorView> tensors = {tensor_view("alpha", {2}, alpha), tensor_view("n_k", {2}, n_k)};
    if (has_offsets) tensors.push_back(tensor_view("vocabulary_offsets", {std::ssize(offsets)}, offsets));
    tensors.push_back(tensor_view("n_wk", {2, 2}, n_wk));
    if (!seed_words.empty()) tensors.push_back(tensor_view("seed_words", seed_shape, seed_words));
    if (has_words) tensors.push_back(tensor_view("vocabulary", {std::ssize(bytes)}, bytes));
    write_safetensors(folder.path("a"), metadata, tensors, "test");
    return folder.message<FormatError>([&] { load_model(folder.path("a")); });
  }
};

constexpr const char* sound = "nothing thrown";

TEST(ModelFile, VocabulariesThatAreNoneAreRefused) {
  const Folder folder;
  ASSERT_EQ(Parts().refusal(folder), sound);
  EXPECT_EQ(load_model(folder.path("a")).vocabulary, (std::vector<std::string>{"cat", "ox"}));
  const auto with = [&](std::vector<std::int64_t> offsets, std::string words) {
    Parts parts;
    parts.offsets = std::move(offsets);
    parts.words = std::move(words);
    return parts.refusal(folder);
  };
  const std::string begin = "papilio::load_model: a: ", entry = begin + "tensor \"vocabulary_offsets\": entry ",
                    end = ": the words lie one after the other in 5 bytes";
  EXPECT_EQ(with({1, 3, 5}, "catox"), entry + "0 is 1, expected 0 to 0" + end);
  EXPECT_EQ(with({0, 3, 4}, "catox"), entry + "2 is 4, expected 5 to 5" + end);
  EXPECT_EQ(with({0, 3, 6}, "catox"), entry + "2 is 6, expected 5 to 5" + end);
  EXPECT_EQ(with({0, 6, 5}, "catox"), entry + "1 is 6, expected 0 to 5" + end);
  EXPECT_EQ(with({0, -1, 5}, "catox"), entry + "1 is -1, expected 0 to 5" + end);
  EXPECT_EQ(with({0, std::int64_t{1} << 62, 5}, "catox"), entry + "1 is 4611686018427387904, expected 0 to 5" + end);
  EXPECT_EQ(with({0, 0, 5}, "catox"), begin + "word 0 is empty, expected one or more characters");
  EXPECT_EQ(with({0, 5, 5}, "catox"), begin + "word 1 is empty, expected one or more characters");
  EXPECT_EQ(with({0, 3, 6}, "catcat"), begin + "words 0 and 1 are spelled the same, expected distinct words");
  EXPECT_EQ(with({0, 3, 5}, "cat\xc3x"), begin + "word 1 is not well-formed UTF-8: its byte 0 is 0xc3");
  EXPECT_EQ(with({0, 4, 5}, "caf\xc3\xa9"), begin + "word 0 is not well-formed UTF-8: its byte 3 is 0xc3");
  EXPECT_EQ(with({0, 5}, "catox"), begin + "tensor \"vocabulary_offsets\" is \"I64\" [2], expected I64 [3]");
  EXPECT_EQ(with({0, 3, 5, 5}, "catox"), begin + "tensor \"vocabulary_offsets\" is \"I64\" [4], expected I64 [3]");
  EXPECT_EQ(with({0, 0, 0}, ""), begin + "word 0 is empty, expected one or more characters");
}

TEST(ModelFile, HasOneVocabulary) {
  const Folder folder;
  const std::string begin = "papilio::load_model: a: ";
  Parts both;
  both.metadata["vocabulary"] = R"(["cat","ox"])";
  EXPECT_EQ(both.refusal(folder), begin + "unknown entry \"vocabulary\" in the metadata");
  both.metadata["format_version"] = "1";
  EXPECT_EQ(both.refusal(folder), begin + "the file holds 5 tensors, expected 3: alpha, n_k, n_wk");
  Parts without;
  without.has_words = false;
  EXPECT_EQ(without.refusal(folder), begin + "tensor \"vocabulary\" is missing");
  without.has_words = true;
  without.has_offsets = false;
  EXPECT_EQ(without.refusal(folder), begin + "tensor \"vocabulary_offsets\" is missing");
  Parts later;
  later.metadata["format_version"] = "5";
  EXPECT_EQ(later.refusal(folder), begin +
                                       "the file is a \"papilio-model\" of version \"5\", expected a papilio-model "
                                       "of version 1, 2, 3 or 4");
  later.metadata["format_version"] = "4";
  EXPECT_EQ(later.refusal(folder), begin + "tensor \"n_wk_offsets\" is missing");
}

TEST(ModelFile, HasSeedWordsInVersion3) {
  const Folder folder;
  Parts parts;
  parts.metadata["format_version"] = "3";
  const std::string begin = "papilio::load_model: a: ";
  EXPECT_EQ(parts.refusal(folder), sound);  // labels, edits and seed words may each be missing
  parts.seed_words = {1, 0, 20, 0, 1, 7};
  parts.seed_shape = {2, 3};
  ASSERT_EQ(parts.refusal(folder), sound);
  const Model model = load_model(folder.path("a"));
  EXPECT_EQ(model.seed_words, (std::vector<SeedWord>{{1, 0, 20}, {0, 1, 7}}));
  EXPECT_EQ(model.s_k, (std::vector<std::int64_t>{7, 20}));
  save_model(model, folder.path("b"));
  EXPECT_EQ(folder.read("b"), folder.read("a"));  // the same bytes as they were written by
  const auto with = [&](std::vector<std::int32_t> rows, Shape shape) {
    parts.seed_words = std::move(rows);
    parts.seed_shape = std::move(shape);
    return parts.refusal(folder);
  };
  EXPECT_EQ(with({1, 0, 20}, {3}), begin + "tensor \"seed_words\" is not a matrix of rows of topic, word, weight");
  EXPECT_EQ(with({1, 0}, {1, 2}), begin + "tensor \"seed_words\" is not a matrix of rows of topic, word, weight");
  const std::string verify = begin + "papilio::Model::verify: ";
  EXPECT_EQ(with({2, 0, 20}, {1, 3}), verify + "a seed word is of topic 2, expected 0 <= topic < 2");
  EXPECT_EQ(with({-1, 0, 20}, {1, 3}), verify + "a seed word is of topic -1, expected 0 <= topic < 2");
  EXPECT_EQ(with({0, 2, 20}, {1, 3}), verify + "a seed word has the number 2, expected 0 <= word < 2");
  EXPECT_EQ(with({0, 0, -20}, {1, 3}), verify + "the weight of seed word 0 is -20, expected 1 to 1000000");
  EXPECT_EQ(with({0, 1, 7, 1, 0, 20}, {2, 3}), verify + "seed_words do not ascend by word, then by topic");
  parts.metadata["format_version"] = "2";
  EXPECT_EQ(with({1, 0, 20}, {1, 3}), begin +
                                          "the file holds 6 tensors, expected 5: alpha, n_k, n_wk, vocabulary, "
                                          "vocabulary_offsets");
}

TEST(ModelFile, OfVersion1IsRead) {
  const Folder folder;
  Parts parts;
  parts.metadata["format_version"] = "1";
  parts.has_offsets = parts.has_words = false;
  EXPECT_EQ(parts.refusal(folder), "papilio::load_model: a: the metadata has no \"vocabulary\"");
  for (const char* words : {"[\"cat\",\"ox\"]", " [ \"c\\u0061t\" , \"ox\" ] "}) {
    parts.metadata["vocabulary"] = words;
    EXPECT_EQ(parts.refusal(folder), sound) << words;
    EXPECT_EQ(load_model(folder.path("a")).vocabulary, (std::vector<std::string>{"cat", "ox"}));
  }
  for (const char* words :
       {"", "[", "]", "\"cat\"", "[\"cat\",\"ox\"", "[\"cat\",\"ox\"]]", "[\"cat\",\"ox\"][]", "[[\"cat\",\"ox\"]]",
        "[\"cat\",[\"ox\"]]", "[\"cat\",1]", "[\"cat\",-1]", "[\"cat\",1.5]", "[\"cat\",null]", "[\"cat\",true]",
        "[\"cat\",{}]", "{\"cat\":\"ox\"}", "[\"cat\" \"ox\"]"}) {
    parts.metadata["vocabulary"] = words;
    EXPECT_EQ(parts.refusal(folder), "papilio::load_model: a: \"vocabulary\" is not a JSON list of words") << words;
  }
}

// More bytes than a header may have.
TEST(ModelFile, HoldsAnyNumberOfWords) {
  const Folder folder;
  Model model;
  model.topics = 1;
  model.alpha = {1};
  model.beta = 1;
  constexpr std::int32_t words = 2'600;
  const std::string longest(40'000, 'x');
  for (std::int32_t w = 0; w < words; ++w) model.vocabulary.push_back(longest + std::to_string(w));
  model.n_wk.assign(words, 1);
  model.n_k = {words};
  save_model(model, folder.path("a"));
  EXPECT_GT(std::filesystem::file_size(folder.path("a")), 100'000'000u);
  EXPECT_EQ(load_model(folder.path("a")).vocabulary, model.vocabulary);
  std::ifstream file(folder.path("a"), std::ios::binary);
  std::uint64_t header = 0;
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  EXPECT_LT(header, 1000u);
}

// What was JSON by a library before is the same text.
TEST(ModelFile, SettingsAreEscapedAsBefore) {
  const Folder folder;
  Model model;
  model.topics = 1;
  model.alpha = {1};
  model.beta = 1;
  model.vocabulary = {"a"};
  model.n_wk = {0};
  model.n_k = {0};
  model.settings["\"k\\"] = "\b\f\n\r\t\x01\x1f\x7f/é";
  save_model(model, folder.path("a"));
  EXPECT_EQ(load_model(folder.path("a")).settings, model.settings);
  EXPECT_NE(folder.read("a").find(R"("settings.\"k\\":"\b\f\n\r\t\u0001\u001f)"
                                  "\x7f/é\""),
            std::string::npos);
}

}  // namespace
}  // namespace papilio::lda
