#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "lda/visualization/choose/chart.h"
#include "lda/visualization/choose/html_text.h"
#include "lda/visualization/choose/page_assets.h"
#include "lda/visualization/report/page_assets.h"
#include "lda/visualization/report/sha256.h"
#include "papilio/choose.h"

namespace papilio {
namespace {

// A measure, as the page shows it.
struct Measure {
  std::string title;
  std::string meaning;
  int decimals;
  bool lower_is_better;
  std::function<Spread(const ChooseRow&)> of_row;
  std::function<double(const ChooseRun&)> of_run;  // empty: the measure is of all runs together
};

std::vector<Measure> measures_of(const ChooseResult& result) {
  const std::string counted = result.window == 0 ? "documents" : fmt::format("windows of {} tokens", result.window);
  std::vector<Measure> measures = {
      {"Held-out perplexity",
       "Lower is better: the effective number of words to choose from, in documents that the model has not seen.", 2,
       true, [](const ChooseRow& row) { return row.perplexity; }, [](const ChooseRun& run) { return run.perplexity; }},
      {"Coherence",
       fmt::format("Higher is better: how often the {} top words of a topic occur together ({}, {}).",
                   result.coherence_words, name(result.measure), counted),
       4, false, [](const ChooseRow& row) { return row.coherence; },
       [](const ChooseRun& run) { return run.coherence; }},
      {"Diversity",
       fmt::format("Higher is better: the share of distinct words among the {} top words of all topics.",
                   result.top_words),
       4, false, [](const ChooseRow& row) { return row.diversity; },
       [](const ChooseRun& run) { return run.diversity; }},
      {"Stability",
       fmt::format("Higher is better: how many of the {} top words two seeds share, topic by matching topic (Jaccard "
                   "index).",
                   result.top_words),
       4,
       false,
       [](const ChooseRow& row) {
         return Spread{row.stability, row.stability, row.stability};
       },
       {}}};
  const bool has_stability = std::any_of(result.rows.begin(), result.rows.end(),
                                         [](const ChooseRow& row) { return !std::isnan(row.stability); });
  if (!has_stability) measures.pop_back();
  return measures;
}

// The row with the best value, the first of equal ones. rows.size() if none has a value or there is only one row.
std::size_t best_row(const std::vector<ChooseRow>& rows, const Measure& measure) {
  std::size_t best = rows.size();
  for (std::size_t i = 0; i < rows.size() && rows.size() > 1; ++i) {
    const double value = measure.of_row(rows[i]).mean;
    if (std::isnan(value)) continue;
    const double so_far = best == rows.size() ? value : measure.of_row(rows[best]).mean;
    if (best == rows.size() || (measure.lower_is_better ? value < so_far : value > so_far)) best = i;
  }
  return best;
}

std::string chart_of(const ChooseResult& result, const Measure& measure) {
  const std::size_t best = best_row(result.rows, measure);
  std::vector<lda::ChartColumn> columns;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const ChooseRow& row = result.rows[i];
    columns.push_back({row.topics, measure.of_row(row), {}, i == best});
    for (const ChooseRun& run : result.runs) {
      if (measure.of_run && run.topics == row.topics) columns.back().runs.push_back(measure.of_run(run));
    }
  }
  return fmt::format("<section aria-label=\"{0}\"><h3>{0}</h3><p class=\"sub\">{1}</p>\n{2}</section>\n",
                     lda::html_text(measure.title), lda::html_text(measure.meaning),
                     lda::chart_svg(measure.title, columns, measure.decimals));
}

std::string cell_of(const Spread& value, int decimals, bool has_range, bool is_best) {
  std::string cell = fmt::format("<td{}>{}", is_best ? " class=\"best\"" : "", lda::shown_number(value.mean, decimals));
  if (has_range && !std::isnan(value.mean)) {
    cell += fmt::format("<small>{} to {}</small>", lda::shown_number(value.least, decimals),
                        lda::shown_number(value.most, decimals));
  }
  return cell + "</td>";
}

std::string table_of(const ChooseResult& result, const std::vector<Measure>& measures, bool times) {
  std::string table = "<table class=\"numbers\"><thead><tr><th scope=\"col\">Topics</th><th scope=\"col\">Models</th>";
  for (const Measure& measure : measures) {
    table += fmt::format("<th scope=\"col\">{}</th>", lda::html_text(measure.title));
  }
  table += times ? "<th scope=\"col\">Seconds</th></tr></thead><tbody>\n" : "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const ChooseRow& row = result.rows[i];
    std::string cells;
    std::string spoken = fmt::format("{} topics", row.topics);
    for (const Measure& measure : measures) {
      const Spread value = measure.of_row(row);
      cells += cell_of(value, measure.decimals, measure.of_run && row.seeds > 1, i == best_row(result.rows, measure));
      spoken += fmt::format("; {} {}", measure.title, lda::shown_number(value.mean, measure.decimals));
    }
    if (times) cells += fmt::format("<td>{}</td>", lda::shown_number(row.seconds, 1));
    table += fmt::format("<tr data-k=\"{0}\" data-text=\"{1}\"><th scope=\"row\">{0}</th><td>{2}</td>{3}</tr>\n",
                         row.topics, lda::html_text(spoken), row.seeds, cells);
  }
  return table + "</tbody></table>\n";
}

std::string settings_of(const ChooseResult& result, const ChoosePageOptions& options) {
  std::string table = "<table class=\"settings\"><tbody>\n";
  for (const auto* facts : {&options.facts, &result.settings}) {
    for (const auto& [name, value] : *facts) {
      table += fmt::format("<tr><th scope=\"row\">{}</th><td><bdi>{}</bdi></td></tr>\n", lda::html_text(name),
                           lda::html_text(value));
    }
  }
  table += "</tbody></table>\n";
  if (!options.command.empty()) table += fmt::format("<pre><bdi>{}</bdi></pre>\n", lda::html_text(options.command));
  return table;
}

std::string sizes_of(const ChooseResult& result) {
  return fmt::format("{} models · {} documents trained on · {} held out",
                     lda::shown_number(static_cast<double>(result.runs.size()), 0),
                     lda::shown_number(static_cast<double>(result.documents), 0),
                     lda::shown_number(static_cast<double>(result.held_out_documents), 0));
}

std::string source_hash(std::string_view text) { return fmt::format("'sha256-{}'", lda::base64(lda::sha256(text))); }

// The page with its placeholders replaced; the replacements are not searched again.
std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string_view>>& places) {
  std::string result;
  while (!page.empty()) {
    const auto here =
        std::find_if(places.begin(), places.end(), [&](const auto& place) { return page.starts_with(place.first); });
    if (here != places.end()) {
      result += here->second;
      page.remove_prefix(here->first.size());
    } else {
      result += page.front();
      page.remove_prefix(1);
    }
  }
  return result;
}

}  // namespace

std::string choose_page(const ChooseResult& result, const ChoosePageOptions& options) {
  base::require(!result.rows.empty(), "papilio::choose_page: the result has no rows, nothing to show");
  const std::vector<Measure> measures = measures_of(result);
  std::string charts;
  for (const Measure& measure : measures) charts += chart_of(result, measure);
  const bool has_seeds =
      std::any_of(result.rows.begin(), result.rows.end(), [](const auto& row) { return row.seeds > 1; });
  const std::string caption =
      fmt::format("{}In colour: the best value. Arrow keys or a click select a number of topics in all charts.",
                  has_seeds ? "Rings: models of single seeds; dots: their mean. " : "");
  const std::string style = std::string(lda::page_style) + std::string(lda::choose_page_style);
  // Allows only this script and this style, as on the page of a report.
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'; "
      "require-trusted-types-for 'script'; trusted-types 'none'",
      source_hash(lda::choose_page_script), source_hash(style));
  const std::string title = lda::html_text(options.title), summary = lda::html_text(choose_summary(result));
  const std::string sizes = sizes_of(result), table = table_of(result, measures, options.times),
                    settings = settings_of(result, options);
  return filled(lda::choose_page_html, {{"{policy}", policy},
                                        {"{title}", title},
                                        {"{style}", style},
                                        {"{sizes}", sizes},
                                        {"{summary}", summary},
                                        {"{charts}", charts},
                                        {"{caption}", caption},
                                        {"{table}", table},
                                        {"{settings}", settings},
                                        {"{script}", lda::choose_page_script}});
}

}  // namespace papilio
