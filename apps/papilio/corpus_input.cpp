#include "corpus_input.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "files.h"

namespace {

namespace fs = std::filesystem;

// An integer between blanks, and nothing else.
bool is_integer(std::string_view line) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && is_blank(line.front())) {
    line.remove_prefix(1);
  }
  while (!line.empty() && is_blank(line.back())) {
    line.remove_suffix(1);
  }
  return !line.empty() && line.size() < 20 &&
         std::all_of(line.begin(), line.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool begins_with_three_integers(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 256> line;
  for (int i = 0; i < 3; ++i) {
    if (!file.getline(line.data(), line.size()) || !is_integer(line.data())) {
      return false;
    }
  }
  return true;
}

bool named_docword(const std::string& path) { return fs::path(path).filename().string().starts_with("docword."); }

CorpusFormat detect_format(const std::string& path) {
  if (path == "-") {
    return CorpusFormat::text;
  }
  return named_docword(path) || begins_with_three_integers(path) ? CorpusFormat::uci : CorpusFormat::text;
}

// A path without ".gz" or ".zst".
fs::path uncompressed(const fs::path& path) {
  return path.extension() == ".gz" || path.extension() == ".zst" ? fs::path(path).replace_extension() : path;
}

// vocab.X beside docword.X, in whatever form it is there; empty where it is not.
std::string find_vocabulary(const std::string& docword) {
  if (!named_docword(docword)) {
    return "";
  }
  const fs::path path = uncompressed(docword);
  const std::string name = "vocab." + path.filename().string().substr(std::string("docword.").size());
  for (const char* ending : {"", ".gz", ".zst"}) {
    const fs::path candidate = path.parent_path() / (name + ending);
    if (fs::exists(candidate)) {
      return candidate.string();
    }
  }
  return "";
}

papilio::Corpus read(const TrainArguments& arguments, papilio::ReadReport& report) {
  papilio::TextOptions text = arguments.text;
  text.threads = arguments.training.threads;
  if (!arguments.stop_words.empty()) {
    text.stop_words = arguments.stop_words == "english" ? papilio::english_stop_words()
                                                        : papilio::read_word_list(arguments.stop_words);
  }
  CorpusFormat format = arguments.format == CorpusFormat::detect ? detect_format(arguments.corpus) : arguments.format;
  if (!arguments.vocabulary.empty() && arguments.format == CorpusFormat::detect) {
    format = CorpusFormat::uci;
  }
  if (format == CorpusFormat::text) {
    return papilio::read_lines_of_text(arguments.corpus, text, &report);
  }
  const std::string vocabulary =
      arguments.vocabulary.empty() ? find_vocabulary(arguments.corpus) : arguments.vocabulary;
  return papilio::read_uci_bag_of_words(arguments.corpus, vocabulary, text, &report);
}

}  // namespace

papilio::Corpus read_corpus(const TrainArguments& arguments, papilio::ReadReport& report) {
  return reading([&] { return read(arguments, report); });
}

std::string corpus_name(const std::string& path) {
  if (path == "-") {
    return "stdin";
  }
  std::string name = uncompressed(path).filename().replace_extension().string();
  if (name.starts_with("docword.")) {
    name = name.substr(std::string("docword.").size());
  }
  return name.empty() ? "corpus" : name;
}
