// Axes: round ticks, and the panel that curves are drawn into.
#pragma once

#include "weft/train/picture/canvas.h"

namespace weft::train {

// Round numbers from about low to about high, `most` steps or fewer; the first and the last
// enclose both.
std::vector<double> ticks(double low, double high, int most = 5, bool is_whole = false);
// A tick as text, with as many digits as steps of this size need.
std::string label(double value, double step);
std::vector<std::string> labels(std::span<const double> values, double step);

// A place on a canvas with axes: (x, y) of data become points of it.
struct Panel {
  Canvas& canvas;
  double left, top, right, bottom;
  double low_x, high_x, low_y, high_y;

  Point at(double x, double y) const;
  void grid(std::span<const double> ticks_x, std::span<const double> ticks_y,
            std::span<const std::string> labels_x, std::span<const std::string> labels_y) const;
  void title(std::string_view text, std::string_view below) const;
};

}  // namespace weft::train
