// The page of choosing: what it shows, and that nothing in it becomes markup.

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "lda/choose/choose_runs.h"
#include "lda/visualization/choose/chart.h"
#include "lda/visualization/choose/html_text.h"
#include "lda/visualization/report/sha256.h"
#include "papilio/choose.h"

namespace papilio {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

ChooseResult made() {
  ChooseResult result;
  for (const std::int32_t topics : {5, 20, 1000}) {
    const double perplexity = 12345.678 - topics;
    for (const std::uint64_t seed : {1u, 2u}) {
      result.runs.push_back(
          {topics, seed, perplexity + static_cast<double>(seed), topics == 5 ? nan : 0.125, 0.5, 2, {}});
    }
    const Spread coherence = topics == 5 ? Spread{nan, nan, nan} : Spread{0.125, 0.125, 0.125};
    result.rows.push_back(
        {topics, 2, {perplexity + 1.5, perplexity + 1, perplexity + 2}, coherence, {0.5, 0.5, 0.5}, 0.75, 2});
  }
  result.documents = 90;
  result.held_out_documents = 10;
  result.coherence_words = 10;
  result.window = 10;
  result.top_words = 25;
  result.settings = {{"sweeps", "200"}};
  return result;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

TEST(ChoosePage, HasAChartForEachMeasureAndARowForEachNumber) {
  const std::string page =
      choose_page(made(), {.title = "News", .command = "papilio choose news.txt", .facts = {{"corpus", "news.txt"}}});
  EXPECT_EQ(count(page, "<svg "), 4u);
  EXPECT_EQ(count(page, "<tr data-k="), 3u);
  EXPECT_NE(page.find("<tr data-k=\"1000\" data-text=\"1000 topics; Held-out perplexity 11,347.18; Coherence 0.1250; "
                      "Diversity 0.5000; Stability 0.7500\">"),
            std::string::npos);
  EXPECT_NE(page.find("<title>News</title>"), std::string::npos);
  EXPECT_NE(page.find("<th scope=\"row\">corpus</th><td><bdi>news.txt</bdi></td>"), std::string::npos);
  EXPECT_NE(page.find("<th scope=\"row\">sweeps</th><td><bdi>200</bdi></td>"), std::string::npos);
  EXPECT_NE(page.find("<pre><bdi>papilio choose news.txt</bdi></pre>"), std::string::npos);
  EXPECT_NE(page.find("predicted best with 1000 topics"), std::string::npos);
}

// A run that is interrupted and continued gives the page of one that is not.
TEST(ChoosePage, DependsOnTimesOnlyIfTheyAreShown) {
  ChooseResult slower = made();
  for (ChooseRun& run : slower.runs) run.seconds += 17;
  for (ChooseRow& row : slower.rows) row.seconds += 34;
  const std::string page = choose_page(made());
  EXPECT_EQ(choose_page(slower), page);
  EXPECT_EQ(page.find("Seconds"), std::string::npos);
  EXPECT_NE(choose_page(slower, {.times = true}), choose_page(made(), {.times = true}));
  EXPECT_NE(choose_page(made(), {.times = true}).find("<th scope=\"col\">Seconds</th>"), std::string::npos);
}

TEST(ChoosePage, LeavesStabilityOutWithOneSeed) {
  ChooseResult result = made();
  for (ChooseRow& row : result.rows) row.stability = nan;
  const std::string page = choose_page(result);
  EXPECT_EQ(count(page, "<svg "), 3u);
  EXPECT_EQ(page.find("Stability"), std::string::npos);
}

TEST(ChoosePage, AllowsNothingButItsOwnScriptAndStyle) {
  const std::string page = choose_page(made());
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  const std::string script = between(page, "<script>", "</script>"), style = between(page, "<style>", "</style>");
  EXPECT_EQ(policy,
            "default-src 'none'; script-src 'sha256-" + lda::base64(lda::sha256(script)) + "'; style-src 'sha256-" +
                lda::base64(lda::sha256(style)) +
                "'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
  EXPECT_EQ(count(page, "<script"), 1u);
  EXPECT_EQ(count(page, "style=\""), 0u);
  EXPECT_EQ(count(page, "://"), 0u);
}

TEST(ChoosePage, ShowsHostileTextsAsTexts) {
  const std::string hostile = "</title><script>window.hurt=1</script>\"'&{style}{policy}\x01\xff\xe2\x80\xae";
  ChooseResult result = made();
  result.settings = {{hostile, hostile}};
  const std::string page = choose_page(result, {.title = hostile, .command = hostile, .facts = {{hostile, hostile}}});
  const std::string shown =
      "&lt;/title&gt;&lt;script&gt;window.hurt=1&lt;/"
      "script&gt;&quot;&#39;&amp;{style}{policy}\xef\xbf\xbd\xef\xbf\xbd\xe2\x80\xae";
  EXPECT_EQ(count(page, shown), 7u);
  EXPECT_EQ(count(page, "<script"), 1u);
  EXPECT_EQ(lda::html_text(hostile), shown);
}

TEST(Chart, PutsValuesWhereTheyBelong) {
  const std::string chart = lda::chart_svg(
      "Share",
      {{10, {0.25, 0.25, 0.25}, {}, false}, {100, {0.75, 0.75, 0.75}, {}, true}, {1000, {nan, nan, nan}, {}, false}},
      2);
  EXPECT_NE(chart.find("aria-label=\"Share: 10 topics 0.25; 100 topics 0.75; 1000 topics -.\""), std::string::npos);
  // 10, 100 and 1,000 stand at even distances, and what has no value has no point.
  EXPECT_NE(chart.find("<polyline class=\"means\" points=\"84.0,"), std::string::npos);
  EXPECT_NE(chart.find("cx=\"240.0\""), std::string::npos);
  EXPECT_EQ(count(chart, "<circle class=\"mean\""), 2u);
  EXPECT_EQ(count(chart, "class=\"column best\" data-k=\"100\""), 1u);
  for (const char* tick : {">0.2<", ">0.4<", ">0.6<", ">0.8<"}) EXPECT_EQ(count(chart, tick), 1u) << tick;
}

TEST(Chart, TakesAnyNumbers) {
  constexpr double large = std::numeric_limits<double>::max() / 4;
  for (const double value : {0.0, 1.0, -3.5, 1e-300, 1e15, large, nan}) {
    for (const double other : {value, value + 1, nan}) {
      const std::string chart = lda::chart_svg(
          "x", {{1, {value, value, value}, {value}, false}, {2147483647, {other, other, other}, {}, true}}, 2);
      EXPECT_EQ(count(chart, "nan"), 0u) << value << ' ' << other;
      EXPECT_LT(count(chart, "class=\"grid\""), 12u);
    }
  }
  EXPECT_EQ(count(lda::chart_svg("x", {{7, {1, 1, 1}, {}, false}}, 2), "<circle class=\"mean\""), 1u);
}

TEST(Chart, NumbersThatWouldTouchAreLeftOut) {
  std::vector<lda::ChartColumn> columns;
  for (std::int32_t topics = 100; topics <= 1000; topics += 10) columns.push_back({topics, {1, 1, 1}, {}, false});
  const std::string chart = lda::chart_svg("x", columns, 2);
  const std::size_t numbers = count(chart, "text-anchor=\"middle\" data-k=");
  EXPECT_TRUE(5 < numbers && numbers < 14) << numbers;
  EXPECT_EQ(count(chart, ">1000</text>"), 1u);
}

TEST(ShownNumber, HasGroups) {
  EXPECT_EQ(lda::shown_number(1234567.891, 1), "1,234,567.9");
  EXPECT_EQ(lda::shown_number(-1234, 0), "-1,234");
  EXPECT_EQ(lda::shown_number(123, 0), "123");
  EXPECT_EQ(lda::shown_number(-0.5, 2), "-0.50");
  EXPECT_EQ(lda::shown_number(nan, 2), "-");
}

}  // namespace
}  // namespace papilio
