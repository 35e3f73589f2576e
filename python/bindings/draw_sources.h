#pragma once

#include <type_traits>

#include "arrays.h"
#include "papilio/sampling.h"

namespace papilio::python {

// Arrays of one of the four sources of weights.
struct DrawSource {
  enum class Kind : std::uint8_t { matrix, logits, ragged, products };

  Kind kind = Kind::matrix;
  Array weights = {}, rows = {};
  Array offsets = {};                 // of ragged weights
  Array right = {}, right_rows = {};  // of products, whose left side is `weights`
  double temperature = 1;             // of logits
};

// Of `sample_categorical`, whose weights may be narrow.
constexpr const char* weight_types = "float8_e4m3fn, float8_e5m2, float16, bfloat16, float32 or float64";

// Calls f<T>() with the type that weights of this dtype are read as. TypeError for others.
template <class F>
void with_weight_type(const Array& weights, bool narrow, const F& f) {
  switch (weights.number) {
    case Number::float32:
      return f.template operator()<float>();
    case Number::float64:
      return f.template operator()<double>();
    case Number::float16:
      if (narrow) return f.template operator()<Half>();
      break;
    case Number::bfloat16:
      if (narrow) return f.template operator()<BFloat16>();
      break;
    case Number::float8_e4m3fn:
      if (narrow) return f.template operator()<Float8E4M3FN>();
      break;
    case Number::float8_e5m2:
      if (narrow) return f.template operator()<Float8E5M2>();
      break;
    default:
      break;
  }
  weights.expect({}, "weights", narrow ? weight_types : "float32 or float64");
}

// Calls f with the library's view of the source.
template <class F>
void with_weights(const DrawSource& s, const F& f) {
  using Rows = VectorView<const std::int32_t>;
  switch (s.kind) {
    case DrawSource::Kind::matrix: {
      const Rows rows = s.rows.vector<const std::int32_t>("indices");
      return with_weight_type(s.weights, true, [&]<class T>() { f(MatrixWeights<T>{s.weights.matrix<T>(), rows}); });
    }
    case DrawSource::Kind::logits: {
      const Rows rows = s.rows.vector<const std::int32_t>("indices");
      return with_weight_type(s.weights, true, [&]<class T>() {
        f(LogitWeights<T>{s.weights.matrix<T>(), rows, s.temperature});
      });
    }
    case DrawSource::Kind::ragged: {
      const Rows rows = s.rows.vector<const std::int32_t>("indices");
      const auto offsets = s.offsets.vector<const std::int64_t>("indptr");
      return with_weight_type(s.weights, true, [&]<class T>() {
        f(RaggedWeights<T>{s.weights.vector<const T>("weights"), offsets, rows});
      });
    }
    case DrawSource::Kind::products: {
      const Rows rows = s.rows.vector<const std::int32_t>("left_rows");
      const Rows right_rows = s.right_rows.vector<const std::int32_t>("right_rows");
      return with_weight_type(s.weights, false, [&]<class T>() {
        if constexpr (std::is_floating_point_v<T>)
          f(ProductWeights<T>{s.weights.matrix<T>(), rows, s.right.matrix<T>(), right_rows});
      });
    }
  }
}

}  // namespace papilio::python
