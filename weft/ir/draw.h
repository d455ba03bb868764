// Pictures of graphs: ops as boxes, scopes around them, types on the edges.
#pragma once

#include "weft/ir/function.h"

namespace weft::ir {

struct DrawOptions {
  // How deep scopes are opened: 0 folds every scope into one box, 1 opens "layer1/" but not
  // "layer1/block2/". Negative: all of them while there are few ops, and else as deep as the
  // picture stays readable.
  int depth = -1;
  size_t few_ops = 200;  // what counts as few
  bool shapes = true;    // types on the edges
};

std::string draw_dot(const Function& function, const DrawOptions& options = {});  // for Graphviz
std::string draw_svg(const Function& function, const DrawOptions& options = {});  // laid out here

}  // namespace weft::ir
