// Drawings of graphs: ops as boxes with their parameters inside, scopes around them or folded to
// one box, lines that run downwards and sideways.
#pragma once

#include <map>

#include "weft/ir/function.h"

namespace weft::ir {

// The module whose call a scope is, for its description in a drawing.
struct DrawnModule {
  std::string type;        // "Linear"
  int64_t parameters = 0;  // how many numbers it learns, here and below
  bool is_leaf = false;    // holds no modules: not opened unless asked for
};

struct DrawOptions {
  // How many levels of scopes are opened: 0 folds every scope to one box. Negative: as many as fit.
  int depth = -1;
  bool repeats = true;     // equal scopes in a row become one, "layers x 12"
  size_t most_boxes = 32;  // up to which scopes are opened automatically
  double widest = 1600;    // pixels
  // Parameters from this one on are captured (Variables): they are drawn in the boxes that read
  // them.
  size_t arguments = SIZE_MAX;
  std::map<std::string, DrawnModule> modules = {};  // by scope: "stack/layers/0"
  std::string title = "";                           // instead of the function's name
  // Shows symbols in types as the sizes of the traced call. Expressions of symbols are always shown
  // so.
  bool sizes = false;
};

// As SVG; as a page if `path` ends in .html, and as DOT if it ends in .dot or .gv. Written to the
// path, unless that is empty. Raises [draw.path] for a path of another kind.
std::string draw(const Function& function, const std::string& path, const DrawOptions& options);

std::string draw_svg(const Function& function, const DrawOptions& options = {});
// A page that needs no other file: scopes open and close by a click.
std::string draw_html(const Function& function, const DrawOptions& options = {});
std::string draw_dot(const Function& function, const DrawOptions& options = {});  // for Graphviz

}  // namespace weft::ir
