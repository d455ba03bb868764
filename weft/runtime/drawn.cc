// Pictures of functions, in files if wanted.
#include "weft/runtime/drawn.h"

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/ir/draw.h"

namespace weft {

std::string drawn(const ir::Function& function, const std::string& path, int depth) {
  const bool is_dot = path.ends_with(".dot");
  if (!path.empty() && !is_dot && !path.ends_with(".svg")) {
    fail(Code::kInvalid, "draw", "path", "'", path,
         "' is no picture that can be drawn; end it in .svg or .dot");
  }
  const ir::DrawOptions options{.depth = depth};
  std::string out = is_dot ? ir::draw_dot(function, options) : ir::draw_svg(function, options);
  if (!path.empty()) write_file_atomically(path, out);
  return out;
}

}  // namespace weft
