// Ranks that do not read, or gather, the same corpus with the same options: each of them says so.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/files.h"
#include "lda/ranks.h"
#include "papilio/corpus_formats.h"
#include "papilio/distributed.h"

namespace papilio::lda {
namespace {

using testing::on_ranks;

class RanksThatDiffer : public ::testing::Test {
 protected:
  // Documents of this many words, one per line.
  std::string lines_of_words(const std::string& name, int documents, int words) const {
    std::string text;
    for (int d = 0; d < documents; ++d) {
      for (int w = 0; w < words; ++w) text += (d + w) % 3 == 0 ? "cat " : "dog ";
      text += '\n';
    }
    return folder_.write(name, text);
  }

  RankCorpus part(const std::string& path, int ranks, int rank) const {
    std::optional<RankCorpus> found;
    on_ranks({.ranks = ranks}, [&](Communicator& own) {
      RankCorpus read = read_corpus(path, {}, own);
      if (own.rank() == rank) found.emplace(std::move(read));
    });
    return std::move(*found);
  }

  // Every rank hears the same, which begins like this.
  void expect_refused(int ranks, std::string_view expected, const std::function<void(Communicator&)>& work) const {
    std::vector<std::string> messages(static_cast<std::size_t>(ranks));
    on_ranks({.ranks = ranks}, [&](Communicator& own) {
      messages[static_cast<std::size_t>(own.rank())] = folder_.message<InvalidArgument>([&] { work(own); });
    });
    for (const std::string& message : messages) {
      EXPECT_EQ(message, messages[0]);
      EXPECT_TRUE(message.starts_with(expected)) << message;
    }
  }

  const Folder folder_;
};

// Rank 0 has room for as many words as its own corpus has.
TEST_F(RanksThatDiffer, PartsOfTwoCorpora) {
  const std::string small = lines_of_words("small.txt", 2, 3), big = lines_of_words("big.txt", 40'000, 50);
  const std::string as_big = lines_of_words("as_big.txt", 50'000, 40);
  for (const auto& [first, second] : {std::pair(small, big), std::pair(big, small), std::pair(as_big, big)}) {
    SCOPED_TRACE(first);
    const RankCorpus parts[] = {part(first, 2, 0), part(second, 2, 1)};
    expect_refused(2, "papilio::RankCorpus::gather: ranks differ: rank 1 has \"corpus.",
                   [&](Communicator& own) { parts[own.rank()].gather(own); });
  }
}

TEST_F(RanksThatDiffer, PartsThatOtherRanksHaveRead) {
  const std::string path = lines_of_words("a.txt", 100, 7);
  {
    const RankCorpus parts[] = {part(path, 2, 1), part(path, 2, 0)};
    expect_refused(
        2, "papilio::RankCorpus::gather: the corpus is what rank 1 of 2 has read, expected rank 0 of 2 (rank 0 of 2)",
        [&](Communicator& own) { parts[own.rank()].gather(own); });
  }
  {
    const RankCorpus parts[] = {part(path, 2, 0), part(path, 3, 1)};
    expect_refused(
        2, "papilio::RankCorpus::gather: the corpus is what rank 1 of 3 has read, expected rank 1 of 2 (rank 1 of 2)",
        [&](Communicator& own) { parts[own.rank()].gather(own); });
  }
}

TEST_F(RanksThatDiffer, Files) {
  constexpr std::string_view entries = "3\n3\n3\n1 2 1\n1 3 2\n2 1 1\n";
  const auto docword = [&](const std::string& name, std::string_view content) {
    folder_.write("vocab." + name, "a\nb\nc\n");
    return folder_.write("docword." + name, content);
  };
  const std::string path = docword("x.txt", entries);
  for (const std::string& content : {std::string(entries) + "\n", std::string("3\n3\n3\n1 2 1\n1 3 2\n2 1 2\n")}) {
    const std::string other = docword("y.txt", content);
    expect_refused(3, "papilio::read_corpus: ranks differ: rank 2 has \"file.",
                   [&](Communicator& own) { read_corpus(own.rank() == 2 ? other : path, {}, own); });
  }
}

TEST_F(RanksThatDiffer, OptionsOfReading) {
  const std::string text = lines_of_words("a.txt", 100, 7);
  const std::string json = folder_.write("a.jsonl", "{\"text\":\"cats purr\",\"other\":\"dogs\",\"id\":\"1\"}\n");
  const struct {
    std::string path;
    CorpusOptions of_rank_1;
    std::string_view line;
  } cases[] = {
      {text, {.format = CorpusFormat::text}, "options.format text"},
      {text, {.format = CorpusFormat::mallet}, "options.format mallet"},
      {text, {.first_id = 1}, "options.first_id 1"},
      {text, {.transposed = true}, "options.transposed true"},
      {json, {.text_column = "other"}, "options.text_column other"},
      {json, {.id_column = "id"}, "options.id_column id"},
      {text, {.header = false}, "options.header false"},
      {text, {.quotes = false}, "options.quotes false"},
      {text, {.text = {.min_token_length = 1}}, "options.min_token_length 1"},
      {text, {.text = {.words = WordRule::numbers}}, "options.words numbers"},
      {text, {.text = {.token_pattern = "\\w+"}}, "options.token_pattern \\w+"},
      {text, {.text = {.fold_case = false}}, "options.fold_case false"},
      {text, {.text = {.stop_words = {"cat"}}}, "options.stop_words 1 words, hash "},
      {text, {.text = {.min_df = 2}}, "options.min_df 2"},
      {text, {.text = {.max_df = 0.5}}, "options.max_df 0.5"},
      {text, {.text = {.max_vocabulary = 1}}, "options.max_vocabulary 1"},
      {text, {.text = {.max_line_bytes = 1000}}, "options.max_line_bytes 1000"},
      {text, {.text = {.phrases = {.find = true}}}, "options.phrases.find true"},
      {text, {.text = {.phrases = {.list = {"cat dog"}}}}, "options.phrases.list 1 words, hash "},
      {text, {.text = {.phrases = {.threshold = 0.25}}}, "options.phrases.threshold 0.25"},
      {text, {.text = {.phrases = {.min_count = 4}}}, "options.phrases.min_count 4"},
      {text, {.text = {.phrases = {.length = 2}}}, "options.phrases.length 2"},
      {text, {.text = {.phrases = {.delimiter = "-"}}}, "options.phrases.delimiter -"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.line);
    expect_refused(
        3, "papilio::read_corpus: ranks differ: rank 1 has \"" + std::string(one.line),
        [&](Communicator& own) { read_corpus(one.path, own.rank() == 1 ? one.of_rank_1 : CorpusOptions{}, own); });
  }
}

// Sets of words, which have no order, are the same; memory and threads are a rank's own.
TEST_F(RanksThatDiffer, OptionsThatMay) {
  const std::string text = lines_of_words("a.txt", 100, 7);
  on_ranks({.ranks = 2}, [&](Communicator& own) {
    CorpusOptions options = {.text = {.stop_words = {"dog", "bird"}, .threads = 1}};
    if (own.rank() == 1) options.text = {.stop_words = {"bird", "dog"}, .max_memory = 1 << 24, .threads = 2};
    EXPECT_EQ(read_corpus(text, options, own).view().vocabulary_size(), 1);
  });
}

}  // namespace
}  // namespace papilio::lda
