#include "support/document_topics_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <vector>

#include "papilio/npy.h"
#include "support/output.h"
#include "support/text.h"

namespace {

// The document's name, made fit for a column; its number if the corpus has no names.
std::string document_name(const papilio::CorpusView& corpus, std::int64_t document) {
  if (corpus.document_names.empty()) {
    return fmt::format("{}", document);
  }
  std::string name = corpus.document_names[static_cast<std::size_t>(document)];
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return name;
}

std::string topic_name(const DocumentTopicsOutput& output, std::int32_t topic) {
  const auto k = static_cast<std::size_t>(topic);
  return k < output.labels.size() && !output.labels[k].empty() ? output.labels[k] : std::to_string(topic);
}

bool has_all_topics(const DocumentTopicsOutput& output) { return output.threshold == 0 && output.most_topics == 0; }

}  // namespace

void require_writable_form(const DocumentTopicsOutput& output) {
  if (output.path.ends_with(".npy") && !has_all_topics(output)) {
    throw CommandError(ExitCode::usage,
                       "a .npy file holds all proportions: it takes neither a threshold nor a limit on topics");
  }
}

DocumentTopicsFile::DocumentTopicsFile(const DocumentTopicsOutput& output, const papilio::CorpusView& corpus,
                                       std::int32_t topics)
    : output_(output),
      corpus_(corpus),
      topics_(topics),
      as_array_(output.path.ends_with(".npy")),
      file_(output.path == "-" ? nullptr : std::make_unique<TextFile>(output.path)) {
  if (as_array_) {
    write(papilio::npy_header("<f4", {corpus.documents(), topics}));
  } else if (!has_all_topics(output)) {
    write("#doc\tname\ttopic\tproportion\t...\n");
  } else if (!output.labels.empty()) {
    std::string header = "#doc\tname";
    for (std::int32_t k = 0; k < topics; ++k) header += '\t' + topic_name(output, k);
    write(header + '\n');
  }
}

void DocumentTopicsFile::add(const float* theta) {
  if (as_array_) {
    static_assert(std::endian::native == std::endian::little);
    write(std::string(reinterpret_cast<const char*>(theta), static_cast<std::size_t>(topics_) * sizeof(float)));
  } else {
    write(line_of(theta));
  }
  ++document_;
}

void DocumentTopicsFile::commit() {
  if (file_) {
    file_->commit();
  }
}

void DocumentTopicsFile::write(const std::string& text) {
  if (file_) {
    file_->write(text);
  } else {
    write_result(results_reach_terminal() ? printable(text, "\t\n") : text);
  }
}

// Number, name and all K proportions; or, if some are to be
// left out, pairs of topic and proportion, the largest first.
std::string DocumentTopicsFile::line_of(const float* theta) const {
  std::string line = fmt::format("{}\t{}", document_, document_name(corpus_, document_));
  if (has_all_topics(output_)) {
    for (std::int32_t k = 0; k < topics_; ++k) {
      fmt::format_to(std::back_inserter(line), "\t{}", theta[k]);
    }
    return line + '\n';
  }
  std::vector<std::int32_t> order(static_cast<std::size_t>(topics_));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [theta](std::int32_t a, std::int32_t b) { return theta[a] > theta[b]; });
  if (output_.most_topics > 0 && output_.most_topics < topics_) {
    order.resize(static_cast<std::size_t>(output_.most_topics));
  }
  for (const std::int32_t k : order) {
    if (static_cast<double>(theta[k]) >= output_.threshold) {
      fmt::format_to(std::back_inserter(line), "\t{}\t{}", topic_name(output_, k), theta[k]);
    }
  }
  return line + '\n';
}
