#pragma once

// Pictures for the examples: lines, dots, cells and charts as SVG, so that a picture needs no program but a browser.

#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace picture {

struct Point {
  double x, y;
};

class Svg {
 public:
  Svg(int width, int height) {
    add("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' ", width, height, width,
        height);
    add("font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n");
  }

  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    svg_ += text;
  }

  void text(Point at, const std::string& words, const char* anchor = "start") {
    add("<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>\n", at.x, at.y, anchor, words.c_str());
  }

  void line(const std::vector<Point>& points, const char* colour, double width = 1.5) {
    add("<path fill='none' stroke='%s' stroke-width='%.1f' d='", colour, width);
    for (const Point& p : points) add("%c%.1f %.1f", &p == points.data() ? 'M' : 'L', p.x, p.y);
    add("'/>\n");
  }

  void area(const std::vector<Point>& points, const char* colour) {
    add("<path fill='%s' d='", colour);
    for (const Point& p : points) add("%c%.1f %.1f", &p == points.data() ? 'M' : 'L', p.x, p.y);
    add("z'/>\n");
  }

  void dots(const std::vector<Point>& points, const char* colour, double diameter = 4) {
    add("<path fill='none' stroke-linecap='round' stroke='%s' stroke-width='%.1f' d='", colour, diameter);
    for (const Point& p : points) add("M%.1f %.1fh0", p.x, p.y);
    add("'/>\n");
  }

  // The cells (i, j) of a grid for which `filled(i, j)`; neighbours in a row are one shape.
  template <class Filled>
  void cells(Point corner, double size, int rows, int columns, Filled filled, const char* colour) {
    add("<path transform='translate(%.1f %.1f) scale(%.2f)' shape-rendering='crispEdges' fill='%s' d='", corner.x,
        corner.y, size, colour);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0, end = 0; j < columns; j = end + 1) {
        for (end = j; end < columns && filled(i, end);) ++end;
        if (end > j) add("M%d %dh%dv1h%dz", j, i, end - j, j - end);
      }
    }
    add("'/>\n");
  }

  bool save(const std::string& path) const { return static_cast<bool>(std::ofstream(path) << svg_ << "</svg>\n"); }

 private:
  std::string svg_;
};

struct Axis {
  double from, to, step;
};

// A frame with ticks, and lines and dots in the numbers of its axes.
class Chart {
 public:
  Chart(Svg& svg, Point corner, double width, double height, Axis x, Axis y, const std::string& title)
      : svg_(svg), corner_(corner), width_(width), height_(height), x_(x), y_(y) {
    svg.text({corner.x, corner.y - 8}, title);
    svg.add("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='none' stroke='#888'/>\n", corner.x, corner.y,
            width, height);
    char number[32];
    for (int i = 0; x.from + i * x.step <= x.to + x.step / 100; ++i) {
      std::snprintf(number, sizeof number, "%g", x.from + i * x.step);
      svg.text({at({x.from + i * x.step, 0}).x, corner.y + height + 15}, number, "middle");
    }
    for (int i = 0; y.from + i * y.step <= y.to + y.step / 100; ++i) {
      std::snprintf(number, sizeof number, "%g", y.from + i * y.step);
      svg.text({corner.x - 5, at({0, y.from + i * y.step}).y + 4}, number, "end");
    }
  }

  Point at(Point p) const {
    return {corner_.x + (p.x - x_.from) / (x_.to - x_.from) * width_,
            corner_.y + (y_.to - p.y) / (y_.to - y_.from) * height_};
  }
  std::vector<Point> at(std::vector<Point> points) const {
    for (Point& p : points) p = at(p);
    return points;
  }
  void line(const std::vector<Point>& points, const char* colour, double width = 1.5) {
    svg_.line(at(points), colour, width);
  }
  void area(const std::vector<Point>& points, const char* colour) { svg_.area(at(points), colour); }
  void dots(const std::vector<Point>& points, const char* colour, double size = 4) {
    svg_.dots(at(points), colour, size);
  }

 private:
  Svg& svg_;
  Point corner_;
  double width_, height_;
  Axis x_, y_;
};

}  // namespace picture
