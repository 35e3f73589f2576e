#pragma once

#include <string>

#include "commands.h"
#include "papilio/corpus.h"

// Reads the corpus that the arguments name. A file is UCI bag of words where its
// name begins with "docword." or its first three lines are integers, else text;
// compressed files and standard input are known by name or --format alone.
papilio::Corpus read_corpus(const TrainArguments& arguments, papilio::ReadReport& report);

// The corpus's name without folder, "docword." and endings: "news" for
// "in/news.txt.gz" and "in/docword.news.txt"; "stdin" for "-".
std::string corpus_name(const std::string& path);
