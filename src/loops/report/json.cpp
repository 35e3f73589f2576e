#include <nlohmann/json.hpp>

#include "papilio/loops.h"

namespace papilio::loops {
namespace {

using Json = nlohmann::ordered_json;

template <class List, class Function>
Json array_of(const List& list, Function&& one) {
  Json made = Json::array();
  for (const auto& element : list) made.push_back(one(element));
  return made;
}

Json place_of(const Position& p) { return {{"line", p.line}, {"column", p.column}}; }

Json witness_of(const std::optional<Witness>& w) {
  if (!w) return nullptr;
  return {{"variable", w->variable},
          {"kind", w->kind},
          {"source", {{"line", w->source.line}, {"column", w->source.column}, {"iteration", w->source_iteration}}},
          {"sink", {{"line", w->sink.line}, {"column", w->sink.column}, {"iteration", w->sink_iteration}}},
          {"values", w->values}};
}

Json dependence_of(const Dependence& d) {
  return {{"variable", d.variable},
          {"kind", d.kind},
          {"source", place_of(d.source)},
          {"sink", place_of(d.sink)},
          {"directions", d.directions},
          {"distances", array_of(d.distances, [](const auto& x) { return x ? Json(*x) : Json(nullptr); })},
          {"exact", d.is_exact}};
}

Json clause_of(const Clause& c) {
  return {{"kind", c.kind},
          {"variable", c.variable},
          {"detail", c.detail},
          {"value", c.value},
          {"step", c.step},
          {"array", c.is_array},
          {"places", array_of(c.places, place_of)}};
}

Json predicate_of(const Predicate& p) {
  return {{"kind", p.kind}, {"text", p.text}, {"expression", p.expression},         {"arrays", p.arrays},
          {"low", p.low},   {"high", p.high}, {"constant_time", p.is_constant_time}};
}

Json section_of(const Section& s) {
  return {{"variable", s.variable}, {"write", s.is_write}, {"low", s.low}, {"high", s.high}};
}

Json piece_of(const Piece& p) {
  return {{"statements", array_of(p.statements, place_of)},
          {"verdicts", array_of(p.verdicts, [](Verdict v) { return Json(name(v)); })},
          {"reason", p.reason},
          {"clauses", array_of(p.clauses, clause_of)}};
}

Json transformation_of(const Transformation& t) {
  return {{"kind", t.kind},
          {"detail", t.detail},
          {"loops", t.loops},
          {"variables", t.variables},
          {"pieces", array_of(t.pieces, piece_of)},
          {"sections", array_of(t.sections, section_of)},
          {"condition", array_of(t.condition, predicate_of)},
          {"clauses", array_of(t.clauses, clause_of)}};
}

Json loop_of(const LoopReport& r) {
  return {{"function", r.function},
          {"line", r.position.line},
          {"column", r.position.column},
          {"variable", r.variable},
          {"depth", r.depth},
          {"parent", r.parent < 0 ? Json(nullptr) : Json(r.parent)},
          {"verdict", name(r.verdict)},
          {"reason", r.reason},
          {"clauses", array_of(r.clauses, clause_of)},
          {"condition", r.condition},
          {"predicates", array_of(r.predicates, predicate_of)},
          {"witness", witness_of(r.witness)},
          {"matrix", array_of(r.matrix, dependence_of)},
          {"transformations", array_of(r.transformations, transformation_of)}};
}

Json claim_of(const Claim& c) {
  return {{"line", c.position.line},
          {"column", c.position.column},
          {"text", c.text},
          {"loop", c.loop < 0 ? Json(nullptr) : Json(c.loop)},
          {"status", name(c.status)},
          {"reason", c.reason},
          {"witness", witness_of(c.witness)}};
}

Json summary_of(const Summary& s) {
  return {{"function", s.function},     {"variable", s.variable},       {"read_only", s.read_only},
          {"read_write", s.read_write}, {"write_first", s.write_first}, {"exact", s.is_exact}};
}

}  // namespace

std::string to_json(const Report& report) {
  const Json page = {{"loops", array_of(report.loops, loop_of)},
                     {"claims", array_of(report.claims, claim_of)},
                     {"summaries", array_of(report.summaries, summary_of)}};
  return page.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace papilio::loops
