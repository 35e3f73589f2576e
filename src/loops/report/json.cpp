#include <nlohmann/json.hpp>

#include "papilio/loops.h"

namespace papilio::loops {
namespace {

using Json = nlohmann::ordered_json;

Json place_of(const Position& p) { return {{"line", p.line}, {"column", p.column}}; }

Json witness_of(const Witness& w) {
  return {{"variable", w.variable},
          {"kind", w.kind},
          {"source", {{"line", w.source.line}, {"column", w.source.column}, {"iteration", w.source_iteration}}},
          {"sink", {{"line", w.sink.line}, {"column", w.sink.column}, {"iteration", w.sink_iteration}}},
          {"values", w.values}};
}

Json dependence_of(const Dependence& d) {
  Json distances = Json::array();
  for (const auto& distance : d.distances) distances.push_back(distance ? Json(*distance) : Json(nullptr));
  return {{"variable", d.variable},       {"kind", d.kind},
          {"source", place_of(d.source)}, {"sink", place_of(d.sink)},
          {"directions", d.directions},   {"distances", distances},
          {"exact", d.is_exact}};
}

}  // namespace

std::string to_json(const Report& report) {
  Json loops = Json::array();
  for (const LoopReport& r : report.loops) {
    Json loop = {{"function", r.function},
                 {"line", r.position.line},
                 {"column", r.position.column},
                 {"variable", r.variable},
                 {"depth", r.depth},
                 {"parent", r.parent < 0 ? Json(nullptr) : Json(r.parent)},
                 {"verdict", name(r.verdict)},
                 {"reason", r.reason}};
    loop["clauses"] = Json::array();
    for (const Clause& c : r.clauses) {
      loop["clauses"].push_back({{"kind", c.kind}, {"variable", c.variable}, {"detail", c.detail}});
    }
    loop["condition"] = r.condition;
    loop["witness"] = r.witness ? witness_of(*r.witness) : Json(nullptr);
    loop["matrix"] = Json::array();
    for (const Dependence& d : r.matrix) loop["matrix"].push_back(dependence_of(d));
    loop["transformations"] = Json::array();
    for (const Transformation& t : r.transformations) {
      loop["transformations"].push_back({{"kind", t.kind}, {"detail", t.detail}});
    }
    loops.push_back(std::move(loop));
  }
  return Json{{"loops", loops}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace papilio::loops
