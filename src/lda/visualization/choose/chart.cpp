#include "lda/visualization/choose/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/grouped.h"
#include "lda/visualization/choose/html_text.h"

namespace papilio::lda {
namespace {

constexpr double width = 440, height = 230, left = 58, right = 18, top = 26, bottom = 36;

// The vertical axis and its values.
struct Axis {
  double low, high, step;
  int decimals;

  double y(double value) const { return top + (high - value) / (high - low) * (height - top - bottom); }
};

// An axis with about four steps, each 1, 2 or 5 times a power of ten.
Axis axis_of(const std::vector<ChartColumn>& columns) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const ChartColumn& column : columns) {
    if (std::isnan(column.value.mean)) continue;
    low = std::min(low, column.value.least);
    high = std::max(high, column.value.most);
  }
  if (!(low <= high)) low = high = 0;
  const double room = std::max({high - low, std::abs(high) * 1e-3, 1e-6});
  const double rough = room / 3.5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    if (digit * power >= rough) step = digit * power;
  }
  low = std::floor((low - room * 0.05) / step) * step;
  high = std::ceil((high + room * 0.05) / step) * step;
  return {low, high, step, std::max(0, -static_cast<int>(std::floor(std::log10(step * 1.0001))))};
}

// The columns' horizontal places, by the logarithm of the number of topics.
std::vector<double> places(const std::vector<ChartColumn>& columns) {
  const double inset = 26, from = left + inset, room = width - right - inset - from;
  const double first = std::log(columns.front().topics), last = std::log(columns.back().topics);
  std::vector<double> x;
  for (const ChartColumn& column : columns) {
    x.push_back(columns.size() == 1 ? from + room / 2
                                    : from + room * (std::log(column.topics) - first) / (last - first));
  }
  return x;
}

void draw_grid(std::string& svg, const Axis& axis) {
  const int steps = static_cast<int>(std::lround((axis.high - axis.low) / axis.step));
  for (int i = 0; i <= steps; ++i) {
    const double value = axis.low + i * axis.step;
    const double y = axis.y(value);
    svg += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", left,
                       width - right, y, y);
    svg += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8,
                       y + 3.8, shown_number(std::abs(value) < axis.step / 2 ? 0 : value, axis.decimals));
  }
}

// Writes the numbers of topics below their columns. Of numbers that would touch, only the first; always the very last.
void draw_numbers(std::string& svg, const std::vector<ChartColumn>& columns, const std::vector<double>& x) {
  const auto half = [&](std::size_t i) {
    return 4.0 * static_cast<double>(fmt::format("{}", columns[i].topics).size());
  };
  const std::size_t last = columns.size() - 1;
  double taken = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i <= last; ++i) {
    const bool meets_last = i != last && x[i] + half(i) + 4 > x[last] - half(last);
    if (x[i] - half(i) < taken || meets_last) continue;
    taken = x[i] + half(i) + 4;
    svg +=
        fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" data-k=\"{}\">{}</text>\n",
                    x[i], height - 16, columns[i].topics, columns[i].topics);
  }
  svg += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">topics</text>\n",
                     width - right, height - 3);
}

void draw_line(std::string& svg, const std::vector<ChartColumn>& columns, const std::vector<double>& x,
               const Axis& axis) {
  std::string points;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!std::isnan(columns[i].value.mean))
      points += fmt::format("{:.1f},{:.1f} ", x[i], axis.y(columns[i].value.mean));
  }
  if (!points.empty()) points.pop_back();
  svg += fmt::format("<polyline class=\"means\" points=\"{}\"/>\n", points);
}

// The area in which a column is selected: from halfway to the column before, to halfway to the next.
void draw_area(std::string& svg, const std::vector<double>& x, std::size_t i) {
  const double from = i == 0 ? left : (x[i - 1] + x[i]) / 2;
  const double to = i + 1 == x.size() ? width - right : (x[i] + x[i + 1]) / 2;
  svg += fmt::format("<rect class=\"area\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{}\"/>", from, to - from,
                     height);
  svg += fmt::format("<line class=\"guide\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", x[i], top,
                     height - bottom);
}

void draw_column(std::string& svg, const ChartColumn& column, double x, const Axis& axis, int decimals) {
  const Spread& value = column.value;
  if (std::isnan(value.mean)) return;
  if (column.runs.size() > 1) {
    svg += fmt::format("<line class=\"range\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", x,
                       axis.y(value.least), axis.y(value.most));
    for (const double run : column.runs) {
      if (!std::isnan(run))
        svg += fmt::format("<circle class=\"run\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>", x, axis.y(run));
    }
  }
  const double y = axis.y(value.mean);
  svg += fmt::format("<circle class=\"mean\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>", x, y);
  const double above = axis.y(value.most) - 9;
  const char* const anchor = x < left + 40 ? "start" : x > width - right - 40 ? "end" : "middle";
  const double side = x < left + 40 ? x - 8 : x > width - right - 40 ? x + 8 : x;
  svg += fmt::format("<text class=\"value\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", side,
                     std::max(above, 11.0), anchor, shown_number(value.mean, decimals));
}

}  // namespace

std::string shown_number(double value, int decimals) {
  if (std::isnan(value)) return "-";
  return base::grouped(fmt::format("{:.{}f}", value, decimals));
}

std::string chart_svg(const std::string& label, const std::vector<ChartColumn>& columns, int decimals) {
  std::string description = label + ":";
  for (const ChartColumn& column : columns) {
    description += fmt::format(" {} topics {};", column.topics, shown_number(column.value.mean, decimals));
  }
  description.back() = '.';
  const Axis axis = axis_of(columns);
  const std::vector<double> x = places(columns);
  std::string svg = fmt::format("<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width,
                                height, html_text(description));
  draw_grid(svg, axis);
  draw_numbers(svg, columns, x);
  draw_line(svg, columns, x, axis);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    svg += fmt::format("<g class=\"column{}\" data-k=\"{}\">", columns[i].is_best ? " best" : "", columns[i].topics);
    draw_area(svg, x, i);
    draw_column(svg, columns[i], x[i], axis, decimals);
    svg += "</g>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace papilio::lda
