// Layout of a drawing: boxes in layers from the sources down (Sugiyama et al. 1981), and lines
// between them that run downwards and sideways only.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace weft {

struct DrawPoint {
  double x = 0, y = 0;
};

struct LayoutBox {
  double width = 0, height = 0;
  // Where lines enter at the top and leave at the bottom, as distances from the left side. If
  // empty, lines leave in the middle, and enter as straight as possible.
  std::vector<double> in_ports = {}, out_ports = {};
  // kWayIn and kWayOut are the ends of lines that cross the border of the layout: above all other
  // boxes, and below them.
  enum class Role : char { kBox, kWayIn, kWayOut } role = Role::kBox;
};

struct LayoutEdge {
  size_t from, to;  // boxes; from < to
  // Lines from the same port share their common segments. Ports that the box does not list are in
  // its middle.
  size_t out_port = 0, in_port = 0;
};

struct LayeredLayout {
  std::vector<DrawPoint> corners;  // of the boxes, the upper left ones
  std::vector<size_t> rows;        // the layers that they stand in
  struct Row {
    double top, bottom;
  };
  std::vector<Row> layers;
  // From the lower edge of a box to the upper edge of another one: the start, two points of equal
  // height for each gap between layers, and the end.
  std::vector<std::vector<DrawPoint>> routes;  // of the edges, in their order
  double width = 0, height = 0;
};

// No layer is wider than `widest`, unless one box is.
LayeredLayout lay_out(std::span<const LayoutBox> boxes, std::span<const LayoutEdge> edges,
                      double widest = 1500);

}  // namespace weft
