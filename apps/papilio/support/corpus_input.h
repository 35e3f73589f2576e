#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/corpus_file.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"
#include "support/corpus_arguments.h"

// Reads the corpus that the arguments name; errors have this command's exit codes.
papilio::Corpus read_corpus(const CorpusArguments& arguments, papilio::ReadReport& report);

// A corpus in memory, in a mapped corpus file, or held by ranks.
struct InputCorpus {
  papilio::Corpus held;
  std::optional<papilio::MappedCorpus> mapped;
  std::optional<papilio::RankCorpus> of_rank = {};       // instead of both
  std::optional<papilio::CorpusIdentity> identity = {};  // if ranks have verified the file together
  bool has_names = true;                                 // the documents' names; only rank 0 has them

  papilio::CorpusView view() const;
  const papilio::CorpusIdentity* known_identity() const;                                // null: none
  std::vector<std::int64_t> word_counts(int threads) const;                             // over the whole corpus
  papilio::LeftOutWords unknown_words(const papilio::Model& model, int threads) const;  // that the model does not know
};

// Opens the corpus that the arguments name. A corpus file is mapped
// and verified; it is copied only if options leave words out.
InputCorpus open_corpus(const CorpusArguments& arguments, papilio::ReadReport& report);

// The same, but over ranks (null: no others) each rank verifies its own documents and holds only their words, whatever
// the format; only rank 0 has a full report.
InputCorpus open_own_documents(const CorpusArguments& arguments, papilio::ReadReport& report,
                               papilio::Communicator* ranks);

// The arguments for reading held-out documents together with a corpus: those of the corpus, but with `format`, if it is
// given. No words are left out by frequency (the corpus says which are known), and a vocabulary next to the documents
// takes precedence over that of the corpus. Over ranks (null: no others) the first looks at the files for all.
CorpusArguments held_out_arguments(const CorpusArguments& corpus, const std::string& path, CorpusFormat format,
                                   papilio::Communicator* ranks);

// The library's options for reading the corpus. Throws IoError if a list of stop words cannot be read.
papilio::CorpusOptions corpus_options(const CorpusArguments& arguments);

// What --stopwords names.
struct StopWordLists {
  std::vector<std::string> languages;
  std::vector<std::string> files;
};

// Splits "german" or "english,german,mine.txt". A language's name means the language ("./german" is a file); a file
// whose own name has commas is taken whole. Throws CommandError for what is neither a language nor a file.
StopWordLists stop_word_lists(const std::string& given);

// The words of all these lists; none for an empty name. Throws what stop_word_lists and papilio::read_word_list throw.
std::vector<std::string> read_stop_words(const std::string& given, std::int64_t max_memory);

// "read news.csv (csv): 3 documents, 10 words, 20 tokens; 1 empty documents".
std::string read_summary(const std::string& path, const papilio::ReadReport& report, std::int64_t words);

// What a reader left out and what is unusual about the text, for people:
// complete lines; empty if there is nothing to say. Words are printable.
std::string left_out_summary(const papilio::ReadReport& report);

// The corpus's name without folder, "docword." and endings: "news" for "in/news.txt.gz" and "in/docword.news.txt". For
// a folder its own name: "letters" for "in/letters/" and for "." within it. "stdin" for "-".
std::string corpus_name(const std::string& path);
