// Where the boxes of a picture stand: layers from the leaves to the value (Sugiyama et al. 1981).
#pragma once

#include "weft/transform/draw.h"

namespace weft {

struct DrawPoint {
  double x = 0, y = 0;
};

struct DrawLayout {
  struct Route {
    size_t from, to;                // records
    std::vector<DrawPoint> points;  // from the lower edge of one box to the upper edge of the other
  };
  std::vector<DrawPoint> centres;  // of each record's box
  std::vector<Route> routes;       // one for each input, in the order of records and their inputs
  double width = 0, height = 0;
};

// `sizes` are widths (x) and heights (y) of the boxes.
DrawLayout lay_out(const std::vector<DrawnRecord>& records, const std::vector<DrawPoint>& sizes);

}  // namespace weft
