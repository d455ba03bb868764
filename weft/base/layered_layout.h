// Where the boxes of a picture stand: layers from the sources down (Sugiyama et al. 1981).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace weft {

struct DrawPoint {
  double x = 0, y = 0;
};

struct LayeredLayout {
  struct Edge {
    size_t from, to;  // boxes; from < to
  };
  struct Route {
    size_t from, to;
    std::vector<DrawPoint> points;  // from the lower edge of one box to the upper edge of the other
  };
  // What lies between these stands beside a box.
  struct Row {
    double top, bottom;
  };
  std::vector<DrawPoint> centres;  // of the boxes
  std::vector<Row> rows;           // the layers that they stand in
  std::vector<Route> routes;       // of the edges, in their order
  double width = 0, height = 0;
};

// `sizes` are widths (x) and heights (y) of the boxes, in an order in which every edge goes from an
// earlier one to a later one.
LayeredLayout lay_out(std::span<const DrawPoint> sizes, std::span<const LayeredLayout::Edge> edges);

}  // namespace weft
