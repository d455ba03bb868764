// Counts how deep this thread is in nested containers.
#include "bindings/tree_level.h"

#include "weft/base/error.h"

namespace weft::python {
namespace {

thread_local int depth = 0;

}  // namespace

TreeLevel::TreeLevel(std::string_view who, std::string_view what) {
  if (depth >= kMaxTreeDepth) {
    fail(Code::kInvalid, who, "depth", what, " has containers nested more than ", kMaxTreeDepth,
         " deep, or one that contains itself; give a tree of fewer levels");
  }
  ++depth;
}

TreeLevel::~TreeLevel() { --depth; }

}  // namespace weft::python
