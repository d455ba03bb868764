// Lays out a scope: open scopes inside it first, then all its boxes and lines.
#include "weft/ir/drawn_scope.h"

#include <algorithm>
#include <map>

#include "weft/base/drawing_style.h"
#include "weft/base/text_width.h"

namespace weft::ir {
namespace {

constexpr double kPadding = 14, kTitle = 24, kWay = 4;

using End = Picture::End;

class ScopeLayout {
 public:
  ScopeLayout(const Picture& picture, size_t scope, const std::vector<bool>& is_open, double widest)
      : scope_(picture.scopes[scope]), is_root_(scope == 0) {
    for (const Picture::Item& item : scope_.items) {
      const bool opens = item.inside != Picture::kNoScope && is_open[item.inside];
      out_.inside.push_back(opens ? std::make_unique<DrawnScope>(lay_out_scope(
                                        picture, item.inside, is_open, widest - 2 * kPadding))
                                  : nullptr);
    }
    make_boxes();
    make_edges();
    const LayeredLayout layout = lay_out(boxes_, edges_, widest - 2 * kPadding);
    place(layout);
  }
  DrawnScope finish() { return std::move(out_); }

 private:
  void make_boxes() {
    for (size_t i = 0; i < scope_.ways_in; ++i) {
      boxes_.push_back({.width = kWay, .height = 0, .role = LayoutBox::Role::kWayIn});
    }
    for (size_t i = 0; i < scope_.items.size(); ++i) {
      if (const DrawnScope* const inside = out_.inside[i].get()) {
        boxes_.push_back({.width = inside->width,
                          .height = inside->height,
                          .in_ports = inside->ways_in,
                          .out_ports = inside->ways_out});
      } else {
        const DrawPoint size = size_of_box(scope_.items[i]);
        boxes_.push_back({.width = size.x, .height = size.y});
      }
    }
    for (size_t i = 0; i < scope_.ways_out; ++i) {
      boxes_.push_back({.width = kWay, .height = 0, .role = LayoutBox::Role::kWayOut});
    }
  }

  size_t box_of(const End& end) const {
    if (end.kind == End::Kind::kWayIn) return end.index;
    return scope_.ways_in + end.index + (end.kind == End::Kind::kWayOut ? scope_.items.size() : 0);
  }
  // Only boxes of open scopes have several ports.
  size_t port_of(const End& end) const {
    return end.kind == End::Kind::kItem && out_.inside[end.index] != nullptr ? end.port : 0;
  }

  void make_edges() {
    std::map<std::tuple<size_t, size_t, size_t, size_t>, size_t> found;
    for (const Picture::Edge& edge : scope_.edges) {
      // Lines of different kinds leave a box by different ports, so they share no segments.
      const auto kind = static_cast<size_t>(edge.line) << 20;
      const size_t from = box_of(edge.from), to = box_of(edge.to);
      const bool has_ports = !boxes_[from].out_ports.empty();
      const size_t out = port_of(edge.from) + (has_ports ? 0 : kind);
      const size_t in = port_of(edge.to);
      const auto [it, is_new] = found.try_emplace({from, out, to, in}, edges_.size());
      if (is_new) edges_.push_back({from, to, out, in});
      out_.route_of.push_back(it->second);
    }
  }

  void place(const LayeredLayout& layout) {
    const double title = is_root_ ? 0 : kTitle;
    const double name =
        is_root_ ? 0 : text_width(scope_.title, kFrameSize, /*is_bold=*/true) + 2 * kPadding + 18;
    out_.width = std::max(layout.width + 2 * kPadding, name);
    const double left = (out_.width - layout.width) / 2;
    const double top = title + (scope_.ways_in > 0 ? 0 : kPadding / 2);
    out_.height = top + layout.height + kPadding;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const double x = layout.corners[i].x + left, y = layout.corners[i].y + top;
      const LayoutBox& box = boxes_[i];
      if (box.role == LayoutBox::Role::kWayIn) {
        out_.ways_in.push_back(x + kWay / 2);
      } else if (box.role == LayoutBox::Role::kWayOut) {
        out_.ways_out.push_back(x + kWay / 2);
      } else {
        out_.items.push_back({x, y, box.width, box.height});
        out_.rows.push_back(layout.rows[i]);
      }
    }
    for (const LayeredLayout::Row& row : layout.layers) {
      out_.layers.push_back({row.top + top, row.bottom + top});
    }
    for (size_t e = 0; e < edges_.size(); ++e) {
      std::vector<DrawPoint> points = layout.routes[e];
      for (DrawPoint& point : points) point = {point.x + left, point.y + top};
      // Lines from and to outside end on the frame.
      if (boxes_[edges_[e].from].role == LayoutBox::Role::kWayIn) points.front().y = 0;
      if (boxes_[edges_[e].to].role == LayoutBox::Role::kWayOut) points.back().y = out_.height;
      out_.routes.push_back(std::move(points));
    }
  }

  const Picture::Scope& scope_;
  const bool is_root_;
  std::vector<LayoutBox> boxes_;
  std::vector<LayoutEdge> edges_;
  DrawnScope out_;
};

}  // namespace

DrawnScope lay_out_scope(const Picture& picture, size_t scope, const std::vector<bool>& is_open,
                         double widest) {
  return ScopeLayout(picture, scope, is_open, widest).finish();
}

}  // namespace weft::ir
