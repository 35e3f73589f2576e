#include "nest.h"

#include <utility>

namespace papilio::loops::oracle {

const char* const helpers =
    "static void fill(int n, int *v) { for (int q = 0; q < n; q++) v[q] = q; }\n"
    "static void shift(int n, int *v) { for (int q = 0; q < n; q++) v[q] = v[q + 1]; }\n"
    "static void maybe_fill(int n, int c, int *v) { if (c != 1) for (int q = 0; q < n; q++) v[q] = c; }\n"
    "static int pick(int c, int d) { if (c > 2) return d; return c; }\n"
    "static int sum(int n, const int *v) { int r = 0; for (int q = 0; q < n; q++) r += v[q]; return r; }\n";

namespace {

Node number_of(std::int64_t value) { return {Node::number, value, 0, {}, {}}; }
Node scalar_of(int v) { return {Node::scalar, 0, v, {}, {}}; }
Node joined(Node left, const std::string& op, Node right) {
  return {Node::binary, 0, 0, op, {std::move(left), std::move(right)}};
}

class Maker {
 public:
  Maker(Nest& nest, std::mt19937_64& random) : nest_(nest), random_(random) {}

  void run() {
    const int loops = chance(0.3) ? 2 : 1;
    for (int count = 0; count < loops; ++count) nest_.body.push_back(loop({}));
    if (chance(0.3)) nest_.body.push_back(assign({Node::element, 0, a, {}, {number_of(0)}}, "", scalar_of(s)));
    if (chance(0.2)) nest_.body.push_back(assign({Node::element, 0, a, {}, {number_of(1)}}, "", scalar_of(k)));
  }

 private:
  bool chance(double probability) { return std::uniform_real_distribution<>()(random_) < probability; }
  template <class T>
  const T& any(const std::vector<T>& list) {
    return list[random_() % list.size()];
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  Step assign(Node target, const std::string& op, Node value) {
    Step made;
    made.target = std::move(target);
    made.op = op;
    made.value = std::move(value);
    return made;
  }

  Node affine(const std::vector<int>& names) {
    if (names.empty() || chance(0.1)) return chance(0.5) ? number_of(between(0, 3)) : scalar_of(chance(0.5) ? n : p);
    Node value = scalar_of(any(names));
    if (chance(0.2)) value = joined(number_of(any<std::int64_t>({2, 3, -1})), "*", std::move(value));
    if (chance(0.2) && names.size() > 1)
      value = joined(std::move(value), chance(0.5) ? "+" : "-", scalar_of(any(names)));
    if (chance(0.5)) {
      const std::int64_t by = any<std::int64_t>({1, 1, 2, 7});
      value = joined(std::move(value), chance(0.5) ? "+" : "-", number_of(by));
    }
    if (chance(0.06)) value = joined(std::move(value), chance(0.6) ? "+" : "-", scalar_of(chance(0.5) ? n : p));
    return value;
  }

  Node element_of(int array, Node subscript) { return {Node::element, 0, array, {}, {std::move(subscript)}}; }

  Node subscript(const std::vector<int>& names) {
    if (names.empty()) return affine(names);
    if (chance(0.18)) {
      is_affine_ = false;
      const int v = any(names);
      switch (between(0, 6)) {
        case 0:
          return element_of(x, joined(scalar_of(v), "&", number_of(7)));
        case 1:
          return joined(scalar_of(v), "*", scalar_of(any(names)));
        case 2:
          return joined(joined(scalar_of(v), "+", number_of(8)), chance(0.5) ? "/" : "%", number_of(between(2, 3)));
        case 3:
          return scalar_of(chance(0.5) ? s : k);
        case 4:
          return joined(element_of(chance(0.5) ? x : o, scalar_of(v)), "+",
                        chance(0.5) ? number_of(between(0, 1)) : scalar_of(any(names)));
        default:
          return element_of(x, scalar_of(v));
      }
    }
    if (names.size() > 1 && chance(0.15)) {
      is_affine_ = false;
      return joined(joined(scalar_of(any(names)), "*", scalar_of(chance(0.5) ? n : p)), "+", scalar_of(any(names)));
    }
    return affine(names);
  }

  Node element(const std::vector<int>& names) {
    const int array = any<int>({a, a, a, b, b, m, w});
    Node made = element_of(array, subscript(names));
    if (array == m) made.parts.push_back(subscript(names));
    return made;
  }

  Node value(const std::vector<int>& names) {
    if (chance(0.25)) return scalar_of(any<int>({s, t, k}));
    if (chance(0.04)) return {Node::pick, 0, 0, {}, {element(names), affine(names)}};
    if (chance(0.04))
      return {Node::sum, 0, 0, {}, {number_of(between(1, 3)), element_of(chance(0.5) ? a : b, affine(names))}};
    return element(names);
  }

  // A condition on loops' variables, or on data.
  Node condition(const std::vector<int>& names) {
    if (!names.empty() && chance(0.6))
      return joined(scalar_of(any(names)), any<std::string>({"<", ">", "<=", "==", "!="}), affine(names));
    const Node data = value(names);
    return chance(0.1) ? data : joined(data, ">", number_of(2));
  }

  void add_statement(const std::vector<int>& names, std::vector<Step>& to) {
    const double kind = std::uniform_real_distribution<>()(random_);
    if (kind < 0.42) {
      to.push_back(assign(element(names), "", joined(value(names), "+", number_of(1))));
    } else if (kind < 0.56) {
      to.push_back(assign(element(names), chance(0.5) ? "+" : "^", value(names)));
    } else if (kind < 0.68) {
      to.push_back(assign(scalar_of(chance(0.5) ? s : t), "", value(names)));
    } else if (kind < 0.78) {
      const int v = chance(0.5) ? s : k;
      to.push_back(assign(scalar_of(v), "+", chance(0.6) ? number_of(1) : value(names)));
    } else if (kind < 0.84) {
      is_affine_ = false;
      add_special(names, to);
    } else if (kind < 0.97 || names.empty()) {
      Step made;
      made.kind = Step::branch;
      made.value = condition(names);
      add_statements(names, made.body);
      if (chance(0.3)) add_statements(names, made.otherwise);
      if (chance(0.5) && is_one_assignment(made.body) && (made.otherwise.empty() || is_one_assignment(made.otherwise)))
        made.form = static_cast<int>(made.otherwise.empty() ? between(1, 3) : 2);
      to.push_back(std::move(made));
    } else {
      is_affine_ = false;
      Step made;
      made.kind = Step::branch;
      made.value = joined(value(names), ">", number_of(5));
      made.body.emplace_back().kind = chance(0.5) || in_while_ ? Step::leave : Step::next;
      to.push_back(std::move(made));
    }
  }

  // v as a linear function of v in an iteration before, perhaps in two steps; or something else that is close to one.
  void add_recurrence(const std::vector<int>& names, std::vector<Step>& to) {
    const bool is_scalar = names.empty() || chance(0.5);
    const int array = chance(0.5) ? a : b;
    const Node target = is_scalar ? scalar_of(s) : element_of(array, scalar_of(names.back()));
    const Node back = joined(scalar_of(names.empty() ? n : names.back()), chance(0.8) ? "-" : "+", number_of(1));
    Node value_before = is_scalar ? target : element_of(array, back);
    if (chance(0.2)) return to.push_back(assign(target, "+", value_before));
    Node scaled = joined(chance(0.6) ? number_of(any<std::int64_t>({-1, 2, 3})) : value(names), "*", value_before);
    if (chance(0.3)) {
      to.push_back(assign(scalar_of(t), "", chance(0.5) ? scaled : value_before));
      if (chance(0.5)) scaled = scalar_of(t);
    }
    const bool is_added = chance(0.7);
    to.push_back(
        assign(target, "",
               joined(is_added ? scaled : value(names), chance(0.6) ? "+" : "-", is_added ? value(names) : scaled)));
  }

  // Packing, calls, recurrences, and private rows.
  void add_special(const std::vector<int>& names, std::vector<Step>& to) {
    if (!names.empty() &&
        chance(0.1)) {  // what an iteration reads, a later one writes, but the first has written itself
      const Node v = scalar_of(names.back());
      to.push_back(assign(element_of(a, v), "", joined(value(names), "+", number_of(1))));
      return to.push_back(assign(element_of(b, v), "", element_of(a, joined(number_of(2), "*", v))));
    }
    const int kind = static_cast<int>(between(0, 6));
    if (kind > 4) return add_recurrence(names, to);
    if (kind == 0) {
      Step made;
      made.kind = Step::branch;
      made.value = condition(names);
      made.body.push_back(assign(element_of(chance(0.5) ? a : b, scalar_of(k)), "", value(names)));
      made.body.push_back(assign(scalar_of(k), "+", number_of(1)));
      if (chance(0.3)) made.otherwise.push_back(assign(scalar_of(k), "+", number_of(between(1, 2))));
      to.push_back(std::move(made));
      return;
    }
    if (kind == 1) {
      to.push_back(assign(element_of(chance(0.5) ? a : b, scalar_of(s)), "", value(names)));
      Step grows = assign(scalar_of(s), "+", number_of(1));
      if (chance(0.5)) {
        Step made;
        made.kind = Step::branch;
        made.value = condition(names);
        made.body.push_back(std::move(grows));
        grows = std::move(made);
      }
      to.push_back(std::move(grows));
      return;
    }
    Step made;
    made.kind = any<Step::Kind>({Step::fill, Step::shift, Step::maybe_fill});
    made.value = chance(0.5) ? number_of(between(1, 4)) : scalar_of(p);
    Node offset = chance(0.5)     ? affine(names)
                  : names.empty() ? number_of(0)
                                  : joined(scalar_of(any(names)), "*", made.value);
    made.target = element_of(any<int>({a, b, w}), std::move(offset));
    to.push_back(std::move(made));
  }

  void add_statements(const std::vector<int>& names, std::vector<Step>& to) {
    const int count = chance(0.33) ? 2 : 1;
    for (int c = 0; c < count; ++c) add_statement(names, to);
  }

  static bool is_one_assignment(const std::vector<Step>& list) {
    return list.size() == 1 && list[0].kind == Step::assign;
  }

  Step loop(const std::vector<int>& names) {
    Step made;
    made.kind = Step::loop;
    made.variable = i + static_cast<int>(names.size());
    made.number = static_cast<int>(nest_.loops.size());
    nest_.loops.emplace_back();
    made.form = static_cast<int>(between(0, 16));
    made.target = number_of(any<std::int64_t>({0, 0, 1, 2}));
    made.value = names.empty() || chance(0.6) ? scalar_of(chance(0.6) ? n : p) : scalar_of(any(names));
    if (chance(0.3)) made.value = joined(std::move(made.value), "+", number_of(any<std::int64_t>({1, -1})));
    const bool outer_affine = std::exchange(is_affine_, true);
    const bool outer_while = std::exchange(in_while_, made.form == 4 || made.form == 12 || made.form == 13);
    if (made.form == 0 || made.form == 15) made.by = -1;
    if (made.form == 1 || made.form == 16) made.by = 2;
    if (made.form == 2) made.target = number_of(0), made.value = scalar_of(n);
    if (made.form == 5 && !names.empty()) {  // a row of offsets
      made.target = element_of(o, scalar_of(names.back()));
      made.value = element_of(o, joined(scalar_of(names.back()), "+", number_of(1)));
      is_affine_ = false;
    }
    std::vector<int> inner = names;
    inner.push_back(made.variable);
    const int count = any<int>({1, 1, 2, 3});
    for (int c = 0; c < count; ++c) {
      if (inner.size() < 3 && chance(inner.size() == 1 ? 0.45 : 0.15)) {
        made.body.push_back(loop(inner));
      } else {
        add_statement(inner, made.body);
      }
    }
    nest_.loops[static_cast<std::size_t>(made.number)].is_affine = is_affine_;
    is_affine_ = is_affine_ && outer_affine;
    in_while_ = outer_while;
    return made;
  }

  Nest& nest_;
  std::mt19937_64& random_;
  bool is_affine_ = true;
  bool in_while_ = false;
};

}  // namespace

Nest make_nest(const std::string& name, int line, std::mt19937_64& random) {
  Nest nest;
  nest.name = name;
  Maker(nest, random).run();
  print(nest, line);
  return nest;
}

}  // namespace papilio::loops::oracle
