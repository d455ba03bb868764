// LeftOut: what custom rules gave no gradient for during a sweep, for the error if none arrives.
#pragma once

#include <string>

namespace weft {

class LeftOut {
 public:
  // Called before a sweep: what an earlier one noted is forgotten.
  static void clear();
  static void note(std::string what);
  // The last note of this thread; empty if there is none.
  static const std::string& last();
};

}  // namespace weft
