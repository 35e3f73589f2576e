#include "loops/verdict/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "loops/dependence/parameters.h"

namespace papilio::loops {
namespace {

// An element of an index array in a query: its column, and which element it is.
struct Element {
  int symbol = -1, side = 0, column = -1;
};

class Inspector {
 public:
  Inspector(const Program& program, const Accesses& accesses, int root, Solver& solver)
      : program_(program), accesses_(accesses), root_(root), solver_(solver) {}

  // Finds a hypothesis under which the query has no points; false if there is none.
  bool exclude(const Query& query) {
    std::set<int> arrays;
    const auto all = elements(query);
    for (const Element& e : all) arrays.insert(symbol(e.symbol).array);
    for (const int array : arrays) {
      if (is_impossible(with_order(query, array))) return note(array, "increasing", query) != nullptr;
    }
    Query ordered = query;
    for (const int array : arrays) ordered = with_order(ordered, array);
    if (arrays.size() > 1 && is_impossible(ordered)) {
      return std::all_of(arrays.begin(), arrays.end(), [&](int a) { return note(a, "increasing", query) != nullptr; });
    }
    for (const Element& a : all) {
      for (const Element& b : all) {
        if (a.side == 0 && b.side == 1 && symbol(a.symbol).array == symbol(b.symbol).array && separate(query, a, b))
          return true;
      }
    }
    return false;
  }

  std::vector<Predicate> predicates() {
    std::vector<Predicate> found;
    for (Found& f : found_) {
      Predicate p;
      p.kind = f.kind;
      p.is_constant_time = false;
      p.arrays = {name(f.array)};
      if (f.kind == "separated") p.expression = farthest(f);
      std::tie(p.low, p.high) = range_of(accesses_, root_, f.elements, solver_);
      if (p.low.empty() || p.high.empty() || (f.kind == "separated" && p.expression.empty())) return {};
      const std::string what = fmt::format("{0}[{1}] to {0}[{2}]", name(f.array), p.low, p.high);
      p.text = f.kind == "increasing" ? what + " do not decrease"
               : p.expression == "1"  ? what + " are distinct"
                                      : fmt::format("{} are at least {} apart", what, p.expression);
      found.push_back(std::move(p));
    }
    return found;
  }

 private:
  struct Found {
    std::string kind;
    int array = -1;
    std::vector<Occurrence> elements;
    std::vector<Query> meetings;  // elements that must differ by more than `distances`, which are columns of these
    std::vector<int> distances;
  };

  const Symbol& symbol(int s) const { return accesses_.symbols[static_cast<std::size_t>(s)]; }
  const std::string& name(int v) const { return program_.variables[static_cast<std::size_t>(v)].name; }

  std::vector<Element> elements(const Query& query) const {
    std::vector<Element> found;
    for (const auto& [key, column] : query.columns()) {
      if (key.first.size() == 1 && symbol(key.first[0]).array >= 0) found.push_back({key.first[0], key.second, column});
    }
    return found;
  }

  bool is_impossible(const Query& query) const { return solver_.has_points(query.system()) == Answer::no; }

  // b's subscript minus a's, as a row of the query.
  std::optional<Row> apart(Query& query, const Element& a, const Element& b) const {
    auto row = query.row(symbol(b.symbol).subscript, b.side, false);
    const auto less = query.row(symbol(a.symbol).subscript, a.side, false);
    if (!row || !less) return std::nullopt;
    for (const auto& [c, coefficient] : less->terms) row->terms.emplace_back(c, -coefficient);
    row->constant -= less->constant;
    return row;
  }

  // The query under the hypothesis that the elements of the array do not decrease.
  Query with_order(const Query& query, int array) const {
    Query ordered = query;
    for (const Element& a : elements(query)) {
      for (const Element& b : elements(query)) {
        if ((a.symbol == b.symbol && a.side == b.side) || symbol(a.symbol).array != array ||
            symbol(b.symbol).array != array)
          continue;
        Query reversed = query;  // a's subscript is the greater one
        auto row = apart(reversed, a, b);
        if (!row) continue;
        for (auto& [c, coefficient] : row->terms) coefficient = -coefficient;
        row->constant = -row->constant - 1;
        reversed.add(std::move(*row));
        if (is_impossible(reversed)) ordered.add({{{b.column, 1}, {a.column, -1}}, 0, false});
      }
    }
    return ordered;
  }

  // Whether a and b are different elements, and cannot lead to the same place if their values are far enough apart.
  bool separate(const Query& query, const Element& a, const Element& b) {
    Query same = query;
    auto row = apart(same, a, b);
    if (!row) return false;
    row->is_equality = true;
    same.add(std::move(*row));
    if (!is_impossible(same)) return false;
    Query before = query, after = query;
    before.add({{{b.column, 1}, {a.column, -1}}, -1, false});
    after.add({{{a.column, 1}, {b.column, -1}}, -1, false});
    Found* found = note(symbol(a.symbol).array, "separated", query);
    if (found == nullptr) return false;
    if (is_impossible(before) && is_impossible(after)) return true;
    for (const std::int64_t sign : {1, -1}) {
      Query& q = found->meetings.emplace_back(query);
      found->distances.push_back(q.system().columns++);
      q.add({{{a.column, sign}, {b.column, -sign}, {found->distances.back(), -1}}, 1, true});
    }
    return true;
  }

  // One more than the values of elements that lead to the same place can differ by; empty if it is not known.
  std::string farthest(Found& found) const {
    if (found.meetings.empty()) return "1";
    const auto symbols = used_names(accesses_, root_, found.meetings);
    if (symbols.size() > 8) return "";
    std::vector<System> systems;
    for (std::size_t i = 0; i < found.meetings.size(); ++i)
      systems.push_back(with_first(found.meetings[i], symbols, {found.distances[i]}));
    const auto most = solver_.largest(systems, static_cast<int>(symbols.size()), names_of(accesses_, symbols));
    return most.find('?') == std::string::npos ? most : "(" + most + ")";
  }

  // Notes that the elements of the array in the query must be like that; null if the program might not read them.
  Found* note(int array, const std::string& kind, const Query& query) {
    Found* found = nullptr;
    for (Found& f : found_) {
      if (f.kind == kind && f.array == array) found = &f;
    }
    if (found == nullptr) found = &found_.emplace_back(Found{kind, array, {}, {}, {}});
    for (const Element& e : elements(query)) {
      if (symbol(e.symbol).array != array) continue;
      const auto reads = when_read(e.symbol);
      if (reads.empty()) return nullptr;
      const Polynomial& subscript = symbol(e.symbol).subscript;
      for (const Domain* when : reads) {
        const bool is_new = std::none_of(found->elements.begin(), found->elements.end(),
                                         [&](const Occurrence& o) { return o.domain == when && o.value == subscript; });
        if (is_new) found->elements.push_back({subscript, when});
      }
    }
    return found;
  }

  // When the program itself reads the element, for each read; nothing if that is not known exactly.
  std::vector<const Domain*> when_read(int s) const {
    std::vector<const Domain*> found;
    for (const Access& a : accesses_.list) {
      const bool is_inside = std::find(a.loops.begin(), a.loops.end(), root_) != a.loops.end();
      if (!is_inside || a.is_write || a.variable != symbol(s).array || a.subscripts.size() != 1 ||
          a.subscripts[0] != symbol(s).subscript)
        continue;
      if (!a.domain->is_exact) return {};
      found.push_back(a.domain.get());
    }
    return found;
  }

  const Program& program_;
  const Accesses& accesses_;
  int root_;
  Solver& solver_;
  std::vector<Found> found_;
};

}  // namespace

std::optional<std::vector<Predicate>> find_inspections(const Program& program, const Accesses& accesses,
                                                       const Carrier& carrier, const std::vector<Carried>& dependences,
                                                       Solver& solver) {
  Inspector inspector(program, accesses, carrier.view().root, solver);
  for (const Carried& pair : dependences) {
    for (const Query& query : carrier.queries(pair.first, pair.second, 1)) {
      if (solver.has_points(query.system()) == Answer::no) continue;
      if (!inspector.exclude(query)) return std::nullopt;
    }
  }
  auto found = inspector.predicates();
  if (found.empty()) return std::nullopt;
  return found;
}

}  // namespace papilio::loops
