// TreeLevel: bounds how deep C++ walks into containers that users give.
#pragma once

#include <string_view>

namespace weft::python {

// Far deeper than the trees of real programs, and shallow enough for the stack of any thread.
inline constexpr int kMaxTreeDepth = 400;

// Lives while a recursive function is inside one container. Raises [who.depth] if containers are
// nested more than kMaxTreeDepth deep, also if one contains itself; `what` names the argument.
class TreeLevel {
 public:
  TreeLevel(std::string_view who, std::string_view what);
  ~TreeLevel();
  TreeLevel(const TreeLevel&) = delete;
  TreeLevel& operator=(const TreeLevel&) = delete;
};

}  // namespace weft::python
