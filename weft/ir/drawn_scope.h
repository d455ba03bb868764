// The layout of a scope's items and lines. Open scopes inside it are laid out first, and are then
// boxes of it.
#pragma once

#include <memory>

#include "weft/base/layered_layout.h"
#include "weft/ir/picture.h"

namespace weft::ir {

struct Rectangle {
  double x = 0, y = 0, width = 0, height = 0;  // of the upper left corner
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

struct DrawnScope {
  double width = 0, height = 0;
  std::vector<Rectangle> items;
  std::vector<size_t> rows;  // by item
  std::vector<LayeredLayout::Row> layers;
  // The route of each edge; edges between the same ends share one.
  std::vector<size_t> route_of;
  std::vector<std::vector<DrawPoint>> routes;
  std::vector<double> ways_in, ways_out;            // on the upper and the lower edge
  std::vector<std::unique_ptr<DrawnScope>> inside;  // by item; null if it is folded
};

DrawnScope lay_out_scope(const Picture& picture, size_t scope, const std::vector<bool>& is_open,
                         double widest);

// A box as wide as its texts; and its parts as SVG, from its own corner.
DrawPoint size_of_box(const Picture::Item& item);
std::string box_svg(const Picture::Item& item, bool has_tip);
// The path of a line, with round corners.
std::string line_path(const std::vector<DrawPoint>& points, double x, double y);

}  // namespace weft::ir
