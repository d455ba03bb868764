// Drawings in files, by the endings of their names.
#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/ir/draw.h"

namespace weft::ir {

std::string draw(const Function& function, const std::string& path, const DrawOptions& options) {
  const bool is_dot = path.ends_with(".dot") || path.ends_with(".gv");
  const bool is_page = path.ends_with(".html");
  if (!path.empty() && !is_dot && !is_page && !path.ends_with(".svg")) {
    fail(Code::kInvalid, "draw", "path", "'", path,
         "' names no format of drawings; end it in .svg, .html, .dot or .gv");
  }
  std::string out = is_dot    ? draw_dot(function, options)
                    : is_page ? draw_html(function, options)
                              : draw_svg(function, options);
  if (!path.empty()) write_file_atomically(path, out);
  return out;
}

}  // namespace weft::ir
