#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "support/files.h"

// The topics of documents in the forms that commands write: MALLET's
// document topics, or NumPy's .npy if the path ends in that.

struct DocumentTopicsOutput {
  std::string path;                      // "-": standard output
  double threshold = 0;                  // only proportions of at least this
  int most_topics = 0;                   // at most this many per document; 0: all
  std::vector<std::string> labels = {};  // the model's names of topics in text; none: their numbers
};

// Throws CommandError (usage) if the form cannot hold what is asked for.
void require_writable_form(const DocumentTopicsOutput& output);

// Writes rows as they come; the file appears under its name when it has all of them.
class DocumentTopicsFile {
 public:
  DocumentTopicsFile(const DocumentTopicsOutput& output, const papilio::CorpusView& corpus, std::int32_t topics);

  // theta of the next document, K proportions.
  void add(const float* theta);

  // Call it once, after the last document.
  void commit();

 private:
  void write(const std::string& text);
  std::string line_of(const float* theta) const;

  const DocumentTopicsOutput output_;
  const papilio::CorpusView corpus_;
  const std::int32_t topics_;
  const bool as_array_;
  std::unique_ptr<TextFile> file_;  // none: standard output
  std::int64_t document_ = 0;
};
