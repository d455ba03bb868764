// Pictures of a tape: what was recorded behind a value, and the way its gradient goes back.
#pragma once

#include <string>
#include <vector>

#include "weft/core/tensor.h"

namespace weft {

// A record as a picture shows it; all of them come in program order.
struct DrawnRecord {
  enum class Kind : uint8_t { kOp, kLeaf, kConstant };
  struct Input {
    size_t record;     // its index
    bool is_followed;  // does a cotangent go back to it?
    bool is_read;      // does the backward rule read its value?
  };
  Kind kind = Kind::kOp;
  std::string name;   // of the op or the Variable; the value of a constant
  std::string attrs;  // "axis=1"
  std::string type;   // "float32[3, 4]"
  std::string line;   // the user's: "train.py:12"
  std::vector<Input> inputs;
  bool reads_output = false;  // the backward rule reads what the op gave
};

// The records behind `value`, itself the last. Raises if there are none, if they were freed, or if
// there are more than `most`.
std::vector<DrawnRecord> records_behind(const Tensor& value, size_t most = 500);

// The forward side on the left, from leaves to the value; the backward side on the right, the other
// way round. Dashed lines are values that the tape keeps for the backward rules.
std::string draw_dot(const Tensor& value, size_t most = 500);  // for Graphviz
std::string draw_svg(const Tensor& value, size_t most = 500);  // laid out here

}  // namespace weft
