#pragma once

#include <cstdint>
#include <string>

#include "corpus_checks.h"
#include "papilio/corpus_formats.h"
#include "papilio/error.h"
#include "written_folder.h"

// Whether the words can be written, one per line.
inline bool are_writable(const papilio::Corpus& corpus) {
  for (const std::string& word : corpus.vocabulary) {
    if (word.find('\r') != std::string::npos || word.starts_with("\xef\xbb\xbf")) return false;
  }
  return true;
}

// The first byte chooses the options, the second what is special about the format;
// then the corpus and, after a byte 0xff at the front of a line, the vocabulary, if
// there is one. Whatever is read must verify, be the same for two threads, and come
// back from being written in the same format, if that can be.
inline int check_format(papilio::CorpusFormat format, const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes = as_text(data + 2, size - 2);
  const std::size_t split =
      papilio::has_vocabulary_file(format) && (data[1] & 0x80) != 0 ? bytes.rfind("\n\xff") : std::string_view::npos;
  const InputFile corpus_file(bytes.substr(0, split));
  const InputFile vocabulary(split == std::string_view::npos ? std::string_view() : bytes.substr(split + 2));
  papilio::CorpusOptions options = {.format = format, .text = options_of(data[0])};
  if (split != std::string_view::npos) options.vocabulary = vocabulary.path();
  const bool has_ids = format == papilio::CorpusFormat::ldac || format == papilio::CorpusFormat::svmlight;
  if (has_ids && (data[1] & 2) != 0) options.first_id = data[1] & 1;
  const bool has_rows = format == papilio::CorpusFormat::matrix_market || format == papilio::CorpusFormat::npz;
  if (has_rows) options.transposed = (data[1] & 1) != 0;
  try {
    papilio::ReadReport report;
    const papilio::Corpus corpus = papilio::read_corpus(corpus_file.path(), options, &report);
    check_read(corpus, report);
    options.text.threads = 2;
    check_equal(papilio::read_corpus(corpus_file.path(), options), corpus);
    if (!papilio::is_written(format)) return 0;
    if (corpus.tokens() > 4096 || corpus.documents() > 4096 || !are_writable(corpus)) return 0;
    static const WrittenFolder folder;
    const std::string words = folder.path("words");
    papilio::write_corpus(corpus, folder.path("corpus"), format, words);
    check_equal(papilio::read_corpus(folder.path("corpus"),
                                     {.format = format, .vocabulary = words, .text = {.min_df = 0, .threads = 1}}),
                corpus);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
