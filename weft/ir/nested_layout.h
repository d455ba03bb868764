// Where the boxes and scopes of a picture stand: every scope is laid out by itself and is then one
// box of the scope around it.
#pragma once

#include <map>
#include <set>

#include "weft/base/layered_layout.h"
#include "weft/ir/picture.h"

namespace weft::ir {

struct Rectangle {
  double x = 0, y = 0, width = 0, height = 0;  // of the upper left corner
  double middle() const { return x + width / 2; }
  double bottom() const { return y + height; }
};

class NestedLayout {
 public:
  // `sizes` of the boxes, and the widths that they and what is written below them take; scopes are
  // as wide as their titles, at least.
  NestedLayout(const Picture& picture, std::vector<DrawPoint> sizes, std::vector<double> rooms,
               const std::vector<double>& title_widths);

  const Rectangle& box(size_t i) const { return boxes_[i]; }
  const Rectangle& scope(size_t s) const { return scopes_[s]; }
  // From the lower edge of the first box to the upper edge of the second, around what is between;
  // where scopes depend on each other, up along the right side.
  std::vector<DrawPoint> route(const Picture::Edge& edge) const;

 private:
  // What stands in a scope: a box, or a scope inside.
  struct Item {
    bool is_scope = false;
    size_t index = 0;
    friend auto operator<=>(const Item&, const Item&) = default;
  };
  // Lines that come from outside begin at a box without size above all others, lines that go there
  // end at one below, so that there is a way for them.
  struct Inside {
    std::vector<Item> items;
    std::map<Item, size_t> place;  // in the layout: the box above comes first
    std::map<std::pair<size_t, size_t>, size_t> route_of;
    bool has_entry = false, has_exit = false;
    LayeredLayout layout;
  };

  void collect();
  void find_crossings();
  DrawPoint measure(size_t scope);
  double top_of(size_t scope) const;
  void append_bends(std::vector<DrawPoint>& out, size_t scope, size_t from, size_t to) const;
  void append_way_up(std::vector<DrawPoint>& out, size_t scope, size_t from, size_t to) const;
  void put(size_t scope, double x, double y);
  Item end_of(const Picture::Edge& edge) const;
  size_t scope_around(const Item& item) const;
  // The scope that holds both, and the two items in it.
  struct Meeting {
    size_t scope;
    Item from, to;
  };
  Meeting meeting(Item from, Item to) const;
  const Rectangle& rectangle(const Item& item) const {
    return item.is_scope ? scopes_[item.index] : boxes_[item.index];
  }

  const Picture& picture_;
  std::vector<DrawPoint> sizes_;
  std::vector<double> rooms_;
  std::vector<double> title_widths_;
  std::vector<Inside> inside_;  // by scope
  // Items with lines from outside of their scope, and to there.
  std::set<Item> entered_, left_;
  std::vector<Rectangle> boxes_, scopes_;
};

}  // namespace weft::ir
