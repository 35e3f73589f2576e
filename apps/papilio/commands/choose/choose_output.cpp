#include "commands/choose/choose_output.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string_view>

#include "support/output.h"
#include "support/text.h"

namespace {

using papilio::ChooseResult;
using papilio::ChooseRow;
using papilio::ChooseRun;
using papilio::Spread;

// "-" if there is no value.
std::string fixed(double value, int decimals) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, decimals);
}

// "-" if there is only one model.
std::string range_of(const Spread& spread, int seeds, int decimals) {
  return seeds < 2 ? "-" : fixed(spread.most - spread.least, decimals);
}

// The text broken between words into lines of at most 100 columns.
std::string wrapped(std::string_view text) {
  constexpr std::size_t width = 100;
  std::string lines;
  while (text.size() > width) {
    const std::size_t end = text.substr(0, width + 1).rfind(' ');
    if (end == text.npos) break;
    lines.append(text.substr(0, end)).append("\n");
    text.remove_prefix(end + 1);
  }
  return lines.append(text).append("\n");
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string json_spread(const Spread& spread) {
  return fmt::format("{{\"mean\":{},\"least\":{},\"most\":{}}}", number(spread.mean), number(spread.least),
                     number(spread.most));
}

void print_json_row(const ChooseRow& row, bool times) {
  print("{{\"topics\":{},\"seeds\":{},\"perplexity\":{},\"coherence\":{},\"diversity\":{},\"stability\":{}", row.topics,
        row.seeds, json_spread(row.perplexity), json_spread(row.coherence), json_spread(row.diversity),
        number(row.stability));
  if (times) print(",\"seconds\":{:.3f}", row.seconds);
  print("}}");
}

void print_json_run(const ChooseRun& run, bool times) {
  print("{{\"topics\":{},\"seed\":{},\"perplexity\":{},\"coherence\":{},\"diversity\":{}", run.topics, run.seed,
        number(run.perplexity), number(run.coherence), number(run.diversity));
  if (times) print(",\"seconds\":{:.3f}", run.seconds);
  print("}}");
}

// Prints [x,\n x ...] for the elements.
template <class Elements, class Print>
void print_json_list(const char* name, const Elements& elements, Print&& print_one) {
  print(",\n\"{}\":[", name);
  const char* separator = "\n";
  for (const auto& element : elements) {
    print("{}", separator);
    print_one(element);
    separator = ",\n";
  }
  print("]");
}

std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string csv_spread(const Spread& spread) {
  return fmt::format("{},{},{}", csv_number(spread.mean), csv_number(spread.least), csv_number(spread.most));
}

}  // namespace

void print_choose_table(const ChooseResult& result, bool times) {
  print("{:>8}{:>12}{:>10}{:>12}{:>10}{:>11}{:>11}", "topics", "perplexity", "+-", "coherence", "+-", "diversity",
        "stability");
  print("{}\n", times ? "   seconds" : "");
  for (const ChooseRow& row : result.rows) {
    print("{:>8}{:>12}{:>10}{:>12}{:>10}{:>11}{:>11}", row.topics, fixed(row.perplexity.mean, 2),
          range_of(row.perplexity, row.seeds, 2), fixed(row.coherence.mean, 4), range_of(row.coherence, row.seeds, 4),
          fixed(row.diversity.mean, 4), fixed(row.stability, 4));
    print("{}\n", times ? fmt::format("{:>10.1f}", row.seconds) : "");
  }
  const std::string counted = result.window == 0 ? "documents" : fmt::format("windows of {} tokens", result.window);
  print("\n{}",
        wrapped(fmt::format("Means over {} seed{}; +- is the range from the least to the most. Perplexity of {} "
                            "held-out documents: lower is better. Coherence ({} of {} words, {}), diversity and "
                            "stability (top {} words): higher is better.",
                            result.rows.front().seeds, result.rows.front().seeds == 1 ? "" : "s",
                            grouped(result.held_out_documents), papilio::name(result.measure), result.coherence_words,
                            counted, result.top_words)));
  print("\n{}", wrapped(papilio::choose_summary(result)));
}

void print_choose_json(const ChooseResult& result, const std::string& corpus, bool times) {
  print(
      "{{\"corpus\":{},\"documents\":{},\"held_out_documents\":{},\n\"coherence\":{{\"measure\":\"{}\",\"top_words\":{}"
      ","
      "\"window\":{}}},\"top_words\":{}",
      json_string(corpus), result.documents, result.held_out_documents, papilio::name(result.measure),
      result.coherence_words, result.window == 0 ? "null" : fmt::format("{}", result.window), result.top_words);
  print_json_list("rows", result.rows, [&](const ChooseRow& row) { print_json_row(row, times); });
  print_json_list("runs", result.runs, [&](const ChooseRun& run) { print_json_run(run, times); });
  print(",\n\"summary\":{}}}\n", json_string(papilio::choose_summary(result)));
}

void print_choose_csv(const ChooseResult& result, bool times) {
  print(
      "topics,seeds,perplexity,perplexity_least,perplexity_most,coherence,coherence_least,coherence_most,diversity,"
      "diversity_least,diversity_most,stability{}\n",
      times ? ",seconds" : "");
  for (const ChooseRow& row : result.rows) {
    print("{},{},{},{},{},{}{}\n", row.topics, row.seeds, csv_spread(row.perplexity), csv_spread(row.coherence),
          csv_spread(row.diversity), csv_number(row.stability), times ? fmt::format(",{:.3f}", row.seconds) : "");
  }
}
