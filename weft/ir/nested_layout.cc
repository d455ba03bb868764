// Scopes from the inside out, then places from the outside in.
#include "weft/ir/nested_layout.h"

#include <algorithm>

namespace weft::ir {
namespace {

constexpr double kPadding = 14, kTitle = 20, kAside = 12;

}  // namespace

NestedLayout::NestedLayout(const Picture& picture, std::vector<DrawPoint> sizes,
                           std::vector<double> rooms, const std::vector<double>& title_widths)
    : picture_(picture),
      sizes_(std::move(sizes)),
      rooms_(std::move(rooms)),
      title_widths_(title_widths),
      inside_(picture.scopes.size()),
      boxes_(picture.boxes.size()),
      scopes_(picture.scopes.size()) {
  collect();
  find_crossings();
  measure(0);
  put(0, 0, 0);
}

size_t NestedLayout::scope_around(const Item& item) const {
  return item.is_scope ? picture_.scopes[item.index].parent : picture_.boxes[item.index].scope;
}

// In program order: a scope stands where its first box does.
void NestedLayout::collect() {
  for (size_t i = 0; i < picture_.boxes.size(); ++i) {
    Item item{false, i};
    for (;;) {
      const size_t scope = scope_around(item);
      Inside& in = inside_[scope];
      if (!in.place.emplace(item, in.items.size()).second) break;
      in.items.push_back(item);
      if (scope == 0) break;
      item = {true, scope};
    }
  }
}

NestedLayout::Item NestedLayout::end_of(const Picture::Edge& edge) const {
  return {edge.line == Picture::Line::kCall, edge.to};
}

NestedLayout::Meeting NestedLayout::meeting(Item from, Item to) const {
  std::map<size_t, Item> on_the_way;  // the item of `from` in each scope around it
  for (Item item = from;; item = {true, scope_around(item)}) {
    const size_t scope = scope_around(item);
    on_the_way.emplace(scope, item);
    if (scope == 0) break;
  }
  for (Item item = to;; item = {true, scope_around(item)}) {
    const size_t scope = scope_around(item);
    const auto found = on_the_way.find(scope);
    if (found != on_the_way.end()) return {scope, found->second, item};
  }
}

void NestedLayout::find_crossings() {
  for (const Picture::Edge& edge : picture_.edges) {
    const Meeting met = meeting({false, edge.from}, end_of(edge));
    for (Item item{false, edge.from}; !(item == met.from); item = {true, scope_around(item)}) {
      left_.insert(item);
      inside_[scope_around(item)].has_exit = true;
    }
    for (Item item = end_of(edge); !(item == met.to); item = {true, scope_around(item)}) {
      entered_.insert(item);
      inside_[scope_around(item)].has_entry = true;
    }
  }
}

DrawPoint NestedLayout::measure(size_t scope) {
  Inside& in = inside_[scope];
  std::vector<DrawPoint> sizes;
  if (in.has_entry) sizes.push_back({});
  for (const Item& item : in.items) {
    in.place[item] = sizes.size();
    sizes.push_back(item.is_scope ? measure(item.index)
                                  : DrawPoint{std::max(sizes_[item.index].x, rooms_[item.index]),
                                              sizes_[item.index].y});
  }
  if (in.has_exit) sizes.push_back({});
  std::vector<LayeredLayout::Edge> edges;
  const auto connect = [&](size_t from, size_t to) {
    // Lines that go against the order of the boxes have no say in it.
    if (from < to && in.route_of.emplace(std::pair{from, to}, edges.size()).second) {
      edges.push_back({from, to});
    }
  };
  for (const Picture::Edge& edge : picture_.edges) {
    const Meeting met = meeting({false, edge.from}, end_of(edge));
    if (met.scope != scope || !in.place.contains(met.to)) continue;
    connect(in.place.at(met.from), in.place.at(met.to));
  }
  for (const Item& item : in.items) {
    if (entered_.contains(item)) connect(0, in.place.at(item));
    if (left_.contains(item)) connect(in.place.at(item), sizes.size() - 1);
  }
  in.layout = lay_out(sizes, edges);
  const double width = std::max(in.layout.width, title_widths_[scope]);
  scopes_[scope].width = width + 2 * kPadding;
  double bottom = in.has_exit ? in.layout.height - kPadding / 2 : 0;
  for (const Item& item : in.items) {  // which may stand beside the exit
    const size_t place = in.place.at(item);
    bottom = std::max(bottom, in.layout.centres[place].y + sizes[place].y / 2 + kPadding);
  }
  scopes_[scope].height = top_of(scope) + bottom;
  return {scopes_[scope].width, scopes_[scope].height};
}

// Below the title; lines that enter have some room there already.
double NestedLayout::top_of(size_t scope) const {
  return inside_[scope].has_entry ? kTitle : kTitle + kPadding;
}

void NestedLayout::put(size_t scope, double x, double y) {
  scopes_[scope].x = x;
  scopes_[scope].y = y;
  const Inside& in = inside_[scope];
  const double left = scopes_[scope].middle() - in.layout.width / 2;
  for (const Item& item : in.items) {
    const DrawPoint at = in.layout.centres[in.place.at(item)];
    const DrawPoint centre{left + at.x, y + top_of(scope) + at.y};
    if (item.is_scope) {
      const Rectangle& inner = scopes_[item.index];
      put(item.index, centre.x - inner.width / 2, centre.y - inner.height / 2);
    } else {
      const DrawPoint size = sizes_[item.index];
      boxes_[item.index] = {centre.x - size.x / 2, centre.y - size.y / 2, size.x, size.y};
    }
  }
}

void NestedLayout::append_bends(std::vector<DrawPoint>& out, size_t scope, size_t from,
                                size_t to) const {
  const Inside& in = inside_[scope];
  const auto found = in.route_of.find({from, to});
  if (found == in.route_of.end()) return;
  const double left = scopes_[scope].middle() - in.layout.width / 2;
  const double top = scopes_[scope].y + top_of(scope);
  const auto add = [&](double x, double y) {
    if (out.empty() || out.back().y < top + y) out.push_back({left + x, top + y});
  };
  // Lines from outside come down beside what stands in the first layer, and so they leave the last.
  if (in.has_entry && from == 0) add(in.layout.centres[0].x, in.layout.rows[0].top);
  const auto& points = in.layout.routes[found->second].points;
  for (size_t k = 1; k + 1 < points.size(); ++k) add(points[k].x, points[k].y);
  const bool leaves = in.has_exit && to + 1 == in.layout.centres.size();
  if (leaves) add(in.layout.centres[to].x, in.layout.rows[to].bottom);
}

void NestedLayout::append_way_up(std::vector<DrawPoint>& out, size_t scope, size_t from,
                                 size_t to) const {
  const LayeredLayout& layout = inside_[scope].layout;
  const Rectangle& around = scopes_[scope];
  const double left = around.middle() - layout.width / 2, top = around.y + top_of(scope);
  const double below = top + layout.rows[from].bottom + kAside;
  const double above = top + layout.rows[to].top - kAside;
  const double side = around.x + around.width - kPadding / 2;
  for (const DrawPoint& point : {DrawPoint{left + layout.centres[from].x, below},
                                 {side, below},
                                 {side, above},
                                 {left + layout.centres[to].x, above}}) {
    out.push_back(point);
  }
}

std::vector<DrawPoint> NestedLayout::route(const Picture::Edge& edge) const {
  const Item first{false, edge.from}, last = end_of(edge);
  const Rectangle &start = rectangle(first), &end = rectangle(last);
  const Meeting met = meeting(first, last);
  std::vector<DrawPoint> out{{start.middle(), start.bottom()}};
  for (Item item = first; !(item == met.from); item = {true, scope_around(item)}) {
    const Inside& in = inside_[scope_around(item)];
    append_bends(out, scope_around(item), in.place.at(item), in.layout.centres.size() - 1);
  }
  const Inside& in = inside_[met.scope];
  const auto to = in.place.find(met.to);
  if (to != in.place.end()) {
    const size_t from = in.place.at(met.from);
    if (from < to->second) append_bends(out, met.scope, from, to->second);
    if (from > to->second) append_way_up(out, met.scope, from, to->second);
  }
  std::vector<Item> inwards;  // from the outermost scope that is entered
  for (Item item = last; !(item == met.to); item = {true, scope_around(item)}) {
    inwards.insert(inwards.begin(), item);
  }
  for (const Item& item : inwards) {
    append_bends(out, scope_around(item), 0, inside_[scope_around(item)].place.at(item));
  }
  out.push_back({end.middle(), end.y});
  return out;
}

}  // namespace weft::ir
