#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "lda/io/files.h"
#include "papilio/texts.h"

namespace papilio::lda {
namespace {

using Texts = std::vector<std::string_view>;

TEST(TextsInMemory, AreTheCorpusOfTheSameLines) {
  const Folder folder;
  std::string lines;
  std::vector<std::string> texts;
  for (int d = 0; d < 60000; ++d) {  // 2 MB, several blocks
    texts.push_back("word" + std::string(static_cast<std::size_t>(d % 7), 'x') + " of the Übung, don't " +
                    std::string(1, static_cast<char>('a' + d % 26)) + "bc");
    lines += texts.back() + "\n";
  }
  const Texts views(texts.begin(), texts.end());
  for (const int threads : {1, 3}) {
    const TextOptions options = {.stop_words = {"the"}, .min_df = 100, .max_df = 0.9, .threads = threads};
    ReadReport read;
    ReadReport made;
    EXPECT_EQ(corpus_from_texts(views, options, &made),
              read_lines_of_text(folder.write("text", lines), options, &read));
    EXPECT_EQ(made.format, "text");
    EXPECT_EQ(made.documents, 60000);
    EXPECT_EQ(made.stop_words_dropped, 60000);
    EXPECT_EQ(made.rare_or_common_dropped, read.rare_or_common_dropped);
  }
}

TEST(TextsInMemory, TakeLineEndsAsSeparatorsAndKeepEmptyDocuments) {
  EXPECT_EQ(corpus_from_texts(Texts{"cats\ndogs", "", "dogs\r\ncats"}),
            (Corpus{{0, 2, 2, 4}, {0, 1, 1, 0}, {"cats", "dogs"}}));
  EXPECT_EQ(corpus_from_texts(Texts{}), Corpus{});
}

TEST(TextsInMemory, NamesOptionsOutOfRange) {
  const Folder folder;
  EXPECT_EQ(folder.message<InvalidArgument>([] { corpus_from_texts(Texts{"cats"}, {.max_df = 0}); }),
            "papilio::corpus_from_texts: max_df is 0, expected 0 < max_df <= 1");
  const std::vector<std::string> texts(3, std::string(4000, 'a') + " bcd");
  EXPECT_EQ(
      folder.message<FormatError>([&] { corpus_from_texts(Texts(texts.begin(), texts.end()), {.max_memory = 10}); })
          .substr(0, 38),
      "papilio::corpus_from_texts: the texts:");
}

}  // namespace
}  // namespace papilio::lda
