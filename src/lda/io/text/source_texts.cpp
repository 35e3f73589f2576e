#include <algorithm>
#include <cstddef>

#include "base/check.h"
#include "lda/io/text/text_source.h"

namespace papilio {
namespace {

constexpr const char* source_texts_caller = "papilio::read_source_texts";

// Takes documents of text as a corpus does, but keeps the beginnings of some of them instead of words.
class TextCollector : public lda::TextCorpus {
 public:
  TextCollector(std::span<const std::int64_t> documents, std::int64_t max_bytes, lda::DocumentSink& sink)
      : TextCorpus({.threads = 1}, sink), documents_(documents), max_bytes_(static_cast<std::size_t>(max_bytes)) {}

  void append(std::span<const std::string_view> texts, const lda::Place& place, bool goes_on) override {
    static_cast<void>(place);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (next_ < documents_.size() && documents_[next_] == seen_) {
        found_.texts.resize(next_ + 1);
        std::string& text = found_.texts.back();
        text += texts[i].substr(0, max_bytes_ - std::min(max_bytes_, text.size()));
      }
      if (goes_on && i + 1 == texts.size()) return;
      next_ += next_ < documents_.size() && documents_[next_] == seen_ ? 1 : 0;
      ++seen_;
    }
  }

  void append_lines(lda::LineReader& reader) override {
    for (lda::OwnParts parts; reader.take_parts(tokenizer(), parts);) {
      append(parts.lines, {reader.origin(), parts.line_number}, parts.goes_on);
    }
  }

  void append_name(std::string_view name) override { found_.names.emplace_back(name); }

  std::int64_t documents() const { return seen_; }
  SourceTexts take() {
    found_.documents = seen_;
    return std::move(found_);
  }

 private:
  std::span<const std::int64_t> documents_;
  std::size_t max_bytes_;
  std::size_t next_ = 0;  // index in documents_
  std::int64_t seen_ = 0;
  SourceTexts found_;
};

}  // namespace

SourceTexts read_source_texts(const TextSource& source, std::span<const std::int64_t> documents, std::int64_t max_bytes,
                              const TextOptions& options) {
  base::require(max_bytes >= 0, "{}: max_bytes is {}, expected 0 or more", source_texts_caller, max_bytes);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    base::require(documents[i] > (i == 0 ? -1 : documents[i - 1]), "{}: documents[{}] is {}, expected more than {}",
                  source_texts_caller, i, documents[i], i == 0 ? -1 : documents[i - 1]);
  }
  lda::CorpusSink sink;
  TextCollector collector(documents, max_bytes, sink);
  lda::read_text_source(source, {.max_line_bytes = options.max_line_bytes}, source_texts_caller, collector);
  base::require(documents.empty() || documents.back() < collector.documents(),
                "{}: document {} is asked for, but {} has {} documents", source_texts_caller,
                documents.empty() ? 0 : documents.back(), source.path, collector.documents());
  return collector.take();
}

}  // namespace papilio
