// What a picture of a function shows, whoever draws it: boxes in scopes, and lines between them.
#pragma once

#include "weft/ir/draw.h"

namespace weft::ir {

struct Picture {
  enum class Kind : uint8_t { kOp, kInput, kVariable, kConstant, kResult, kFolded };
  struct Box {
    Kind kind = Kind::kOp;
    std::string title;   // the op, the name of an input, the value of a constant
    std::string detail;  // the name of the node, how many ops are folded
    size_t scope = 0;
  };
  // A scope, or a function that an op calls. The first is the whole picture.
  struct Scope {
    std::string title;
    size_t parent = 0;
    bool is_function = false;
  };
  enum class Line : uint8_t { kValue, kOrder, kCall };
  struct Edge {
    size_t from, to;    // boxes; of kCall, `to` is a scope
    std::string label;  // the type of the value
    Line line = Line::kValue;
  };
  std::vector<Box> boxes;  // in program order
  std::vector<Scope> scopes;
  std::vector<Edge> edges;
};

Picture picture_of(const Function& function, const DrawOptions& options);

}  // namespace weft::ir
