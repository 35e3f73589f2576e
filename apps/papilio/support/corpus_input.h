#pragma once

#include <optional>
#include <string>

#include "papilio/corpus.h"
#include "papilio/corpus_file.h"
#include "support/corpus_arguments.h"

// Reads the corpus that the arguments name, with this command's exit codes.
papilio::Corpus read_corpus(const CorpusArguments& arguments, papilio::ReadReport& report);

// A corpus in memory, or in a corpus file that is mapped.
struct InputCorpus {
  papilio::Corpus held;
  std::optional<papilio::MappedCorpus> mapped;

  papilio::CorpusView view() const { return mapped ? mapped->view() : held.view(); }
};

// Opens the corpus that the arguments name. A corpus file is mapped and verified,
// and copied only where options leave words out.
InputCorpus open_corpus(const CorpusArguments& arguments, papilio::ReadReport& report);

// The arguments for reading held-out documents along with a corpus: the corpus's, but with the format given, if any. No
// words are left out by frequency (the corpus says which are known), and a vocabulary next to the documents takes
// precedence over the corpus's.
CorpusArguments held_out_arguments(const CorpusArguments& corpus, const std::string& path, CorpusFormat format);

// How the library is to read the corpus. Throws IoError where a list of stop words cannot be read.
papilio::CorpusOptions corpus_options(const CorpusArguments& arguments);

// "read news.csv (csv): 3 documents, 10 words, 20 tokens; 1 empty documents".
std::string read_summary(const std::string& path, const papilio::ReadReport& report, std::int64_t words);

// The corpus's name without folder, "docword." and endings: "news" for
// "in/news.txt.gz" and "in/docword.news.txt"; "stdin" for "-".
std::string corpus_name(const std::string& path);
