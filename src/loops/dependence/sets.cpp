#include "loops/dependence/sets.h"

#include <isl/constraint.h>
#include <isl/mat.h>
#include <isl/space.h>
#include <isl/val.h>

#include <cstdint>
#include <numeric>
#include <set>

namespace papilio::loops {
namespace {

// Whether a row alone has no solution; `is_true` becomes whether it always holds.
bool is_impossible(const Row& row, std::vector<std::int64_t>& dense, bool& is_true) {
  std::int64_t divisor = 0;
  for (const auto& [column, c] : row.terms) dense[static_cast<std::size_t>(column)] += c;
  for (const auto& [column, c] : row.terms) {
    divisor = std::gcd(divisor, dense[static_cast<std::size_t>(column)]);
  }
  for (const auto& [column, c] : row.terms) dense[static_cast<std::size_t>(column)] = 0;
  is_true = divisor == 0 && (row.is_equality ? row.constant == 0 : row.constant >= 0);
  if (divisor == 0) return !is_true;
  return row.is_equality && row.constant % divisor != 0;
}

isl_mat* matrix_of(isl_ctx* context, const std::vector<const Row*>& rows, int columns) {
  isl_mat* m = isl_mat_alloc(context, static_cast<unsigned>(rows.size()), static_cast<unsigned>(columns) + 1);
  std::vector<std::int64_t> dense(static_cast<std::size_t>(columns) + 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    dense.assign(dense.size(), 0);
    for (const auto& [column, c] : rows[r]->terms) dense[static_cast<std::size_t>(column)] += c;
    dense.back() = rows[r]->constant;
    for (std::size_t c = 0; c < dense.size(); ++c) {
      const auto small = static_cast<int>(dense[c]);
      if (small == dense[c]) {
        m = isl_mat_set_element_si(m, static_cast<int>(r), static_cast<int>(c), small);
        continue;
      }
      isl_val* v = isl_val_int_from_si(context, static_cast<long>(dense[c]));
      m = isl_mat_set_element_val(m, static_cast<int>(r), static_cast<int>(c), v);
    }
  }
  return m;
}

}  // namespace

namespace {

void append_key(const System& system, std::string& key) {
  constexpr std::size_t usual_row = 12;
  key.reserve(key.size() + usual_row * system.rows.size());
  const auto add = [&](std::int64_t value) {
    do {
      key.push_back(static_cast<char>(value & 0x7f));
      value >>= 7;
    } while (value != 0 && value != -1);
    key.push_back(value == 0 ? '\x80' : '\x81');
  };
  add(system.columns);
  for (const Row& row : system.rows) {
    for (const auto& [column, c] : row.terms) {
      add(column);
      add(c);
    }
    key.push_back(row.is_equality ? '\x82' : '\x83');
    add(row.constant);
  }
  key.push_back('\x84');
}

}  // namespace

std::string key_of(const System& system) {
  std::string key;
  append_key(system, key);
  return key;
}

std::string key_of(const std::vector<System>& systems) {
  std::string key;
  for (const System& system : systems) append_key(system, key);
  key.push_back('\x85');
  return key;
}

isl_basic_set* basic_set_of(isl_ctx* context, const System& system) {
  std::vector<const Row*> equalities, inequalities;
  std::vector<std::int64_t> dense(static_cast<std::size_t>(system.columns));
  for (const Row& row : system.rows) {
    bool is_true = false;
    if (is_impossible(row, dense, is_true)) return nullptr;
    if (!is_true) (row.is_equality ? equalities : inequalities).push_back(&row);
  }
  isl_space* space = isl_space_set_alloc(context, 0, static_cast<unsigned>(system.columns));
  return isl_basic_set_from_constraint_matrices(space, matrix_of(context, equalities, system.columns),
                                                matrix_of(context, inequalities, system.columns), isl_dim_set,
                                                isl_dim_cst, isl_dim_param, isl_dim_div);
}

isl_set* union_of(isl_ctx* context, const std::vector<System>& systems, int kept) {
  isl_set* all = isl_set_empty(isl_space_set_alloc(context, 0, static_cast<unsigned>(kept)));
  std::set<std::string> keys;  // many accesses occur twice
  for (const System& system : systems) {
    if (systems.size() > 1 && !keys.insert(key_of(system)).second) continue;
    isl_basic_set* part = basic_set_of(context, system);
    if (part == nullptr) continue;
    isl_set* seen = isl_set_from_basic_set(part);
    seen = isl_set_project_out(seen, isl_dim_set, static_cast<unsigned>(kept),
                               static_cast<unsigned>(system.columns - kept));
    all = isl_set_union(all, isl_set_reset_tuple_id(seen));
  }
  return all;
}

}  // namespace papilio::loops
