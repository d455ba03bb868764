// The table of rewrites that keep the bits. simplify_test.cc proves each on special values.
#pragma once

#include <span>

#include "weft/compile/rewrite.h"

namespace weft::compile {

struct Rewriting {
  std::string_view name;  // "x * 1 -> x"
  // Puts something simpler in the place of the node and returns true, or leaves it alone.
  bool (*apply)(Rewrite& out, ir::NodeId id);
};

std::span<const Rewriting> rewritings();

}  // namespace weft::compile
