// A function as a tree for drawing: its ops are leaves, in the scopes given by their names.
#pragma once

#include <map>
#include <set>

#include "weft/ir/picture.h"

namespace weft::ir {

class PictureTree {
 public:
  static constexpr size_t kNoLeaf = SIZE_MAX;
  // A leaf is a box; a scope has children.
  struct Item {
    size_t parent = 0;
    bool is_scope = false, is_function = false, calls_functions = false;
    std::string name;  // of a scope, or what the box is called
    std::string path;  // of a scope: "stack/layers/0"
    size_t repeats = 1;
    size_t call = 1;  // its number, if calls of the scope are drawn separately
    std::vector<size_t> children;
    Picture::Kind kind = Picture::Kind::kOp;
    std::vector<std::string> lines;
    std::vector<Picture::Chip> chips;
    std::string tip;
    std::string likeness;         // equal for leaves that may be folded together
    std::vector<Type> types;      // of what it gives
    std::set<size_t> parameters;  // captured parameters and Variables that it reads, by number
  };
  struct Edge {
    size_t from, to;  // leaves
    Picture::Line line;
    std::string type;
  };

  PictureTree(const Function& function, const DrawOptions& options);

  const Item& item(size_t i) const { return items_[i]; }
  const std::vector<Item>& items() const { return items_; }
  const std::vector<Edge>& edges() const { return edges_; }
  // How many numbers a captured parameter has.
  int64_t size_of_parameter(size_t number) const { return parameter_sizes_[number]; }

  // Folds equal items in a row to one; see picture_repeats.cc.
  void fold_repeats();
  // Merges a scope that contains only one scope with that scope.
  void join_single_scopes();

  std::vector<size_t> leaves_of(size_t item) const;
  // Boxes in it, those of all repeats.
  size_t count_ops(size_t item) const;

 private:
  friend class PictureReader;

  size_t add(Item item);
  void fold_repeats_in(size_t scope, const std::vector<std::vector<size_t>>& read_by);
  // Folds `count` runs of `period` children, which are equal, to the first one.
  void fold(size_t scope, size_t first, size_t period, size_t count);

  std::vector<Item> items_;  // the first is the whole
  std::vector<Edge> edges_;
  std::vector<int64_t> parameter_sizes_;
};

// The scope of each node in drawings: that of its name; for ops of a reverse sweep, "gradients/"
// and the scope of the op that they differentiate; "update" for later ops that only new values of
// Variables depend on. See picture_backward.cc.
std::vector<std::string> drawn_scopes(const Function& function);
// "a/b/Add/x" is below "a/b" where "a/b/Add" is an op: constants are named after their op.
std::string scope_of(const Graph& graph, std::string_view name);

inline constexpr std::string_view kGradientScope = "gradients", kUpdateScope = "update";

}  // namespace weft::ir
