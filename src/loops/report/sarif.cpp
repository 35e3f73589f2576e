#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "loops/report/words.h"
#include "papilio/loops.h"

// Static Analysis Results Interchange Format (SARIF) Version 2.1.0, OASIS standard, 2020.

namespace papilio::loops {
namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  const char* id;
  const char* text;
  const char* level;
};

constexpr Rule rules[] = {
    {"racy-pragma",
     "An OpenMP pragma runs iterations in parallel that touch the same memory, and one of them writes it.", "error"},
    {"unproven-pragma", "An OpenMP pragma could not be proven correct.", "warning"},
    {"parallel", "No two iterations of the loop touch the same element, unless both only read it.", "note"},
    {"parallel_with_clauses", "The loop is parallel with the given clauses.", "note"},
    {"parallel_if", "The loop is parallel if a condition holds.", "note"},
    {"scan", "Each iteration updates a value from the previous iteration by an associative operator.", "note"},
    {"sequential", "Two iterations of the loop depend on each other.", "note"},
    {"not_proven", "The loop could not be proven parallel.", "note"},
};

std::string uri_of(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json location_of(const Position& p, const std::string& uri) {
  Json region = {{"startLine", std::max(1, p.line)}};
  if (p.column > 0) region["startColumn"] = p.column;
  return {{"artifactLocation", {{"uri", uri}}}, {"region", region}};
}

Json result_of(const char* rule, const std::string& message, const Position& at, const std::optional<Witness>& w,
               const std::string& uri) {
  const auto found =
      std::find_if(std::begin(rules), std::end(rules), [&](const Rule& r) { return std::string_view(r.id) == rule; });
  Json result = {{"ruleId", rule},
                 {"ruleIndex", found - std::begin(rules)},
                 {"level", found->level},
                 {"message", {{"text", message}}},
                 {"locations", Json::array({{{"physicalLocation", location_of(at, uri)}}})}};
  if (!w) return result;
  result["relatedLocations"] = Json::array();
  int id = 1;
  for (const bool is_sink : {false, true}) {
    const std::string text = fmt::format("{} of {}: iteration ({})", is_sink ? "then" : "first", w->variable,
                                         fmt::join(is_sink ? w->sink_iteration : w->source_iteration, ", "));
    result["relatedLocations"].push_back({{"id", id++},
                                          {"message", {{"text", text}}},
                                          {"physicalLocation", location_of(is_sink ? w->sink : w->source, uri)}});
  }
  return result;
}

std::string message_of(const LoopReport& loop) {
  std::string text =
      fmt::format("The loop {} is {}. {}", loop.variable.empty() ? "without a counter" : "of " + loop.variable,
                  words_of(loop.verdict), loop.reason);
  for (const Clause& c : loop.clauses) text += fmt::format(" {}.", words_of(c));
  for (const std::string& c : loop.condition) text += fmt::format(" If {}.", c);
  return text;
}

}  // namespace

std::string to_sarif(const Report& report, const std::string& file) {
  const std::string uri = uri_of(file);
  Json results = Json::array();
  for (const Claim& c : report.claims) {
    if (c.status == ClaimStatus::holds) continue;
    const char* const rule = c.status == ClaimStatus::racy ? "racy-pragma" : "unproven-pragma";
    results.push_back(result_of(rule, c.reason, c.position, c.witness, uri));
  }
  for (const LoopReport& loop : report.loops) {
    const std::string rule(name(loop.verdict));
    const bool is_known = std::any_of(std::begin(rules), std::end(rules), [&](const Rule& r) { return rule == r.id; });
    if (is_known) results.push_back(result_of(rule.c_str(), message_of(loop), loop.position, loop.witness, uri));
  }
  Json described = Json::array();
  for (const Rule& r : rules) {
    described.push_back(
        {{"id", r.id}, {"shortDescription", {{"text", r.text}}}, {"defaultConfiguration", {{"level", r.level}}}});
  }
  const Json page = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array({{{"tool", {{"driver", {{"name", "loopdep"}, {"rules", described}}}}}, {"results", results}}})}};
  return page.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace papilio::loops
