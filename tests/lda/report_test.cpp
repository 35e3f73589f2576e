#include "papilio/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/models.h"
#include "lda/visualization/report/document_groups.h"
#include "lda/visualization/report/page_json.h"
#include "lda/visualization/report/relevant_words.h"
#include "lda/visualization/report/sha256.h"
#include "lda/visualization/report/topic_distances.h"
#include "lda/visualization/report/topic_map.h"
#include "papilio/error.h"
#include "papilio/lda.h"
#include "papilio/texts.h"

namespace papilio {
namespace {

Model trained_model(std::int32_t topics) {
  static const Corpus corpus = testing::small_generated_corpus().corpus;
  return train(corpus, {.topics = topics, .sweeps = 15, .seed = 4}).model;
}

// From the definition, with the logarithm of the C library.
TEST(TopicDistances, AreJensenAndShannonsOfTheTokens) {
  const Model model = testing::make_model({{7, 1, 0, 0}, {1, 6, 2, 0}, {2, 1, 3, 0}, {0, 1, 9, 0}, {4, 0, 0, 0}},
                                          {0.1, 0.1, 0.1, 0.1}, 0.2);
  const std::vector<double> found = lda::token_divergences(lda::SparseCounts(model), 2);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      double expected = i == j ? 0 : i == 3 || j == 3 ? 1 : 0;
      for (std::size_t w = 0; w < 5 && i != 3 && j != 3; ++w) {
        const double p = static_cast<double>(model.n_wk[4 * w + i]) / static_cast<double>(model.n_k[i]);
        const double q = static_cast<double>(model.n_wk[4 * w + j]) / static_cast<double>(model.n_k[j]);
        if (p > 0) expected += p * std::log2(2 * p / (p + q)) / 2;
        if (q > 0) expected += q * std::log2(2 * q / (p + q)) / 2;
      }
      EXPECT_NEAR(found[4 * i + j], expected, 1e-14) << i << ' ' << j;
    }
  }
}

TEST(TopicMap, PrincipalCoordinatesFindPointsByTheirDistances) {
  std::mt19937 bits(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const std::size_t n : {1u, 2u, 3u, 40u}) {
    std::vector<double> x(n), y(n), squares(n * n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 3 * uniform(bits), y[i] = uniform(bits);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) squares[i * n + j] = std::pow(x[i] - x[j], 2) + std::pow(y[i] - y[j], 2);
    }
    const lda::Points points = lda::principal_coordinates(squares, n, 2);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_NEAR(std::hypot(points.x[i] - points.x[j], points.y[i] - points.y[j]), std::sqrt(squares[i * n + j]),
                    1e-6)
            << n;
      }
    }
  }
}

// Four families of topics with words of their own: on the map the nearest topics are of the same family.
TEST(TopicMap, PutsFamiliesTogetherAndKeepsCirclesApart) {
  const std::size_t n = 40;
  std::vector<double> divergences(n * n), shares(n);
  for (std::size_t i = 0; i < n; ++i) {
    shares[i] = static_cast<double>(1 + i % 7);
    for (std::size_t j = 0; j < n; ++j) divergences[i * n + j] = i == j ? 0 : i % 4 == j % 4 ? 0.6 : 0.97;
  }
  const lda::TopicMap map = lda::map_topics(divergences, shares, 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t nearest = i == 0 ? 1 : 0;
    const auto apart = [&](std::size_t j) { return std::hypot(map.x[i] - map.x[j], map.y[i] - map.y[j]); };
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      if (apart(j) < apart(nearest)) nearest = j;
      EXPECT_GT(apart(j), 0.98 * (map.radius[i] + map.radius[j]));
      EXPECT_NEAR(map.radius[i] * map.radius[i] / shares[i], map.radius[j] * map.radius[j] / shares[j], 1e-9);
    }
    EXPECT_EQ(nearest % 4, i % 4) << i;
    EXPECT_GE(map.x[i] - map.radius[i], -1e-12);
    EXPECT_LE(map.y[i] + map.radius[i], map.height + 1e-12);
  }
}

// Against relevance of all words in plain doubles.
TEST(RelevantWords, AreTheMostRelevantForEveryPositionOfTheSlider) {
  const Model model = trained_model(5);
  const lda::SparseCounts counts(model);
  const double beta = model.beta, v = static_cast<double>(model.vocabulary_size());
  for (std::int32_t k = 0; k < 5; ++k) {
    const std::vector<lda::RelevantWord> found = lda::relevant_words(model, counts, k, 8);
    const auto relevance = [&](std::int32_t w, double lambda) {
      const double share = (static_cast<double>(counts.n_w[static_cast<std::size_t>(w)]) + 5 * beta) /
                           (static_cast<double>(counts.tokens) + 5 * v * beta);
      return lambda * std::log(model.phi(w, k)) + (1 - lambda) * std::log(model.phi(w, k) / share);
    };
    for (std::size_t i = 1; i < found.size(); ++i) {
      EXPECT_GE(relevance(found[i - 1].word, 0.6), relevance(found[i].word, 0.6) - 1e-12);
    }
    for (const double lambda : {0.0, 0.35, 0.6, 1.0}) {
      std::vector<std::pair<double, std::int32_t>> all;
      for (std::int32_t w = 0; w < model.vocabulary_size(); ++w) all.emplace_back(-relevance(w, lambda), w);
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < 8; ++i) {
        if (model.n_wk[static_cast<std::size_t>(all[i].second) * 5 + static_cast<std::size_t>(k)] == 0) continue;
        EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const lda::RelevantWord& word) {
          return word.word == all[i].second || std::abs(relevance(word.word, lambda) + all[i].first) < 1e-12;
        })) << lambda;
      }
    }
  }
}

// What FIPS 180-4 and its examples give.
TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(lda::base64(lda::sha256("")), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(lda::base64(lda::sha256("abc")), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(lda::base64(lda::sha256(std::string(1000000, 'a'))), "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
  for (std::size_t cut = 0; cut < 130; cut += 13) {
    const std::string text(150, 'x');
    lda::RunningSha256 hash;
    hash.update(std::string_view(text).substr(0, cut));
    hash.update(std::string_view(text).substr(cut));
    EXPECT_EQ(hash.digest(), lda::sha256(text)) << cut;
  }
}

TEST(PageJson, LeavesNothingThatEndsAScript) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  std::string json;
  lda::append_json_string(json, "</script><!--&\"\\\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae\xef\xbb\xbf" + every);
  EXPECT_EQ(json.find_first_of("<>&"), json.npos);
  EXPECT_EQ(json.find("\xe2\x80"), json.npos);
  for (const char c : json) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  EXPECT_TRUE(json.starts_with("\"\\u003c/script\\u003e\\u003c!--\\u0026\\\"\\\\\\u2028\\u2029\\u202e\\ufeff\\u0000"));
  EXPECT_TRUE(json.ends_with("\xef\xbf\xbd\""));  // 0xff
}

TEST(PageJson, ExcerptsEndAfterAWord) {
  EXPECT_EQ(lda::excerpt_of(" one\t\ntwo \x01three ", 20), "one two three");
  EXPECT_EQ(lda::excerpt_of("one two three", 10), "one two\xe2\x80\xa6");
  EXPECT_EQ(lda::excerpt_of("onetwothree", 4), "onet\xe2\x80\xa6");
  EXPECT_EQ(lda::excerpt_of("\xc3\xa4\xc3\xb6\xff", 3), "\xc3\xa4\xc3\xb6\xef\xbf\xbd");
  EXPECT_EQ(lda::excerpt_of(std::string(1000, ' ') + "x", 2), "\xe2\x80\xa6");
}

TEST(DocumentGroups, KnowDatesFromNames) {
  const std::vector<std::string> years = {"1999", "2001-05-06", "", "2001"};
  const lda::DocumentGroups dated = lda::group_documents(years);
  EXPECT_TRUE(dated.are_dates);
  EXPECT_EQ(dated.names, (std::vector<std::string>{"1999", "2000", "2001"}));
  EXPECT_EQ(dated.group_of, (std::vector<std::int32_t>{0, 2, -1, 2}));
  EXPECT_EQ(lda::group_documents(std::vector<std::string>{"2020-02-28", "2020-03-01T10:00"}).names,
            (std::vector<std::string>{"2020-02-28", "2020-02-29", "2020-03-01"}));
  EXPECT_EQ(lda::group_documents(std::vector<std::string>{"1790", "2024"}).names.size(), 24u);  // decades
  EXPECT_FALSE(lda::group_documents(std::vector<std::string>{"2020-02-30"}).are_dates);
  const lda::DocumentGroups named = lda::group_documents(std::vector<std::string>{"b", "a", "", "b"});
  EXPECT_EQ(named.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(named.group_of, (std::vector<std::int32_t>{1, 0, -1, 1}));
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back("g" + std::to_string(i));
  EXPECT_EQ(lda::group_documents(many).names.size(), 41u);
  EXPECT_EQ(lda::group_documents(many).documents_of_rest, 60);
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(end, at) - at);
}

// The hashes in the policy are those of what is on the page, which has one style, one script and no other.
TEST(ReportPage, AllowsItsOwnScriptAndStyleOnly) {
  const std::string page = report_page(trained_model(3));
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\">");
  const auto hash = [](const std::string& text) { return "'sha256-" + lda::base64(lda::sha256(text)) + "'"; };
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src " + hash(between(page, "<script>", "</script>")) +
                                 "; style-src " + hash(between(page, "<style>", "</style>")) + ";"));
  EXPECT_EQ(policy.find("unsafe"), policy.npos);
  for (const char* element : {"<script>", "<style>", "</script>\n<script>"}) {
    EXPECT_EQ(page.find(element), page.rfind(element)) << element;
  }
  for (const char* never : {"http:", "https:", " src=", "innerHTML", "document.write", "eval("}) {
    const std::size_t at = page.find(never);
    EXPECT_TRUE(at == page.npos || page.substr(at).starts_with("http://www.w3.org/2000/svg")) << never;
  }
}

// Words, names, texts and settings that try to leave their places.
TEST(ReportPage, TakesHostileWordsAsData) {
  Model model = trained_model(3);
  const std::string attack =
      "</script><script>window.hurt=1</script><!--\xe2\x80\xa8\xe2\x80\xae\"'`\xff{data}{script}";
  for (std::size_t w = 0; w < model.vocabulary.size(); w += 3) model.vocabulary[w] = attack + std::to_string(w);
  model.settings[attack] = attack;
  Corpus corpus = testing::make_corpus({{0, 1, 2}, {3, 4, 5}}, 6);
  corpus.vocabulary = {model.vocabulary[0], "w1", "w2", model.vocabulary[3], "w4", "w5"};
  corpus.document_names = {attack, attack};
  const std::vector<std::string> groups = {attack, "b"};
  const ReportDocuments documents = {
      .corpus = corpus,
      .texts = [&](std::span<const std::int64_t> asked) { return std::vector<std::string>(asked.size(), attack); },
      .groups = groups,
      .group_name = attack};
  const std::string page = report_page(model, {.title = attack}, &documents,
                                       {.facts = {{attack, attack}}, .command = attack, .likelihood = {}});
  const std::string plain = report_page(trained_model(3));
  const auto count = [](const std::string& text, std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  for (const char* what : {"<script", "</script", "<!--", "\xe2\x80\xa8", "\xe2\x80\xae", "\xff"}) {
    EXPECT_EQ(count(page, what), count(plain, what)) << what;
  }
  EXPECT_GT(count(page, "\\u003c/script\\u003e"), 10u);
}

TEST(ReportPage, IsTheSameForAnyNumberOfThreads) {
  const Corpus corpus = testing::small_generated_corpus().corpus;
  const Model model = trained_model(7);
  std::vector<std::string> groups;
  for (std::int64_t d = 0; d < corpus.documents(); ++d) groups.push_back(std::to_string(1990 + d % 5));
  const ReportDocuments documents = {.corpus = corpus, .groups = groups};
  const std::string page = report_page(model, {.threads = 1}, &documents);
  EXPECT_EQ(report_page(model, {.threads = 2}, &documents), page);
  EXPECT_EQ(report_page(model, {.threads = 7}, &documents), page);
  EXPECT_NE(report_page(model, {.seed = 1, .threads = 1}, &documents), page);
}

TEST(ReportPage, ShowsModelsOfAnyShape) {
  for (const std::int32_t topics : {1, 2, 3}) EXPECT_GT(report_page(trained_model(topics)).size(), 1000u);
  const Model empty = testing::make_model({{0, 0}, {0, 0}}, {0.1, 0.1}, 0.1);
  EXPECT_NE(report_page(empty).find("\"tokens\":0"), std::string::npos);
  const Model same = testing::make_model({{5, 5, 5, 0}}, {0.1, 0.1, 0.1, 0.1}, 0.1);
  EXPECT_NE(report_page(same).find("\"topics\":4"), std::string::npos);
}

TEST(SourceTexts, AreThoseOfTheDocumentsAskedFor) {
  const lda::Folder folder;
  const std::string path = folder.write("texts.tsv", "text\tday\nfirst text\t2001\nsecond\t2002\nthird text\t2003\n");
  const TextSource source = {.path = path, .form = TextForm::tsv, .id = "day"};
  const std::vector<std::int64_t> asked = {0, 2};
  const SourceTexts found = read_source_texts(source, asked, 7);
  EXPECT_EQ(found.texts, (std::vector<std::string>{"first t", "third t"}));
  EXPECT_EQ(found.names, (std::vector<std::string>{"2001", "2002", "2003"}));
  EXPECT_THROW(read_source_texts(source, std::vector<std::int64_t>{3}, 7), InvalidArgument);
  EXPECT_THROW(read_source_texts(source, std::vector<std::int64_t>{1, 1}, 7), InvalidArgument);
  EXPECT_EQ(sha256_of_file(path).size(), 64u);
  EXPECT_THROW(sha256_of_file(path + ".missing"), IoError);
}

}  // namespace
}  // namespace papilio
