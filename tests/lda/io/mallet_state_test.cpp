// State files as MALLET writes them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "papilio/error.h"
#include "papilio/mallet.h"

namespace papilio::testing {
namespace {

class MalletStates : public ::testing::Test {
 protected:
  MalletState read(const std::string& text) { return read_mallet_state(folder.write("state.txt", text)); }

  std::string message_of(const std::string& text) {
    try {
      read(text);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "no error";
  }

  lda::Folder folder;
};

constexpr const char* small =
    "#doc source pos typeindex type topic\n"
    "#alpha : 0.5 0.25 \n"
    "#beta : 0.01\n"
    "0 NA 0 0 cat 1\n"
    "0 NA 1 1 dog 0\n"
    "2 a name 0 0 cat 0\n";

TEST_F(MalletStates, AreReadAsMalletWritesThem) {
  const MalletState state = read(small);
  EXPECT_EQ(state.topic_count, 2);
  EXPECT_EQ(state.topics.alpha, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(state.topics.beta, 0.01);
  EXPECT_EQ(state.topics.z, (std::vector<std::int32_t>{1, 0, 0}));
  EXPECT_EQ(state.corpus.words, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(state.corpus.document_offsets, (std::vector<std::int64_t>{0, 2, 2, 3}));
  EXPECT_EQ(state.corpus.vocabulary, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(state.corpus.document_names, (std::vector<std::string>{"", "", "a name"}));
}

TEST_F(MalletStates, ComeBackTheSame) {
  GeneratedCorpus generated = small_generated_corpus();
  const std::vector<double> alpha = {0.1, 1.0 / 3, 2, 5e-7, 0.7, 0.1, 1e6};
  const std::string path = folder.path("state.gz");
  write_mallet_state(generated.corpus, generated.topics, alpha, 0.1 + 0.2, path);
  const MalletState state = read_mallet_state(path);
  EXPECT_EQ(state.topics.z, generated.topics);
  EXPECT_EQ(state.topics.alpha, alpha);
  EXPECT_EQ(state.topics.beta, 0.1 + 0.2);
  EXPECT_EQ(state.corpus.document_offsets, generated.corpus.document_offsets);
  EXPECT_EQ(match_topics(state, generated.corpus).z, generated.topics);
}

TEST_F(MalletStates, LeaveOutTypesThatNeverOccur) {
  const MalletState state = read("0 NA 0 2 cat 1\n0 NA 1 5 dog 0\n");
  EXPECT_EQ(state.corpus.vocabulary, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(state.corpus.words, (std::vector<std::int32_t>{0, 1}));
}

TEST_F(MalletStates, MatchACorpusThatNumbersItsWordsOtherwise) {
  Corpus corpus = make_corpus({{1, 0, 1}, {}}, 2);
  corpus.vocabulary = {"dog", "cat"};
  const MalletState state = read("0 NA 0 0 cat 3\n0 NA 1 0 cat 4\n0 NA 2 1 dog 5\n");
  EXPECT_EQ(match_topics(state, corpus).z, (std::vector<std::int32_t>{3, 5, 4}));
  corpus.words[1] = 1;
  EXPECT_THROW(match_topics(state, corpus), InvalidArgument);
}

TEST_F(MalletStates, DamageIsRefusedWithItsPlace) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"", "expected a line for each token, got none"},
      {"0 NA 0 0 cat\n", ":1:3: expected a position from 0"},
      {"0 NA 0 0 cat x\n", "expected a topic from 0"},
      {"0 NA 0 0 cat -1\n", "expected a topic from 0"},
      {"0 NA 0 -1 cat 1\n", "expected a type number from 0"},
      {"0 NA 0 4000000 cat 1\n", "type number 4000000 is far beyond the 0 tokens so far"},
      {"0 NA 0 0 cat 1\n0 NA 1 0 dog 1\n", ":2: type number 0 is \"dog\" here and \"cat\" before"},
      {"1 NA 0 0 cat 1\n0 NA 0 0 cat 1\n", ":2:1: expected document 1 or a later one, got 0"},
      {"999999999 NA 0 0 cat 1\n", ":1:1: expected a document near 0, got 999999999"},
      {"#alpha : 0.1 nan\n0 NA 0 0 cat 1\n", ":1:14: expected a prior, 0 < value <= 1e6, got \"nan\""},
      {"#alpha : 0.1\n0 NA 0 0 cat 1\n", "there are 1 alphas, but a token has topic 1"},
      {"#beta : 1 2\n0 NA 0 0 cat 1\n", ":1: expected one beta, got 2"},
      {"0 NA 0 0 c\xff 1\n", ":1:"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_NE(message_of(text).find(expected), std::string::npos) << text << "\n" << message_of(text);
  }
}

// A line can skip a million documents or types; what that takes is counted before it is taken.
TEST_F(MalletStates, GapsAreHeldAgainstTheMemoryLimit) {
  const auto message = [&](const std::string& text) {
    const std::string path = folder.write("state.txt", text);
    return folder.message<FormatError>([&] { read_mallet_state(path, std::int64_t{1} << 20); });
  };
  EXPECT_NE(message("0 NA 0 0 cat 1\n1000000 NA 0 0 cat 1\n2000000 NA 0 0 cat 1\n").find("state.txt:2: "),
            std::string::npos);
  EXPECT_NE(message("0 NA 0 0 cat 1\n0 NA 1 1000000 dog 1\n0 NA 2 0 cat 1\n").find("state.txt:2: "), std::string::npos);
  EXPECT_EQ(message("0 NA 0 0 cat 1\n1000 NA 0 1000 dog 1\n"), "nothing thrown");
}

TEST_F(MalletStates, WordsThatWouldNotComeBackAreNotWritten) {
  Corpus corpus = make_corpus({{0}}, 1);
  corpus.vocabulary = {"two words"};
  EXPECT_THROW(write_mallet_state(corpus, std::vector<std::int32_t>{0}, std::vector{0.1}, 0.1, folder.path("state.gz")),
               InvalidArgument);
  EXPECT_THROW(write_mallet_state(make_corpus({{0}}, 1), std::vector<std::int32_t>{1}, std::vector{0.1}, 0.1,
                                  folder.path("state.gz")),
               InvalidArgument);
  for (const char* word : {"", "two words", "two\twords", "line\n", "\rline", "c\xff"}) {
    corpus.vocabulary = {word};
    EXPECT_THROW(require_mallet_names(corpus), InvalidArgument) << word;
  }
}

TEST_F(MalletStates, NamesComeBackOrAreRefused) {
  Corpus corpus = make_corpus({{0}, {0}}, 1);
  const std::string path = folder.path("state.gz");
  const auto write = [&](const char* name) {
    corpus.document_names = {name, "other"};
    write_mallet_state(corpus, std::vector<std::int32_t>{0, 0}, std::vector{0.1}, 0.1, path);
  };
  for (const char* name :
       {"", "a name", "two  blanks\tand a tab", "#", "NA/x", "na", "7", "7 0 0 cat 1", "caf\xc3\xa9", "c\xff"}) {
    write(name);
    EXPECT_EQ(read_mallet_state(path).corpus.document_names, corpus.document_names) << name;
  }
  for (const char* name :
       {"NA", " NA", " before", "after ", "\tbefore", "after\t", " ", "line\nend", "end\r", "\r", "\n"}) {
    EXPECT_NE(folder.message<InvalidArgument>([&] { write(name); }).find("the name of document 0 is "),
              std::string::npos)
        << name;
  }
}

}  // namespace
}  // namespace papilio::testing
