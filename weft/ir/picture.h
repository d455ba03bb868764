// The contents of a drawing of a function, for all output formats: a tree of scopes, each with its
// boxes and the lines between them.
#pragma once

#include "weft/ir/draw.h"

namespace weft::ir {

struct Picture {
  enum class Kind : uint8_t { kOp, kInput, kVariable, kResult, kScope };
  // A label inside a box: a parameter or constant that it reads, or a Variable that it writes.
  struct Chip {
    enum class Kind : uint8_t { kParameter, kConstant, kWritten };
    Kind kind = Kind::kParameter;
    std::string text;
  };
  static constexpr size_t kNoScope = SIZE_MAX;
  struct Item {
    Kind kind = Kind::kOp;
    std::string title;               // the op, the name of an input or a scope
    std::vector<std::string> lines;  // below it: class, types, how many ops
    std::vector<Chip> chips;
    std::string tip;           // the tooltip
    size_t inside = kNoScope;  // the scope that it opens to
  };
  // An end of a line: an item of the scope, by one of its ports, or a port of the scope itself.
  struct End {
    enum class Kind : uint8_t { kItem, kWayIn, kWayOut };
    Kind kind = Kind::kItem;
    size_t index = 0;  // of the item or the way
    size_t port = 0;   // of an item that opens: its way in or out
    friend auto operator<=>(const End&, const End&) = default;
  };
  // kSaved: what the forward pass keeps for the gradients.
  enum class Line : uint8_t { kValue, kOrder, kSaved };
  struct Edge {
    End from, to;
    Line line = Line::kValue;
  };
  struct Scope {
    std::string title;
    bool is_function = false;  // that an op calls
    bool is_leaf = false;      // does not open by itself
    size_t depth = 0;          // scopes around it
    size_t ops = 0;            // here and below
    std::vector<Item> items;   // in an order in which every edge leads to a later one
    std::vector<Edge> edges;
    size_t ways_in = 0, ways_out = 0;
  };
  std::vector<Scope> scopes;  // the first is the whole drawing
};

Picture picture_of(const Function& function, const DrawOptions& options);

// The scopes that are open: as deep as the options say, or as many as fit.
std::vector<bool> open_scopes(const Picture& picture, const DrawOptions& options);

}  // namespace weft::ir
