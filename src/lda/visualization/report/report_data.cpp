#include "lda/visualization/report/report_data.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "execution/cpu/parallel_for.h"
#include "lda/visualization/report/document_groups.h"
#include "lda/visualization/report/document_study.h"
#include "lda/visualization/report/page_json.h"
#include "lda/visualization/report/relevant_words.h"
#include "lda/visualization/report/shown_documents.h"
#include "lda/visualization/report/sparse_counts.h"
#include "lda/visualization/report/topic_distances.h"
#include "lda/visualization/report/topic_map.h"

namespace papilio::lda {
namespace {

using base::require;

constexpr std::size_t most_word_characters = 48;
constexpr std::size_t most_name_characters = 100;
constexpr std::size_t words_to_search = 12000;
constexpr std::size_t similar_topics = 6;
constexpr std::size_t topics_per_word = 8;

// What the page has room for: less per topic if there are many topics.
struct Room {
  Room(const ReportOptions& options, std::int32_t topics) {
    const double crowd = std::max(1.0, topics / 1000.0);
    words = std::max(1, static_cast<int>(options.words / crowd));
    documents = options.documents == 0 ? 0 : std::max(1, static_cast<int>(options.documents / crowd));
    const std::int64_t texts = std::max<std::int64_t>(1, std::int64_t{topics} * documents);
    excerpt = static_cast<std::size_t>(std::min<std::int64_t>(options.excerpt, 60 + 1'000'000 / texts));
  }

  int words, documents;
  std::size_t excerpt;
};

std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::floor(value + 0.5)); }

std::int64_t share_of(std::int64_t part, std::int64_t all, std::int64_t unit) {
  return all == 0 ? 0 : rounded(static_cast<double>(part) * static_cast<double>(unit) / static_cast<double>(all));
}

void append_member(std::string& json, std::string_view name) {
  if (json.back() != '{') json += ',';
  json += '"';
  json += name;
  json += "\":";
}

// The words of a page: those that some topic shows, then the most frequent others. They are numbered by frequency.
class PageWords {
 public:
  PageWords(const SparseCounts& counts, const std::vector<std::vector<RelevantWord>>& of_topics)
      : number_of_(counts.words(), -1) {
    std::vector<std::int32_t> by_count(counts.words());
    std::iota(by_count.begin(), by_count.end(), 0);
    std::stable_sort(by_count.begin(), by_count.end(), [&](std::int32_t a, std::int32_t b) {
      return counts.n_w[static_cast<std::size_t>(a)] > counts.n_w[static_cast<std::size_t>(b)];
    });
    std::size_t shown = 0;
    for (const std::vector<RelevantWord>& words : of_topics) {
      for (const RelevantWord& word : words) {
        shown += std::exchange(number_of_[static_cast<std::size_t>(word.word)], 0) < 0 ? 1 : 0;
      }
    }
    for (const std::int32_t word : by_count) {
      std::int32_t& number = number_of_[static_cast<std::size_t>(word)];
      const bool is_shown = number == 0;
      if (!is_shown && (shown >= words_to_search || counts.n_w[static_cast<std::size_t>(word)] == 0)) continue;
      shown += is_shown ? 0 : 1;
      number = static_cast<std::int32_t>(words_.size());
      words_.push_back(word);
    }
  }

  const std::vector<std::int32_t>& words() const { return words_; }
  std::int32_t number(std::int32_t word) const { return number_of_[static_cast<std::size_t>(word)]; }

 private:
  std::vector<std::int32_t> number_of_;  // -1: not on the page
  std::vector<std::int32_t> words_;
};

// The topics with the most tokens of a word, each with 1 % or more.
void append_spread(std::string& json, const SparseCounts& counts, std::size_t w) {
  std::vector<std::pair<std::int64_t, std::int32_t>> parts;
  for (std::size_t entry = counts.word_begins[w]; entry < counts.word_begins[w + 1]; ++entry) {
    const std::int64_t per_mille = share_of(counts.word_counts[entry], counts.n_w[w], 1000);
    if (per_mille >= 10) parts.emplace_back(-per_mille, counts.word_topics[entry]);
  }
  std::sort(parts.begin(), parts.end());
  parts.resize(std::min(parts.size(), topics_per_word));
  append_json_list(json, parts, [](std::string& to, const auto& part) {
    append_json_number(to, part.second);
    to += ',';
    append_json_number(to, -part.first);
  });
}

void append_words(std::string& json, const Model& model, const SparseCounts& counts, const PageWords& words) {
  append_member(json, "words");
  append_json_list(json, words.words(), [&](std::string& to, std::int32_t word) {
    append_json_string(to, excerpt_of(model.vocabulary[static_cast<std::size_t>(word)], most_word_characters));
  });
  append_member(json, "totals");
  append_json_list(json, words.words(), [&](std::string& to, std::int32_t word) {
    append_json_number(to, counts.n_w[static_cast<std::size_t>(word)]);
  });
  append_member(json, "spread");
  append_json_list(json, words.words(), [&](std::string& to, std::int32_t word) {
    append_spread(to, counts, static_cast<std::size_t>(word));
  });
}

// The topics nearest to a topic, as [topic, divergence].
void append_near(std::string& json, const std::vector<double>& distances, std::size_t topics, std::size_t k) {
  std::vector<std::pair<std::int64_t, std::size_t>> near;
  for (std::size_t j = 0; j < topics; ++j) {
    const std::int64_t thousandths = rounded(1000 * distances[k * topics + j]);
    if (j != k && thousandths < 1000) near.emplace_back(thousandths, j);
  }
  const auto middle = near.begin() + static_cast<std::ptrdiff_t>(std::min(similar_topics, near.size()));
  std::partial_sort(near.begin(), middle, near.end());
  near.erase(middle, near.end());
  append_json_list(json, near, [](std::string& to, const auto& pair) {
    append_json_number(to, static_cast<std::int64_t>(pair.second));
    to += ',';
    append_json_number(to, pair.first);
  });
}

// What is known about documents and groups, if they are given.
struct Studied {
  DocumentGroups groups;
  DocumentStudy study;
  ShownDocuments shown;
};

Studied study(const Model& model, const ReportOptions& options, const ReportDocuments& documents, std::size_t excerpt) {
  Studied result;
  if (!documents.groups.empty()) result.groups = group_documents(documents.groups);
  result.study = study_documents(model, documents.corpus, result.groups.group_of, result.groups.names.size(), options);
  result.shown = show_documents(result.study, documents, excerpt, "report_page");
  return result;
}

void append_documents(std::string& json, const ReportDocuments& documents, const Studied& studied) {
  std::map<std::int64_t, const LeadingDocument*> topics_of;
  for (const std::vector<LeadingDocument>& typical : studied.study.typical) {
    for (const LeadingDocument& document : typical) topics_of[document.document] = &document;
  }
  const CorpusView& corpus = documents.corpus;
  std::size_t place = 0;
  append_member(json, "documents");
  append_json_list(json, studied.shown.documents, [&](std::string& to, std::int64_t d) {
    to += "{";
    append_member(to, "d");
    append_json_number(to, d);
    if (!corpus.document_names.empty()) {
      append_member(to, "name");
      append_json_string(to, excerpt_of(corpus.document_names[static_cast<std::size_t>(d)], most_name_characters));
    }
    append_member(to, "text");
    append_json_string(to, studied.shown.excerpts[place]);
    append_member(to, "t");
    append_json_list(to, topics_of[d]->topics, [](std::string& list, const TopicShare& topic) {
      append_json_number(list, topic.topic);
      list += ',';
      append_json_number(list, rounded(1000 * double{topic.share}));
    });
    to += "}";
    ++place;
  });
  append_member(json, "wordy");
  json += studied.shown.are_words ? "true" : "false";
}

void append_groups(std::string& json, const ReportDocuments& documents, const Studied& studied) {
  append_member(json, "groups");
  json += "{";
  append_member(json, "name");
  append_json_string(json, excerpt_of(documents.group_name, most_name_characters));
  append_member(json, "dates");
  json += studied.groups.are_dates ? "true" : "false";
  append_member(json, "names");
  append_json_list(json, studied.groups.names, [](std::string& to, const std::string& name) {
    append_json_string(to, excerpt_of(name, most_word_characters));
  });
  append_member(json, "tokens");
  append_json_list(json, studied.study.known_tokens, append_json_number);
  json += "}";
}

// A topic's documents, by their index on the page, and the topic's share of each group.
void append_documents_of(std::string& json, const Studied& studied, std::size_t topics, std::size_t k) {
  append_member(json, "docs");
  append_json_list(json, studied.study.typical[k], [&](std::string& to, const LeadingDocument& document) {
    append_json_number(to, static_cast<std::int64_t>(studied.shown.place(document.document)));
  });
  if (studied.groups.names.empty()) return;
  append_member(json, "g");
  std::size_t group = 0;
  append_json_list(json, studied.study.known_tokens, [&](std::string& to, std::int64_t tokens) {
    const double part = studied.study.group_tokens[group++ * topics + k];
    append_json_number(to, tokens == 0 ? 0 : rounded(10000 * part / static_cast<double>(tokens)));
  });
}

void append_topics(std::string& json, const Model& model, const SparseCounts& counts, const PageWords& words,
                   const std::vector<std::vector<RelevantWord>>& of_topics, const Studied* studied, int threads) {
  const std::size_t topics = counts.topics();
  const std::vector<double> divergences = token_divergences(counts, threads);
  append_member(json, "topics");
  std::size_t k = 0;
  std::vector<std::string> similar(topics);
  for (; k < topics; ++k) append_near(similar[k], divergences, topics, k);
  const TopicMap map = map_topics(divergences, std::vector<double>(counts.n_k.begin(), counts.n_k.end()), threads);
  k = 0;
  append_json_list(json, of_topics, [&](std::string& to, const std::vector<RelevantWord>& relevant) {
    to += "{";
    for (const auto& [name, value] :
         {std::pair("x", map.x[k]), std::pair("y", map.y[k]), std::pair("r", map.radius[k])}) {
      append_member(to, name);
      append_json_number(to, rounded(10000 * value));
    }
    append_member(to, "n");
    append_json_number(to, counts.n_k[k]);
    append_member(to, "w");
    append_json_list(to, relevant, [&](std::string& list, const RelevantWord& word) {
      append_json_number(list, words.number(word.word));
      list += ',';
      append_json_number(list, word.count);
    });
    append_member(to, "near");
    to += similar[k];
    if (const std::string& label = model.label(static_cast<std::int32_t>(k)); !label.empty()) {
      append_member(to, "label");
      append_json_string(to, excerpt_of(label, most_name_characters));
    }
    if (studied != nullptr) append_documents_of(to, *studied, topics, k);
    to += "}";
    ++k;
  });
  append_member(json, "map");
  fmt::format_to(std::back_inserter(json), "[{},{}]", rounded(10000 * map.width), rounded(10000 * map.height));
}

void append_origin(std::string& json, const Model& model, const ReportOrigin& origin) {
  append_member(json, "origin");
  json += "{";
  append_member(json, "facts");
  std::vector<std::pair<std::string, std::string>> facts(model.settings.begin(), model.settings.end());
  for (std::size_t i = 0; i < model.edits.size(); ++i) {
    facts.emplace_back(
        fmt::format("edit {}", i + 1),
        fmt::format("{}; of the model {}", fmt::join(model.edits[i].change, " "), model.edits[i].parent));
  }
  facts.insert(facts.end(), origin.facts.begin(), origin.facts.end());
  append_json_list(json, facts, [](std::string& to, const std::pair<std::string, std::string>& fact) {
    to += '[';
    append_json_string(to, excerpt_of(fact.first, most_name_characters));
    to += ',';
    append_json_string(to, excerpt_of(fact.second, 1000));
    to += ']';
  });
  append_member(json, "command");
  append_json_string(json, origin.command);
  append_member(json, "likelihood");
  append_json_list(json, origin.likelihood, [](std::string& to, const std::pair<std::int64_t, double>& point) {
    fmt::format_to(std::back_inserter(to), "[{},{:.6f}]", point.first, point.second);
  });
  json += "}";
}

void require_arguments(const Model& model, const ReportOptions& options, const ReportDocuments* documents,
                       const ReportOrigin& origin) {
  model.verify();
  const auto require_at_least = [](const char* name, int value, int least) {
    require(value >= least, "papilio::report_page: {} is {}, expected at least {}", name, value, least);
  };
  require_at_least("words", options.words, 1);
  require_at_least("documents", options.documents, 0);
  require_at_least("excerpt", options.excerpt, 1);
  for (const auto& [sweep, nats] : origin.likelihood) {
    require(std::isfinite(nats), "papilio::report_page: the likelihood after sweep {} is {}, expected a finite number",
            sweep, nats);
  }
  if (documents == nullptr) return;
  documents->corpus.verify(options.threads);
  require(documents->groups.empty() || std::ssize(documents->groups) == documents->corpus.documents(),
          "papilio::report_page: groups has {} entries, expected none or one per document: {}",
          documents->groups.size(), documents->corpus.documents());
}

}  // namespace

std::string report_data(const Model& model, const ReportOptions& options, const ReportDocuments* documents,
                        const ReportOrigin& origin) {
  require_arguments(model, options, documents, origin);
  const Room room(options, model.topics);
  const SparseCounts counts(model);
  std::vector<std::vector<RelevantWord>> of_topics(counts.topics());
  execution::parallel_for(model.topics, 1, options.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      of_topics[static_cast<std::size_t>(k)] = relevant_words(model, counts, static_cast<std::int32_t>(k), room.words);
    }
  });
  const PageWords words(counts, of_topics);
  std::string json = "{";
  append_member(json, "title");
  append_json_string(json, excerpt_of(options.title, most_name_characters));
  append_member(json, "model");
  fmt::format_to(std::back_inserter(json), "{{\"topics\":{},\"words\":{},\"tokens\":{},\"beta\":{}}}", model.topics,
                 model.vocabulary_size(), counts.tokens, model.beta);
  append_words(json, model, counts, words);
  if (documents == nullptr) {
    append_topics(json, model, counts, words, of_topics, nullptr, options.threads);
  } else {
    ReportOptions limited = options;
    limited.documents = room.documents;
    const Studied studied = study(model, limited, *documents, room.excerpt);
    append_topics(json, model, counts, words, of_topics, &studied, options.threads);
    append_documents(json, *documents, studied);
    if (!studied.groups.names.empty()) append_groups(json, *documents, studied);
  }
  append_origin(json, model, origin);
  json += '}';
  return json;
}

}  // namespace papilio::lda
