// The panel that curves are drawn into, with its axes.
#pragma once

#include "weft/base/chart_ticks.h"
#include "weft/train/picture/canvas.h"

namespace weft::train {

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
