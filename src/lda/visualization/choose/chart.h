#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/choose.h"

namespace papilio::lda {

// The models of one number of topics on a chart.
struct ChartColumn {
  std::int32_t topics;
  Spread value;              // NaN: no value
  std::vector<double> runs;  // each model's, if there are several
  bool is_best = false;
};

// A chart of a measure over the number of topics, as SVG: a line through the means, and a point for each model.
std::string chart_svg(const std::string& label, const std::vector<ChartColumn>& columns, int decimals);

// 1234567.891 as "1,234,567.9"; "-" for NaN.
std::string shown_number(double value, int decimals);

}  // namespace papilio::lda
