#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/model.h"

// A page that shows a model: one HTML file that needs no network.

namespace papilio {

struct ReportOptions {
  std::string title = "Topics";
  int words = 30;          // words per topic, at each position of the slider from probability to lift
  int documents = 5;       // typical documents per topic
  int excerpt = 320;       // characters of a document's text
  std::uint64_t seed = 0;  // of the inference on the documents
  int sweeps = 30;         // of the inference, including burn_in
  int burn_in = 10;
  int threads = 0;  // CPU threads; 0: all; never changes the page
};

// Documents whose topics the page shows.
struct ReportDocuments {
  CorpusView corpus;

  // Returns the texts of the documents with these numbers, which ascend; the page shows how each begins. Without it the
  // page shows a document's most frequent words.
  std::function<std::vector<std::string>(std::span<const std::int64_t> documents)> texts = {};

  // The group or date of each document, D of them, or none. A date is YYYY, YYYY-MM or YYYY-MM-DD; anything may
  // follow after a blank or 'T'. If all entries that are not empty are dates, topics are shown over time. A document
  // with an empty entry belongs to no group.
  std::span<const std::string> groups = {};
  std::string group_name = {};  // what the groups are: "year", "newsgroup"
};

// How the model was made, for readers who want to make it again.
struct ReportOrigin {
  std::vector<std::pair<std::string, std::string>> facts = {};   // more lines for the table of settings: name, value
  std::string command = {};                                      // the command that makes the model
  std::vector<std::pair<std::int64_t, double>> likelihood = {};  // after a sweep: log p(w, z) per token
};

// Returns the page as HTML: a map of the topics by the Jensen-Shannon divergence of their words, each topic's words by
// relevance, similar topics, the share of a word's tokens that each topic has, and the model's settings; with documents
// also typical ones and topics by group or over time. With more than 1,000 topics each has fewer words and documents,
// so that the page stays below 10 MB.
//
// The page contains its script and style, and blocks all others and every request (Content-Security-Policy). Words,
// names and texts may hold anything: they are data and never become markup or script. Ill-formed UTF-8 is shown as
// U+FFFD.
//
// Determinism: the same arguments give the same bytes, on every machine and for any number of threads.
//
// Time: O(K) per topic and word counted in several topics, K^2 for the map, and with documents that of `infer`. Memory:
// 16 K^2 bytes, 20 bytes per count of the model above 0, and 64 MiB with documents. Throws InvalidArgument for options
// out of range, a model or corpus that does not verify, groups or texts that are not one per document.
//
// Source of relevance: Sievert and Shirley, LDAvis, ACL workshop on interactive language learning, visualization and
// interfaces, 2014.
std::string report_page(const Model& model, const ReportOptions& options = {},
                        const ReportDocuments* documents = nullptr, const ReportOrigin& origin = {});

// A document that is typical of a topic.
struct TypicalDocument {
  std::int64_t document = 0;  // its number
  float share = 0;            // the inferred share of its tokens that have the topic
  std::string text = {};      // how it begins, on one line; its most frequent words if texts are not known
};

// Returns for each topic the documents with the largest shares of it, at most `options.documents`, largest first, of
// equal shares the earlier document first: those of the page. Documents without a word that the model knows are left
// out. Of `options` only documents, excerpt, seed, sweeps, burn_in and threads are used; groups are not.
//
// Determinism: the same for any number of threads and on every machine. Time: that of `infer`. Memory: 64 MiB. Throws
// InvalidArgument as `report_page` does.
//
//   typical_documents(model, {.corpus = corpus}, {.documents = 3})[17][0].text  // the one most typical of topic 17
std::vector<std::vector<TypicalDocument>> typical_documents(const Model& model, const ReportDocuments& documents,
                                                            const ReportOptions& options = {});

// Returns the SHA-256 of a file, 64 hexadecimal digits, as sha256sum prints it. Throws IoError.
std::string sha256_of_file(const std::string& path);

}  // namespace papilio
