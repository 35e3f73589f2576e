#include "papilio/tokens.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "lock.h"

// Draws of tokens and drafts that are verified: what papilio/_tokens.py calls. Options come by name, in dictionaries.

namespace nb = nanobind;

namespace papilio::python {
namespace {

static_assert(sizeof(TokenShardState) % 8 == 0 && sizeof(TokenShardRecord) % 8 == 0);

constexpr const char* logits_types = "float16, bfloat16 or float32";

// The entries of a dictionary; arrays stay alive as long as this does.
class Named {
 public:
  explicit Named(const nb::dict& entries) : entries_(entries) {}

  nb::object get(const char* name) const {
    return entries_.contains(name) ? nb::object(entries_[name]) : nb::object(nb::none());
  }

  // An array without gaps; empty if there is none of that name.
  template <class T>
  VectorView<T> vector(const char* name, Number number, const char* expected, bool writable = false) {
    const Array& array = keep(name, writable);
    if (array) array.expect({number}, name, expected);
    return array.vector<T>(name);
  }
  VectorView<const std::int64_t> long_vector(const char* name) {
    const Array& array = keep(name, false);
    if (array) array.expect({Number::int64, Number::uint64}, name, "int64");
    return array.vector<const std::int64_t>(name);
  }

  template <class T>
  MatrixView<T> matrix(const char* name, Number number, const char* expected, bool writable = false) {
    const Array& array = keep(name, writable);
    if (!array) return {};
    array.expect({number}, name, expected);
    const auto view = array.matrix<std::remove_const_t<T>>();
    return {const_cast<std::remove_const_t<T>*>(view.data),
            view.rows,
            view.columns,
            view.row_stride,
            view.column_stride,
            view.device};
  }

  // A number, or an array of one per row.
  template <class T>
  PerRow<T> per_row(const char* name, Number number, const char* expected, T otherwise) {
    const nb::object given = get(name);
    if (given.is_none()) return otherwise;
    if (nb::isinstance<nb::float_>(given) || nb::isinstance<nb::int_>(given)) return nb::cast<T>(given);
    return vector<const T>(name, number, expected);
  }

  template <class T>
  T number(const char* name, T otherwise) const {
    const nb::object given = get(name);
    return given.is_none() ? otherwise : nb::cast<T>(given);
  }

 private:
  const Array& keep(const char* name, bool writable) {
    kept_.emplace_back(get(name), name, writable);
    return kept_.back();
  }

  nb::dict entries_;
  std::vector<Array> kept_;
};

TokenFilters filters_of(Named& given, std::int64_t rows) {
  TokenFilters filters;
  filters.temperature = given.per_row<float>("temperature", Number::float32, "float32", 1.0f);
  filters.top_k = given.per_row<std::int32_t>("top_k", Number::int32, "int32", 0);
  filters.top_p = given.per_row<float>("top_p", Number::float32, "float32", 1.0f);
  filters.min_p = given.per_row<float>("min_p", Number::float32, "float32", 0.0f);
  filters.joint = given.number<bool>("joint", false);
  // Bits of 32 are bits of 32, whatever the sign of their number.
  const auto words = given.matrix<const std::int32_t>("allowed", Number::int32, "int32");
  filters.allowed = {reinterpret_cast<const std::uint32_t*>(words.data),
                     words.rows == 1 ? rows : words.rows,
                     words.columns,
                     words.rows == 1 ? 0 : words.row_stride,
                     words.column_stride,
                     words.device};
  if (words.columns == 0) filters.allowed = {};
  filters.bias_offsets = given.long_vector("bias_offsets");
  filters.bias_categories = given.vector<const std::int32_t>("bias_categories", Number::int32, "int32");
  filters.bias_values = given.vector<const float>("bias_values", Number::float32, "float32");
  return filters;
}

TokenOptions options_of(Named& given) {
  TokenOptions options;
  options.seed = given.number<std::uint64_t>("seed", 0);
  options.stream = given.number<std::uint64_t>("stream", 0);
  options.first_position = given.number<std::uint64_t>("first_position", 0);
  options.positions = given.long_vector("positions");
  options.seeds = given.long_vector("seeds");
  options.threads = given.number<int>("threads", 0);
  options.cuda_stream = reinterpret_cast<void*>(given.number<std::uintptr_t>("cuda_stream", 0));
  options.workspace = given.vector<std::byte>("workspace", Number::uint8, "uint8", true);
  return options;
}

TokenResults results_of(Named& given) {
  TokenResults results;
  const auto floats = [&](const char* name) { return given.vector<float>(name, Number::float32, "float32", true); };
  const auto integers = [&](const char* name) {
    return given.vector<std::int32_t>(name, Number::int32, "int32", true);
  };
  results.tokens = integers("tokens");
  results.log_probabilities = floats("log_probabilities");
  results.raw_log_probabilities = floats("raw_log_probabilities");
  results.ranks = integers("ranks");
  results.kept_counts = integers("kept_counts");
  results.kept_masses = floats("kept_masses");
  results.status = given.vector<TokenStatus>("status", Number::uint8, "uint8", true);
  results.kept_categories = given.matrix<std::int32_t>("kept_categories", Number::int32, "int32", true);
  results.kept_log_probabilities = given.matrix<float>("kept_log_probabilities", Number::float32, "float32", true);
  return results;
}

template <class F>
void with_logits(const Array& logits, const F& f) {
  switch (logits.number) {
    case Number::float32:
      return f(logits.matrix<float>());
    case Number::float16:
      return f(logits.matrix<Half>());
    case Number::bfloat16:
      return f(logits.matrix<BFloat16>());
    default:
      break;
  }
  logits.expect({}, "logits", logits_types);
}

void draw(nb::handle logits, const nb::dict& results, const nb::dict& filters, const nb::dict& options) {
  const Array array(logits, "logits");
  Named written(results), filtered(filters), opted(options);
  with_logits(array, [&](const auto& matrix) {
    const TokenResults into = results_of(written);
    const TokenFilters by = filters_of(filtered, matrix.rows);
    const TokenOptions with = options_of(opted);
    const Unlocked unlocked;
    sample_tokens(matrix, into, by, with);
  });
}

void verify(nb::handle logits, const nb::dict& draft, const nb::dict& results, const nb::dict& filters,
            const nb::dict& options) {
  const Array array(logits, "logits");
  Named proposed(draft), written(results), filtered(filters), opted(options);
  Draft held;
  held.tokens = proposed.vector<const std::int32_t>("tokens", Number::int32, "int32");
  held.offsets = proposed.long_vector("offsets");
  held.probabilities = proposed.matrix<const float>("probabilities", Number::float32, "float32");
  held.kept_categories = proposed.matrix<const std::int32_t>("kept_categories", Number::int32, "int32");
  held.kept_log_probabilities = proposed.matrix<const float>("kept_log_probabilities", Number::float32, "float32");
  held.rule = parse_draft_rule(proposed.number<std::string>("rule", "token"));
  const DraftResults into = {written.vector<std::int32_t>("accepted", Number::int32, "int32", true),
                             written.vector<std::int32_t>("next_tokens", Number::int32, "int32", true),
                             written.vector<TokenStatus>("status", Number::uint8, "uint8", true)};
  with_logits(array, [&](const auto& matrix) {
    const TokenFilters by = filters_of(filtered, matrix.rows);
    const TokenOptions with = options_of(opted);
    const Unlocked unlocked;
    verify_draft(matrix, held, into, by, with);
  });
}

// States and records of shards, as 64-bit words of arrays that Python has made.
template <class T>
VectorView<T> words_as(const Array& array, const char* what) {
  const auto words = array.vector<std::int64_t>(what);
  return {reinterpret_cast<T*>(words.data),
          words.size * static_cast<std::int64_t>(sizeof(std::int64_t)) / static_cast<std::int64_t>(sizeof(T)),
          words.device};
}

Array words_of(nb::handle source, const char* what, bool writable) {
  return Array(source, what, writable).expect({Number::int64}, what, "int64");
}

void summarize(nb::handle logits, std::int64_t first, std::int64_t categories, nb::handle states, nb::handle records,
               const nb::dict& filters, const nb::dict& options) {
  const Array array(logits, "logits"), known = words_of(states, "states", false),
                                       told = words_of(records, "records", true);
  Named filtered(filters), opted(options);
  with_logits(array, [&](const auto& matrix) {
    const TokenFilters by = filters_of(filtered, matrix.rows);
    const TokenOptions with = options_of(opted);
    const Unlocked unlocked;
    summarize_shard(matrix, {first, categories}, words_as<const TokenShardState>(known, "states"),
                    words_as<TokenShardRecord>(told, "records"), by, with);
  });
}

std::int64_t combine(nb::handle records, std::int64_t shards, std::int64_t categories, nb::handle states,
                     const nb::dict& filters, const nb::dict& options) {
  const Array all = words_of(records, "records", false), known = words_of(states, "states", true);
  Named filtered(filters), opted(options);
  const auto told = words_as<const TokenShardRecord>(all, "records");
  const auto rows = words_as<TokenShardState>(known, "states");
  if (shards < 1 || told.size != shards * rows.size)
    throw InvalidArgument("papilio: all_gather must give the records of every shard, shards x rows");
  const TokenFilters by = filters_of(filtered, rows.size);
  const TokenOptions with = options_of(opted);
  const MatrixView<const TokenShardRecord> records_of_all = {told.data, shards, rows.size, rows.size, 1, told.device};
  const Unlocked unlocked;
  return combine_shards(records_of_all, {0, categories}, rows, by, with);
}

void finish(nb::handle logits, std::int64_t first, std::int64_t categories, std::int64_t number, nb::handle states,
            const nb::dict& results, const nb::dict& filters, const nb::dict& options) {
  const Array array(logits, "logits"), known = words_of(states, "states", false);
  Named written(results), filtered(filters), opted(options);
  with_logits(array, [&](const auto& matrix) {
    const TokenResults into = results_of(written);
    const TokenFilters by = filters_of(filtered, matrix.rows);
    const TokenOptions with = options_of(opted);
    const Unlocked unlocked;
    finish_shard(matrix, {first, categories}, number, words_as<const TokenShardState>(known, "states"), into, by, with);
  });
}

std::int64_t workspace_bytes(nb::handle logits) {
  const Array array(logits, "logits");
  return token_workspace_bytes(array.dimensions == 1 ? 1 : array.shape[0], array.shape[array.dimensions - 1],
                               array.device());
}

std::int64_t workspace_bytes_of_draft(nb::handle logits) {
  const Array array(logits, "logits");
  return draft_workspace_bytes(array.shape[0], array.shape[array.dimensions - 1], array.device());
}

}  // namespace

void bind_tokens(nb::module_& m) {
  m.def("sample_tokens", &draw, nb::arg("logits"), nb::arg("results"), nb::arg("filters"), nb::arg("options"));
  m.def("verify_draft", &verify, nb::arg("logits"), nb::arg("draft"), nb::arg("results"), nb::arg("filters"),
        nb::arg("options"));
  m.def("summarize_shard", &summarize, nb::arg("logits"), nb::arg("first"), nb::arg("categories"), nb::arg("states"),
        nb::arg("records"), nb::arg("filters"), nb::arg("options"));
  m.def("combine_shards", &combine, nb::arg("records"), nb::arg("shards"), nb::arg("categories"), nb::arg("states"),
        nb::arg("filters"), nb::arg("options"));
  m.def("finish_shard", &finish, nb::arg("logits"), nb::arg("first"), nb::arg("categories"), nb::arg("number"),
        nb::arg("states"), nb::arg("results"), nb::arg("filters"), nb::arg("options"));
  m.def("token_shard_words", [] { return std::pair(sizeof(TokenShardState) / 8, sizeof(TokenShardRecord) / 8); });
  m.def("token_workspace_bytes", &workspace_bytes, nb::arg("logits"));
  m.def("draft_workspace_bytes", &workspace_bytes_of_draft, nb::arg("logits"));
}

}  // namespace papilio::python
